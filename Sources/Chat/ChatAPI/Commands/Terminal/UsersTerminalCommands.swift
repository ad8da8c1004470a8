/// Profiles and their settings.
enum UsersTerminalCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declareProfiles(in: &commands)
    declareOwnProfile(in: &commands)
  }

  private static func declareProfiles(in commands: inout CommandDeclarations) {
    commands.terminal(
      "createUser", "/create user ", nameAndDescription,
      make: TerminalCommand.createUser,
      match: { if case .createUser(let profile) = $0 { profile } else { nil } })
    commands.terminal(
      "createChatRelayUser", "/create chat relay user ", nameAndDescription,
      make: TerminalCommand.createChatRelayUser,
      match: { if case .createChatRelayUser(let profile) = $0 { profile } else { nil } })
    commands.terminal(
      "createBot", "/create bot ", onOff.followed(by: " ").optional(after: "files="), nameAndDescription,
      make: TerminalCommand.createBot,
      match: { if case .createBot(let allowFiles, let profile) = $0 { (allowFiles, profile) } else { nil } })
    commands.terminal(
      "setActiveUser", "/user ", or: ["/u "], name("user"), typedPassword.optional(),
      make: TerminalCommand.setActiveUser,
      match: { if case .setActiveUser(let name, let viewPwd) = $0 { (name, viewPwd) } else { nil } })
    commands.terminal(
      "deleteUser", "/delete user ", name("user"), typedPassword.optional(),
      make: TerminalCommand.deleteUser,
      match: { if case .deleteUser(let name, let viewPwd) = $0 { (name, viewPwd) } else { nil } })
    commands.terminal(
      "hideUser", "/hide user ", typedPassword,
      make: TerminalCommand.hideUser,
      match: { if case .hideUser(let viewPwd) = $0 { viewPwd } else { nil } })
    commands.terminal(
      "unhideUser", "/unhide user ", typedPassword,
      make: TerminalCommand.unhideUser,
      match: { if case .unhideUser(let viewPwd) = $0 { viewPwd } else { nil } })
    commands.terminal(
      "muteUser", "/mute user",
      make: { .muteUser }, match: { if case .muteUser = $0 { () } else { nil } })
    commands.terminal(
      "unmuteUser", "/unmute user",
      make: { .unmuteUser }, match: { if case .unmuteUser = $0 { () } else { nil } })
    commands.terminal(
      "setUserContactReceipts", "/set receipts contacts ", receiptSettings,
      make: TerminalCommand.setUserContactReceipts,
      match: { if case .setUserContactReceipts(let settings) = $0 { settings } else { nil } })
    commands.terminal(
      "setUserGroupReceipts", "/set receipts groups ", receiptSettings,
      make: TerminalCommand.setUserGroupReceipts,
      match: { if case .setUserGroupReceipts(let settings) = $0 { settings } else { nil } })
    commands.terminal(
      "setUserAutoAcceptMemberContacts", "/set accept member contacts ", onOff,
      make: TerminalCommand.setUserAutoAcceptMemberContacts,
      match: { if case .setUserAutoAcceptMemberContacts(let enable) = $0 { enable } else { nil } })
    commands.terminal(
      "setClientService", "/set client service ", id("userId"), name("user").after(":"), onOff.after(" "),
      make: TerminalCommand.setClientService,
      match: { if case .setClientService(let id, let name, let enable) = $0 { (id, name, enable) } else { nil } })
  }

  private static func declareOwnProfile(in commands: inout CommandDeclarations) {
    commands.terminal(
      "userRead", "/read user",
      make: { .userRead }, match: { if case .userRead = $0 { () } else { nil } })
    commands.terminal(
      "showProfile", "/profile", or: ["/p"],
      make: { .showProfile }, match: { if case .showProfile = $0 { () } else { nil } })
    commands.terminal(
      "updateProfile", "/profile ", or: ["/p "], nameAndDescription,
      make: TerminalCommand.updateProfile,
      match: { if case .updateProfile(let profile) = $0 { profile } else { nil } })
    commands.terminal(
      "updateProfileImage", "/set profile image ", imageData,
      make: TerminalCommand.updateProfileImage,
      match: { if case .updateProfileImage(let image) = $0 { image } else { nil } })
    commands.terminal(
      "deleteProfileImage", "/delete profile image",
      make: { .deleteProfileImage }, match: { if case .deleteProfileImage = $0 { () } else { nil } })
    commands.terminal(
      "showProfileImage", "/show profile image",
      make: { .showProfileImage }, match: { if case .showProfileImage = $0 { () } else { nil } })
    commands.terminal(
      "setBotCommands", "/set bot commands ", botCommands,
      make: TerminalCommand.setBotCommands,
      match: { if case .setBotCommands(let commands) = $0 { commands } else { nil } })
    commands.terminal(
      "deleteBotCommands", "/delete bot commands",
      make: { .deleteBotCommands }, match: { if case .deleteBotCommands = $0 { () } else { nil } })
    commands.terminal(
      "createMyAddress", "/address", or: ["/ad"],
      make: { .createMyAddress }, match: { if case .createMyAddress = $0 { () } else { nil } })
    commands.terminal(
      "deleteMyAddress", "/delete_address", or: ["/da"],
      make: { .deleteMyAddress }, match: { if case .deleteMyAddress = $0 { () } else { nil } })
    commands.terminal(
      "showMyAddress", "/show_address", or: ["/sa"],
      make: { .showMyAddress }, match: { if case .showMyAddress = $0 { () } else { nil } })
    commands.terminal(
      "setProfileAddress", "/profile_address ", or: ["/pa "], onOff,
      make: TerminalCommand.setProfileAddress,
      match: { if case .setProfileAddress(let on) = $0 { on } else { nil } })
    commands.terminal(
      "setAddressSettings", "/auto_accept ", addressSettings,
      make: TerminalCommand.setAddressSettings,
      match: { if case .setAddressSettings(let settings) = $0 { settings } else { nil } })
  }
}
