/// Preferences, servers and settings.
enum SettingsTerminalCommands: CommandCategory {
  static func declare(in commands: inout CommandDeclarations) {
    declarePreferences(in: &commands)
    declareServers(in: &commands)
  }

  private static func declarePreferences(in commands: inout CommandDeclarations) {
    for (word, feature) in chatFeatures {
      commands.terminal(
        "setUserFeature", "/set \(word) ", oneOf("allowed", FeatureAllowed.allCases),
        make: { .setUserFeature(feature: feature, allowed: $0) },
        match: { if case .setUserFeature(feature, let allowed) = $0 { allowed } else { nil } })
    }
    for (word, feature) in chatFeatures {
      commands.terminal(
        "setContactFeature", "/set \(word) @", name("contact"), oneOf("allowed", FeatureAllowed.allCases).optional(),
        make: { .setContactFeature(feature: feature, contact: $0, allowed: $1) },
        match: {
          if case .setContactFeature(feature, let contact, let allowed) = $0 { (contact, allowed) } else { nil }
        })
    }
    for (word, feature) in groupFeatures {
      commands.terminal(
        "setGroupFeature", "/set \(word) #", name("group"), oneOf("enabled", GroupFeatureEnabled.allCases).after(" "),
        role.optional(),
        make: { .setGroupFeature(feature: feature, group: $0, enabled: $1, role: $2) },
        match: { command in
          guard case .setGroupFeature(feature, let group, let enabled, let role) = command else { return nil }
          return (group, enabled, role)
        })
    }
    commands.terminal(
      "setUserTimedMessages", "/set disappear ", yesNo,
      make: TerminalCommand.setUserTimedMessages,
      match: { if case .setUserTimedMessages(let enable) = $0 { enable } else { nil } })
    commands.terminal(
      "setContactTimedMessages", "/set disappear @", name("contact"), timedMessages.optional(),
      make: TerminalCommand.setContactTimedMessages,
      match: { if case .setContactTimedMessages(let contact, let setting) = $0 { (contact, setting) } else { nil } })
    commands.terminal(
      "setGroupTimedMessages", "/set disappear #", name("group"), groupTimedMessages.after(" "),
      make: TerminalCommand.setGroupTimedMessages,
      match: { if case .setGroupTimedMessages(let group, let seconds) = $0 { (group, seconds) } else { nil } })
    commands.terminal(
      "setGroupMemberAdmissionReview", "/set admission review #", name("group"), memberCriteria.after(" "),
      make: TerminalCommand.setGroupMemberAdmissionReview,
      match: { if case .setGroupMemberAdmissionReview(let group, let criteria) = $0 { (group, criteria) } else { nil } }
    )
    commands.terminal(
      "setChatItemTTL", "/ttl ", period,
      make: TerminalCommand.setChatItemTTL,
      match: { if case .setChatItemTTL(let period) = $0 { period } else { nil } })
    commands.terminal(
      "getChatItemTTL", "/ttl",
      make: { .getChatItemTTL }, match: { if case .getChatItemTTL = $0 { () } else { nil } })
  }

  private static func declareServers(in commands: inout CommandDeclarations) {
    commands.terminal(
      "setChatTTL", "/ttl ", chatName, period.orDefault.after(" "),
      make: TerminalCommand.setChatTTL,
      match: { if case .setChatTTL(let chat, let period) = $0 { (chat, period) } else { nil } })
    commands.terminal(
      "getChatTTL", "/ttl ", chatName,
      make: TerminalCommand.getChatTTL,
      match: { if case .getChatTTL(let chat) = $0 { chat } else { nil } })
    commands.terminal(
      "setNetworkConfig", "/network ", or: ["/net "], remotely: .refused, networkOptions,
      make: TerminalCommand.setNetworkConfig,
      match: { if case .setNetworkConfig(let config) = $0 { config } else { nil } })
    for serverProtocol in [ServerProtocol.smp, .xftp] {
      commands.terminal(
        "getUserProtoServers", "/\(serverProtocol.rawValue)",
        make: { .getUserProtoServers(serverProtocol: serverProtocol) },
        match: { if case .getUserProtoServers(serverProtocol) = $0 { () } else { nil } })
      commands.terminal(
        "setUserProtoServers", "/\(serverProtocol.rawValue) ", servers(of: serverProtocol),
        make: { .setUserProtoServers(serverProtocol: serverProtocol, servers: $0) },
        match: { if case .setUserProtoServers(serverProtocol, let servers) = $0 { servers } else { nil } })
    }
    for serverProtocol in ServerProtocol.allCases {
      commands.terminal(
        "testProtoServer", "/\(serverProtocol.rawValue) test ", serverAddress(of: serverProtocol),
        make: TerminalCommand.testProtoServer,
        match: { command in
          guard case .testProtoServer(let server) = command, server.hasPrefix("\(serverProtocol.rawValue)://") else {
            return nil
          }
          return server
        })
    }
    commands.terminal(
      "getUserChatRelays", "/relays",
      make: { .getUserChatRelays }, match: { if case .getUserChatRelays = $0 { () } else { nil } })
    commands.terminal(
      "setUserChatRelays", "/relays ", chatRelay.list(separator: " "),
      make: TerminalCommand.setUserChatRelays,
      match: { if case .setUserChatRelays(let relays) = $0 { relays } else { nil } })
    commands.terminal(
      "testChatRelay", "/relay test ", word("address"),
      make: TerminalCommand.testChatRelay,
      match: { if case .testChatRelay(let address) = $0 { address } else { nil } })
    commands.terminal(
      "setServerOperators", "/operators ", operatorRoles.list,
      make: TerminalCommand.setServerOperators,
      match: { if case .setServerOperators(let operators) = $0 { operators } else { nil } })
  }

  private static let chatFeatures: [(String, ChatFeature)] = [
    ("voice", .voice), ("files", .files), ("calls", .calls), ("delete", .fullDelete),
  ]

  private static let groupFeatures: [(String, GroupFeature)] = [
    ("voice", .voice), ("files", .files), ("delete", .fullDelete), ("direct", .directMessages),
    ("links", .simplexLinks),
    ("history", .history), ("reactions", .reactions), ("reports", .reports), ("support", .support),
  ]
}
