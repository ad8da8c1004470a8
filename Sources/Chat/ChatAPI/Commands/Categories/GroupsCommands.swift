import SimplexJSON

/// Groups, their members and links (specification section 2.5).
enum GroupsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareMembersAndLinks(in: &commands)
    declareSettingsAndMemberContacts(in: &commands)
  }

  private static func declareMembersAndLinks(in commands: inout CommandDeclarations) {
    commands.command(
      "apiNewGroup", "/_group ",
      id("userId"), flag(" incognito="), json(GroupProfile.self).after(" "),
      make: ChatCommand.apiNewGroup,
      match: {
        if case .apiNewGroup(let userId, let incognito, let groupProfile) = $0 {
          (userId, incognito, groupProfile)
        } else {
          nil
        }
      })
    commands.command(
      "apiAddMember", "/_add #",
      id("groupId"), id("contactId").after(" "), role.after(" "),
      make: ChatCommand.apiAddMember,
      match: {
        if case .apiAddMember(let groupId, let contactId, let memberRole) = $0 {
          (groupId, contactId, memberRole)
        } else {
          nil
        }
      })
    commands.command(
      "apiJoinGroup", "/_join #",
      id("groupId"),
      make: ChatCommand.apiJoinGroup,
      match: { if case .apiJoinGroup(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiAcceptMember", "/_accept member #",
      id("groupId"), id("groupMemberId").after(" "), role.after(" "),
      make: ChatCommand.apiAcceptMember,
      match: {
        if case .apiAcceptMember(let groupId, let groupMemberId, let memberRole) = $0 {
          (groupId, groupMemberId, memberRole)
        } else {
          nil
        }
      })
    commands.command(
      "apiRemoveMembers", "/_remove #",
      id("groupId"), ids("groupMemberId").after(" "), flag(" messages="),
      make: ChatCommand.apiRemoveMembers,
      match: {
        if case .apiRemoveMembers(let groupId, let memberIds, let withMessages) = $0 {
          (groupId, memberIds, withMessages)
        } else {
          nil
        }
      })
    commands.command(
      "apiLeaveGroup", "/_leave #",
      id("groupId"),
      make: ChatCommand.apiLeaveGroup,
      match: { if case .apiLeaveGroup(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiListMembers", "/_members #",
      id("groupId"),
      make: ChatCommand.apiListMembers,
      match: { if case .apiListMembers(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiUpdateGroupProfile", "/_group_profile #",
      id("groupId"), json(GroupProfile.self).after(" "),
      make: ChatCommand.apiUpdateGroupProfile,
      match: {
        if case .apiUpdateGroupProfile(let groupId, let groupProfile) = $0 { (groupId, groupProfile) } else { nil }
      })
    commands.command(
      "apiMembersRole", "/_member role #",
      id("groupId"), ids("groupMemberId").after(" "), role.after(" "),
      make: ChatCommand.apiMembersRole,
      match: {
        if case .apiMembersRole(let groupId, let memberIds, let memberRole) = $0 {
          (groupId, memberIds, memberRole)
        } else {
          nil
        }
      })
    commands.command(
      "apiBlockMembersForAll", "/_block #",
      id("groupId"), ids("groupMemberId").after(" "), onOff.after(" blocked="),
      make: ChatCommand.apiBlockMembersForAll,
      match: {
        if case .apiBlockMembersForAll(let groupId, let memberIds, let blocked) = $0 {
          (groupId, memberIds, blocked)
        } else {
          nil
        }
      })
    commands.command(
      "apiCreateGroupLink", "/_create link #",
      id("groupId"), role.optional(after: " ", default: .member),
      make: ChatCommand.apiCreateGroupLink,
      match: { if case .apiCreateGroupLink(let groupId, let memberRole) = $0 { (groupId, memberRole) } else { nil } })
    commands.command(
      "apiGroupLinkMemberRole", "/_set link role #",
      id("groupId"), role.after(" "),
      make: ChatCommand.apiGroupLinkMemberRole,
      match: {
        if case .apiGroupLinkMemberRole(let groupId, let memberRole) = $0 { (groupId, memberRole) } else { nil }
      })
    commands.command(
      "apiDeleteGroupLink", "/_delete link #",
      id("groupId"),
      make: ChatCommand.apiDeleteGroupLink,
      match: { if case .apiDeleteGroupLink(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiGetGroupLink", "/_get link #",
      id("groupId"),
      make: ChatCommand.apiGetGroupLink,
      match: { if case .apiGetGroupLink(let groupId) = $0 { groupId } else { nil } })
  }

  private static func declareSettingsAndMemberContacts(in commands: inout CommandDeclarations) {
    commands.command(
      "apiAddGroupShortLink", "/_short link #",
      id("groupId"),
      make: ChatCommand.apiAddGroupShortLink,
      match: { if case .apiAddGroupShortLink(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiCreateMemberContact", "/_create member contact #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiCreateMemberContact,
      match: {
        if case .apiCreateMemberContact(let groupId, let groupMemberId) = $0 { (groupId, groupMemberId) } else { nil }
      })
    commands.command(
      "apiSendMemberContactInvitation", "/_invite member contact @",
      id("contactId"), msgContent.optional(),
      make: ChatCommand.apiSendMemberContactInvitation,
      match: { if case .apiSendMemberContactInvitation(let contactId, let msg) = $0 { (contactId, msg) } else { nil } })
    commands.command(
      "apiGroupMemberInfo", "/_info #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiGroupMemberInfo,
      match: {
        if case .apiGroupMemberInfo(let groupId, let groupMemberId) = $0 { (groupId, groupMemberId) } else { nil }
      })
    commands.command(
      "apiDeleteMemberSupportChat", "/_delete member chat #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiDeleteMemberSupportChat,
      match: {
        if case .apiDeleteMemberSupportChat(let groupId, let groupMemberId) = $0 {
          (groupId, groupMemberId)
        } else {
          nil
        }
      })
    commands.command(
      "apiSetMemberSettings", "/_member settings #",
      id("groupId"), id("groupMemberId").after(" "), json(GroupMemberSettings.self).after(" "),
      make: ChatCommand.apiSetMemberSettings,
      match: {
        if case .apiSetMemberSettings(let groupId, let groupMemberId, let memberSettings) = $0 {
          (groupId, groupMemberId, memberSettings)
        } else {
          nil
        }
      })
    commands.command(
      "apiSetGroupAlias", "/_set alias #",
      id("groupId"), text("alias").omitted(after: " ", when: ""),
      make: ChatCommand.apiSetGroupAlias,
      match: { if case .apiSetGroupAlias(let groupId, let localAlias) = $0 { (groupId, localAlias) } else { nil } })
    commands.command(
      "apiGroupMemberQueueInfo", "/_queue info #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiGroupMemberQueueInfo,
      match: {
        if case .apiGroupMemberQueueInfo(let groupId, let groupMemberId) = $0 { (groupId, groupMemberId) } else { nil }
      })
    commands.command(
      "apiGetUpdatedGroupLinkData", "/_get group link data #",
      id("groupId"),
      make: ChatCommand.apiGetUpdatedGroupLinkData,
      match: { if case .apiGetUpdatedGroupLinkData(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiGroupInfo", "/_info #",
      id("groupId"),
      make: ChatCommand.apiGroupInfo,
      match: { if case .apiGroupInfo(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiListGroups", "/_groups ",
      id("userId"), id("contactId").optional(after: " @"), text("search").optional(),
      make: ChatCommand.apiListGroups,
      match: {
        if case .apiListGroups(let userId, let contactId, let search) = $0 { (userId, contactId, search) } else { nil }
      })
    commands.command(
      "apiSetGroupCustomData", "/_set custom #",
      id("groupId"), json(JSONValue.self).optional(),
      make: ChatCommand.apiSetGroupCustomData,
      match: { if case .apiSetGroupCustomData(let groupId, let customData) = $0 { (groupId, customData) } else { nil } }
    )
    commands.command(
      "apiEnableGroupMember", "/_enable #",
      id("groupId"), id("groupMemberId").after(" "),
      make: ChatCommand.apiEnableGroupMember,
      match: {
        if case .apiEnableGroupMember(let groupId, let groupMemberId) = $0 { (groupId, groupMemberId) } else { nil }
      })
  }
}
