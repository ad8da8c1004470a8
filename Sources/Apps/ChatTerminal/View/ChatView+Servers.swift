import ChatAPI

extension ChatView {
  // MARK: Servers

  func serverTest(_ server: String, _ failure: ProtocolTestFailure?) -> [StyledText] {
    let kind = (try? ServerAddress(parsing: server))?.serverProtocol.rawValue.uppercased() ?? "SMP"
    guard let failure else { return [StyledText("\(kind) server test passed")] }
    let step = failure.testStep.rawValue
    let name = step.prefix(1).uppercased() + step.dropFirst()
    var lines: [StyledText] = ["\(kind) server test failed at \(name), error: \(text(failure.testError))"]
    switch (failure.testStep, failure.testError) {
    case (.createQueue, .SMP(_, .AUTH)):
      lines.append("\(kind) server requires authorization to create queues, check password")
    case (.createFile, .XFTP(_, .AUTH)):
      lines.append("\(kind) server requires authorization to upload files, check password")
    case (.connect, .BROKER(_, .NETWORK(.unknownCAError))):
      lines.append("Certificate fingerprint in \(kind) server address does not match server certificate")
    default: break
    }
    return lines
  }

  func servers(_ group: UserOperatorServers) -> [StyledText] {
    guard !(group.smpServers.isEmpty && group.xftpServers.isEmpty && group.chatRelays.isEmpty) else { return [] }
    let state = group.operator.map { " (\($0.enabled ? "enabled" : "disabled"))" } ?? ""
    let title = group.operator.map { "\($0.operatorId). \($0.tradeName)\(state)" } ?? "Your servers"
    guard group.operator?.enabled ?? true else { return [StyledText(title)] }
    return [StyledText(title)]
      + list("SMP", of: group.smpServers, roles: group.operator.map { roles($0.smpRoles) })
      + list("XFTP", of: group.xftpServers, roles: group.operator.map { roles($0.xftpRoles) })
  }

  private func list(_ kind: String, of servers: [UserServer], roles: String?) -> [StyledText] {
    guard !servers.isEmpty else { return [] }
    let lines = servers.map { server in
      var notes: [String] = []
      if server.preset { notes.append("preset") }
      if let tested = server.tested { notes.append("test: \(tested ? "passed" : "failed")") }
      if !server.enabled { notes.append("disabled") }
      let note = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
      return StyledText("    \(server.server)\(note)")
    }
    return [StyledText("  \(kind) servers\(roles.map { " " + $0 } ?? "")")] + lines
  }

  private func roles(_ roles: ServerRoles) -> String {
    switch (roles.storage, roles.proxy) {
    case (true, true): "enabled"
    case (true, false): "enabled storage"
    case (false, true): "enabled proxy"
    case (false, false): "disabled (servers known)"
    }
  }

  var serversHelp: [StyledText] {
    [
      "", "use \(.highlight("/smp test <srv>")) to test SMP server connection",
      "use \(.highlight("/smp <srv1[,srv2,...]>")) to configure SMP servers",
      "or the same commands starting from /xftp for XFTP servers",
    ]
  }

  func serverOperator(_ server: ServerOperator) -> StyledText {
    let tag = server.operatorTag.map { " (\($0.rawValue))" } ?? ""
    let legal = server.legalName.map { " (\($0))" } ?? ""
    let conditions =
      switch server.conditionsAcceptance {
      case .accepted(let time, _): "accepted" + (time.map { " (\(LocalTime($0).full))" } ?? "")
      case .required(let time): "required" + (time.map { " (\(LocalTime($0).full))" } ?? "")
      }
    let state =
      server.enabled
      ? server.smpRoles == server.xftpRoles
        ? roles(server.smpRoles) : "SMP \(roles(server.smpRoles)), XFTP \(roles(server.xftpRoles))"
      : "disabled"
    let domains = server.serverDomains.joined(separator: ", ")
    return StyledText(
      "\(server.operatorId)\(tag). \(server.tradeName)\(legal), domains: \(domains), servers: \(state), conditions: \(conditions)"
    )
  }

  /// What is to be done about conditions that are not accepted.
  func review(_ action: UsageConditionsAction?) -> [StyledText] {
    guard case .review(let operators, let deadline, true)? = action else { return [] }
    let names = operators.map { $0.legalName ?? $0.tradeName }.joined(separator: ", ")
    guard let deadline else { return [StyledText("The new conditions have to be accepted for \(names)")] }
    return [StyledText("The new conditions will be accepted for \(names) at \(LocalTime(deadline).full)")]
  }

  func text(_ conditions: UsageConditions) -> String {
    "\(conditions.conditionsId)\(conditions.notifiedAt == nil ? "" : " (notified)"). \(conditions.conditionsCommit)"
  }

  // MARK: Settings

  func chatItemTTL(_ ttl: Int64?) -> StyledText {
    guard let ttl else { return "old messages are set to delete according to default user config" }
    let period: String
    switch ttl {
    case 0: return "old messages are not being deleted"
    case 86_400: period = "one day"
    case 7 * 86_400: period = "one week"
    case 30 * 86_400: period = "one month"
    case 365 * 86_400: period = "one year"
    default: period = "\(ttl) second(s)"
    }
    return StyledText("old messages are set to be deleted after: \(period)")
  }

  /// How `/network` changes settings.
  static let networkUsage =
    "/network socks=<on/off/[ipv4]:port>[ socks-mode=always/onion][ smp-proxy=always/unknown/unprotected/never][ smp-proxy-fallback=no/protected/yes][ timeout=<seconds>]"

  func network(_ config: NetCfg) -> [StyledText] {
    [
      proxy(config) ?? "direct network connection", timeout(config.tcpTimeout), StyledText(routing(config)),
      "use \(.highlight(Self.networkUsage)) to change settings",
    ]
  }

  /// Which proxy is used; nil for none.
  func proxy(_ config: NetCfg) -> StyledText? {
    config.socksProxy.map { proxy in
      StyledText(
        "using SOCKS5 proxy \(proxy)" + (config.socksMode == .onion ? " for onion servers ONLY." : " for ALL servers."))
    }
  }

  private func timeout(_ time: NetworkTimeout) -> StyledText {
    "TCP timeout: \(seconds(time.interactiveTimeout)), in the background \(seconds(time.backgroundTimeout))"
  }

  private func seconds(_ microseconds: some BinaryInteger) -> String {
    let tenths = Int(clamping: microseconds) / 100_000
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  /// Which relays see the user's IP address, for a person.
  func routingInWords(_ config: NetCfg) -> StyledText {
    let hidden: String
    switch config.smpProxyMode {
    case .never: return "relays of your contacts see your IP address - `/network` or `--smp-proxy` hide it"
    case .always: hidden = "your IP address is hidden from all relays but the one that forwards your messages"
    case .unknown: hidden = "your IP address is hidden from relays that are not yours"
    case .unprotected:
      hidden = "your IP address is hidden from relays that are not yours, unless a SOCKS proxy hides it"
    }
    switch config.smpProxyFallback {
    case .allow: return StyledText(hidden + ", except where forwarding fails")
    case .allowProtected, .prohibit: return StyledText(hidden)
    }
  }

  /// How messages reach relays that the user did not choose.
  func routing(_ config: NetCfg) -> String {
    guard config.smpProxyMode != .never else { return "private message routing disabled." }
    let fallback =
      switch config.smpProxyFallback {
      case .allow: "yes"
      case .allowProtected: "protected"
      case .prohibit: "no"
      }
    return "private message routing mode: \(config.smpProxyMode.rawValue), fallback: \(fallback)"
  }
}
