/// The address of a user (specification section 2.16).
enum AddressCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    commands.command(
      "apiCreateMyAddress", "/_address ",
      id("userId"),
      make: ChatCommand.apiCreateMyAddress,
      match: { if case .apiCreateMyAddress(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiDeleteMyAddress", "/_delete_address ",
      id("userId"),
      make: ChatCommand.apiDeleteMyAddress,
      match: { if case .apiDeleteMyAddress(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiShowMyAddress", "/_show_address ",
      id("userId"),
      make: ChatCommand.apiShowMyAddress,
      match: { if case .apiShowMyAddress(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiAddMyAddressShortLink", "/_short_link_address ",
      id("userId"),
      make: ChatCommand.apiAddMyAddressShortLink,
      match: { if case .apiAddMyAddressShortLink(let userId) = $0 { userId } else { nil } })
    commands.command(
      "apiSetProfileAddress", "/_profile_address ",
      id("userId"), onOff.after(" "),
      make: ChatCommand.apiSetProfileAddress,
      match: { if case .apiSetProfileAddress(let userId, let on) = $0 { (userId, on) } else { nil } })
    commands.command(
      "apiSetAddressSettings", "/_address_settings ",
      id("userId"), json(AddressSettings.self).after(" "),
      make: ChatCommand.apiSetAddressSettings,
      match: {
        if case .apiSetAddressSettings(let userId, let addressSettings) = $0 { (userId, addressSettings) } else { nil }
      })
    commands.command(
      "apiSetUserDomain", "/_set domain ",
      id("userId"), word("name").optional(),
      make: ChatCommand.apiSetUserDomain,
      match: { if case .apiSetUserDomain(let userId, let simplexDomain) = $0 { (userId, simplexDomain) } else { nil } })
  }
}
