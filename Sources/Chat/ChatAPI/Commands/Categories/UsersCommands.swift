/// Profiles of this device, their passwords and receipts (specification section 2.1).
enum UsersCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "showActiveUser", "/u", or: ["/user"],
      make: { .showActiveUser }, match: { if case .showActiveUser = $0 { () } else { nil } })
    commands.command(
      "createActiveUser", "/_create user ",
      json(NewUser.self),
      make: {
        .createActiveUser(
          profile: $0.profile, pastTimestamp: $0.pastTimestamp, userChatRelay: $0.userChatRelay,
          clientService: $0.clientService)
      },
      match: {
        guard case .createActiveUser(let profile, let pastTimestamp, let userChatRelay, let clientService) = $0 else {
          return nil
        }
        return NewUser(
          profile: profile, pastTimestamp: pastTimestamp, userChatRelay: userChatRelay, clientService: clientService)
      })
    commands.command(
      "listUsers", "/users",
      make: { .listUsers }, match: { if case .listUsers = $0 { () } else { nil } })
    commands.command(
      "apiSetActiveUser", "/_user ",
      id("userId"), password.optional(),
      make: ChatCommand.apiSetActiveUser,
      match: { if case .apiSetActiveUser(let userId, let viewPwd) = $0 { (userId, viewPwd) } else { nil } })
    commands.command(
      "setAllContactReceipts", "/set receipts all ",
      onOff,
      make: ChatCommand.setAllContactReceipts,
      match: { if case .setAllContactReceipts(let enable) = $0 { enable } else { nil } })
    commands.command(
      "apiSetUserContactReceipts", "/_set receipts contacts ",
      id("userId"), receiptSettings.after(" "),
      make: ChatCommand.apiSetUserContactReceipts,
      match: {
        if case .apiSetUserContactReceipts(let userId, let userMsgReceiptSettings) = $0 {
          (userId, userMsgReceiptSettings)
        } else {
          nil
        }
      })
    commands.command(
      "apiSetUserGroupReceipts", "/_set receipts groups ",
      id("userId"), receiptSettings.after(" "),
      make: ChatCommand.apiSetUserGroupReceipts,
      match: {
        if case .apiSetUserGroupReceipts(let userId, let userMsgReceiptSettings) = $0 {
          (userId, userMsgReceiptSettings)
        } else {
          nil
        }
      })
    commands.command(
      "apiSetUserAutoAcceptMemberContacts", "/_set accept member contacts ",
      id("userId"), onOff.after(" "),
      make: ChatCommand.apiSetUserAutoAcceptMemberContacts,
      match: {
        if case .apiSetUserAutoAcceptMemberContacts(let userId, let enable) = $0 { (userId, enable) } else { nil }
      })
    commands.command(
      "apiHideUser", "/_hide user ",
      id("userId"), password.after(" "),
      make: ChatCommand.apiHideUser,
      match: { if case .apiHideUser(let userId, let viewPwd) = $0 { (userId, viewPwd) } else { nil } })
    commands.command(
      "apiUnhideUser", "/_unhide user ",
      id("userId"), password.after(" "),
      make: ChatCommand.apiUnhideUser,
      match: { if case .apiUnhideUser(let userId, let viewPwd) = $0 { (userId, viewPwd) } else { nil } })
    commands.command(
      "apiMuteUser", "/_mute user ",
      id("userId"),
      make: ChatCommand.apiMuteUser,
      match: { if case .apiMuteUser(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiUnmuteUser", "/_unmute user ",
      id("userId"),
      make: ChatCommand.apiUnmuteUser,
      match: { if case .apiUnmuteUser(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiDeleteUser", "/_delete user ",
      id("userId"), onOff.after(" del_smp="), password.optional(),
      make: ChatCommand.apiDeleteUser,
      match: {
        if case .apiDeleteUser(let userId, let delSMPQueues, let viewPwd) = $0 {
          (userId, delSMPQueues, viewPwd)
        } else {
          nil
        }
      })
    commands.command(
      "apiUpdateProfile", "/_profile ",
      id("userId"), json(Profile.self).after(" "),
      make: ChatCommand.apiUpdateProfile,
      match: { if case .apiUpdateProfile(let userId, let profile) = $0 { (userId, profile) } else { nil } })
  }
}
