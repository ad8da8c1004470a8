/// Public groups that relays serve, and joining groups by link (newer than the specification).
enum ChannelsCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiNewPublicGroup", "/_public group ",
      id("userId"), flag(" incognito="), ids("relayId").after(" "), json(GroupProfile.self).after(" "),
      make: ChatCommand.apiNewPublicGroup,
      match: {
        if case .apiNewPublicGroup(let userId, let incognito, let relayIds, let groupProfile) = $0 {
          (userId, incognito, relayIds, groupProfile)
        } else {
          nil
        }
      })
    commands.command(
      "apiGetGroupRelays", "/_get relays #",
      id("groupId"),
      make: ChatCommand.apiGetGroupRelays,
      match: { if case .apiGetGroupRelays(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiAddGroupRelays", "/_add relays #",
      id("groupId"), ids("relayId").after(" "),
      make: ChatCommand.apiAddGroupRelays,
      match: { if case .apiAddGroupRelays(let groupId, let relayIds) = $0 { (groupId, relayIds) } else { nil } })
    commands.command(
      "apiSetPublicGroupAccess", "/_public group access #",
      id("groupId"), json(PublicGroupAccess.self).after(" "),
      make: ChatCommand.apiSetPublicGroupAccess,
      match: { if case .apiSetPublicGroupAccess(let groupId, let access) = $0 { (groupId, access) } else { nil } })
    commands.command(
      "apiTestChatRelay", "/_relay test ",
      id("userId"), word("address").after(" "),
      make: ChatCommand.apiTestChatRelay,
      match: { if case .apiTestChatRelay(let userId, let address) = $0 { (userId, address) } else { nil } })
    commands.command(
      "apiAllowRelayGroup", "/_relay allow #",
      id("groupId"),
      make: ChatCommand.apiAllowRelayGroup,
      match: { if case .apiAllowRelayGroup(let groupId) = $0 { groupId } else { nil } })
    commands.command(
      "apiPrepareGroup", "/_prepare group ",
      id("userId"), createdLink.after(" "), flag(" direct=", default: true), word("name").optional(after: " domain="),
      json(GroupShortLinkData.self).after(" "),
      make: { userId, connLink, directLink, verifiedDomain, groupShortLinkData in
        .apiPrepareGroup(
          userId: userId, connLink: connLink, directLink: directLink, groupShortLinkData: groupShortLinkData,
          verifiedDomain: verifiedDomain)
      },
      match: {
        if case .apiPrepareGroup(let userId, let connLink, let directLink, let groupShortLinkData, let verifiedDomain) =
          $0
        {
          (userId, connLink, directLink, verifiedDomain, groupShortLinkData)
        } else {
          nil
        }
      })
    commands.command(
      "apiChangePreparedGroupUser", "/_set group user #",
      id("groupId"), id("userId").after(" "),
      make: ChatCommand.apiChangePreparedGroupUser,
      match: {
        if case .apiChangePreparedGroupUser(let groupId, let newUserId) = $0 { (groupId, newUserId) } else { nil }
      })
    commands.command(
      "apiConnectPreparedGroup", "/_connect group #",
      id("groupId"), flag(" incognito="), groupOwner.optional(), msgContent.optional(),
      make: ChatCommand.apiConnectPreparedGroup,
      match: {
        if case .apiConnectPreparedGroup(let groupId, let incognito, let ownerContact, let msg) = $0 {
          (groupId, incognito, ownerContact, msg)
        } else {
          nil
        }
      })
    commands.command(
      "apiVerifyGroupDomain", "/_verify domain #",
      id("groupId"),
      make: ChatCommand.apiVerifyGroupDomain,
      match: { if case .apiVerifyGroupDomain(let groupId) = $0 { groupId } else { nil } })
  }
}
