/// Groups and members.
enum GroupsTerminalCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareMembers(in: &commands)
    declareGroups(in: &commands)
  }

  private static func declareMembers(in commands: inout CommandDeclarations) {
    commands.terminal(
      "newGroup", "/group", or: ["/g"], incognito, namedGroup.after(" "),
      make: TerminalCommand.newGroup,
      match: { if case .newGroup(let incognito, let profile) = $0 { (incognito, profile) } else { nil } })
    commands.terminal(
      "newPublicGroup", "/public group", or: ["/pg"], incognito, ids("relayId").after(" relays="),
      namedGroup.after(" "),
      make: TerminalCommand.newPublicGroup,
      match: {
        if case .newPublicGroup(let incognito, let relayIds, let profile) = $0 {
          (incognito, relayIds, profile)
        } else {
          nil
        }
      })
    commands.terminal(
      "addMember", "/add ", or: ["/a "], groupName, contactName.after(" "), role.optional(after: " ", default: .member),
      make: TerminalCommand.addMember,
      match: { if case .addMember(let group, let contact, let role) = $0 { (group, contact, role) } else { nil } })
    commands.terminal(
      "joinGroup", "/join ", or: ["/j "], groupName, isPresent(" mute"),
      make: TerminalCommand.joinGroup,
      match: { if case .joinGroup(let group, let mute) = $0 { (group, mute) } else { nil } })
    commands.terminal(
      "acceptMember", "/accept member ", groupName, memberName.after(" "), role.optional(after: " ", default: .member),
      make: TerminalCommand.acceptMember,
      match: { if case .acceptMember(let group, let member, let role) = $0 { (group, member, role) } else { nil } })
    commands.terminal(
      "memberRole", "/member role ", or: ["/mr "], groupName, memberName.after(" "), role.after(" "),
      make: TerminalCommand.memberRole,
      match: { if case .memberRole(let group, let member, let role) = $0 { (group, member, role) } else { nil } })
    commands.terminal(
      "blockForAll", "/block for all #", name("group"), memberName.after(" "),
      make: TerminalCommand.blockForAll,
      match: { if case .blockForAll(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "unblockForAll", "/unblock for all #", name("group"), memberName.after(" "),
      make: TerminalCommand.unblockForAll,
      match: { if case .unblockForAll(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "blockMember", "/block #", name("group"), memberName.after(" "),
      make: TerminalCommand.blockMember,
      match: { if case .blockMember(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "unblockMember", "/unblock #", name("group"), memberName.after(" "),
      make: TerminalCommand.unblockMember,
      match: { if case .unblockMember(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "removeMembers", "/remove ", or: ["/rm "], groupName, memberName.list.after(" "), flag(" messages="),
      make: TerminalCommand.removeMembers,
      match: {
        if case .removeMembers(let group, let members, let withMessages) = $0 {
          (group, members, withMessages)
        } else {
          nil
        }
      })
    commands.terminal(
      "leaveGroup", "/leave ", or: ["/l "], groupName,
      make: TerminalCommand.leaveGroup,
      match: { if case .leaveGroup(let group) = $0 { group } else { nil } })
    commands.terminal(
      "deleteGroup", "/delete #", or: ["/d #"], name("group"),
      make: TerminalCommand.deleteGroup,
      match: { if case .deleteGroup(let group) = $0 { group } else { nil } })
    commands.terminal(
      "clearGroup", "/clear #", name("group"),
      make: TerminalCommand.clearGroup,
      match: { if case .clearGroup(let group) = $0 { group } else { nil } })
    commands.terminal(
      "listMembers", "/members ", or: ["/ms "], groupName,
      make: TerminalCommand.listMembers,
      match: { if case .listMembers(let group) = $0 { group } else { nil } })
    commands.terminal(
      "listMemberSupportChats", "/member support chats #", name("group"),
      make: TerminalCommand.listMemberSupportChats,
      match: { if case .listMemberSupportChats(let group) = $0 { group } else { nil } })
    commands.terminal(
      "listGroups", "/groups", or: ["/gs"], name("contact").optional(after: " @"), text("search").optional(),
      make: TerminalCommand.listGroups,
      match: { if case .listGroups(let contact, let search) = $0 { (contact, search) } else { nil } })
    commands.terminal(
      "updateGroupNames", "/group_profile ", or: ["/gp "], groupName, nameAndDescription.after(" "),
      make: TerminalCommand.updateGroupNames,
      match: { if case .updateGroupNames(let group, let profile) = $0 { (group, profile) } else { nil } })
  }

  private static func declareGroups(in commands: inout CommandDeclarations) {
    commands.terminal(
      "showGroupProfile", "/group_profile ", or: ["/gp "], groupName,
      make: TerminalCommand.showGroupProfile,
      match: { if case .showGroupProfile(let group) = $0 { group } else { nil } })
    commands.terminal(
      "updateGroupDescription", "/set welcome ", or: ["/group_descr "], groupName, message().after(" "),
      make: TerminalCommand.updateGroupDescription,
      match: { if case .updateGroupDescription(let group, let description) = $0 { (group, description) } else { nil } })
    commands.terminal(
      "deleteGroupDescription", "/delete welcome ", or: ["/group_descr "], groupName,
      make: TerminalCommand.deleteGroupDescription,
      match: { if case .deleteGroupDescription(let group) = $0 { group } else { nil } })
    commands.terminal(
      "showGroupDescription", "/show welcome ", groupName,
      make: TerminalCommand.showGroupDescription,
      match: { if case .showGroupDescription(let group) = $0 { group } else { nil } })
    commands.terminal(
      "createGroupLink", "/create link #", name("group"), role.optional(after: " ", default: .member),
      make: TerminalCommand.createGroupLink,
      match: { if case .createGroupLink(let group, let role) = $0 { (group, role) } else { nil } })
    commands.terminal(
      "groupLinkMemberRole", "/set link role #", name("group"), role.after(" "),
      make: TerminalCommand.groupLinkMemberRole,
      match: { if case .groupLinkMemberRole(let group, let role) = $0 { (group, role) } else { nil } })
    commands.terminal(
      "deleteGroupLink", "/delete link #", name("group"),
      make: TerminalCommand.deleteGroupLink,
      match: { if case .deleteGroupLink(let group) = $0 { group } else { nil } })
    commands.terminal(
      "showGroupLink", "/show link #", name("group"),
      make: TerminalCommand.showGroupLink,
      match: { if case .showGroupLink(let group) = $0 { group } else { nil } })
    commands.terminal(
      "showGroupInfo", "/info #", or: ["/i #"], name("group"),
      make: TerminalCommand.showGroupInfo,
      match: { if case .showGroupInfo(let group) = $0 { group } else { nil } })
    commands.terminal(
      "groupMemberInfo", "/info #", or: ["/i #"], name("group"), memberName.after(" "),
      make: TerminalCommand.groupMemberInfo,
      match: { if case .groupMemberInfo(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "groupMemberQueueInfo", "/queue info #", or: ["/qi #"], name("group"), memberName.after(" "),
      make: TerminalCommand.groupMemberQueueInfo,
      match: { if case .groupMemberQueueInfo(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "switchGroupMember", "/switch #", name("group"), memberName.after(" "),
      make: TerminalCommand.switchGroupMember,
      match: { if case .switchGroupMember(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "abortSwitchGroupMember", "/abort switch #", name("group"), memberName.after(" "),
      make: TerminalCommand.abortSwitchGroupMember,
      match: { if case .abortSwitchGroupMember(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "syncGroupMemberRatchet", "/sync #", name("group"), memberName.after(" "), isPresent(" force=on"),
      make: TerminalCommand.syncGroupMemberRatchet,
      match: {
        if case .syncGroupMemberRatchet(let group, let member, let force) = $0 { (group, member, force) } else { nil }
      })
    commands.terminal(
      "getGroupMemberCode", "/code #", name("group"), memberName.after(" "),
      make: TerminalCommand.getGroupMemberCode,
      match: { if case .getGroupMemberCode(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "verifyGroupMember", "/verify #", name("group"), memberName.after(" "), digits("code").optional(),
      make: TerminalCommand.verifyGroupMember,
      match: { if case .verifyGroupMember(let group, let member, let code) = $0 { (group, member, code) } else { nil } }
    )
    commands.terminal(
      "enableGroupMember", "/enable #", name("group"), memberName.after(" "),
      make: TerminalCommand.enableGroupMember,
      match: { if case .enableGroupMember(let group, let member) = $0 { (group, member) } else { nil } })
    commands.terminal(
      "sharePublicGroup", "/share chat #", name("group"), chatName.after(" "),
      make: TerminalCommand.sharePublicGroup,
      match: { if case .sharePublicGroup(let group, let chat) = $0 { (group, chat) } else { nil } })
  }
}
