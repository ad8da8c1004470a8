import AgentCore
import ChatAPI
import ChatLogic
import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexAgent
import SimplexCrypto
import SimplexTransport
import WireCodec

// How the network configuration of the API changes what the agent does.

extension NetCfg {
  /// The proxy; nil without one.
  /// - Throws: a command error where it is not understood.
  func proxy() throws(ChatError) -> SOCKSProxyAddress? {
    guard let text = socksProxy else { return nil }
    guard let proxy = SOCKSProxyAddress(text) else { throw .command("invalid SOCKS proxy: \(text)") }
    return proxy
  }

  /// Changes how the agent behaves. `stamp` is another one for each change, so that the proxy does not connect what was
  /// before with what comes after.
  func apply(to options: inout Agent.Options, stamp: UInt64) throws(ChatError) {
    let proxy = try proxy()
    // A proxy for onion hosts alone hides nothing from other relays.
    let isHidden = proxy != nil && socksMode != .onion
    options.configuration.isAddressHidden = isHidden
    options.configuration.isolation = sessionMode == .entity ? .perConnection : .perUser
    options.configuration.proxyMode =
      switch smpProxyMode {
      case .always: .always
      case .unknown: .unknown
      case .unprotected: .unprotected
      case .never: .never
      }
    options.configuration.proxyFallback =
      switch smpProxyFallback {
      case .allow: true
      case .allowProtected: isHidden
      case .prohibit: false
      }
    apply(proxy, to: &options.network)
    options.fileTimePerKB = Self.time(tcpTimeoutPerKb) ?? options.fileTimePerKB
    options.proxyCredentials = nil
    if let proxy, proxy.authentication == .perSession {
      let mode = sessionMode
      options.proxyCredentials = { session in mode.credentials(of: session, stamp: stamp) }
    }
  }

  /// Whether a relay with these hosts does not learn the address of this device.
  func hidesAddress(from hosts: [TransportHost]) -> Bool {
    var options = Agent.Options()
    // What is not understood was refused before.
    try? apply(to: &options, stamp: 0)
    return options.network.hidesAddress(from: hosts)
  }

  private func apply(_ proxy: SOCKSProxyAddress?, to network: inout SMPClientConfiguration) {
    network.socksProxy = proxy.map { proxy in
      var credentials: SOCKS5Credentials?
      if case .password(let username, let password) = proxy.authentication {
        credentials = SOCKS5Credentials(username: username, password: password)
      }
      return SOCKS5Proxy(host: proxy.host, port: Int(proxy.port), credentials: credentials)
    }
    network.socksMode = socksMode == .onion ? .onion : .always
    let preference: HostPolicy.Preference =
      switch hostMode {
      case .onionViaSocks: .onionThroughProxy
      case .onionHost: .onion
      case .publicHost: .publicHosts
      }
    network.hosts = HostPolicy(preference: preference, isRequired: requiredHostMode)
    network.webPort =
      switch smpWebPortServers {
      case .all: .always
      case .preset: .domains(Self.presetDomains)
      case .off: .never
      }
    // Whoever waits for a command and whoever does not share the connections, so the longer times are used.
    network.connectTimeout = Self.time(tcpConnectTimeout.backgroundTimeout) ?? network.connectTimeout
    network.requestTimeout = Self.time(tcpTimeout.backgroundTimeout) ?? network.requestTimeout
    network.pingInterval = Self.time(smpPingInterval) ?? network.pingInterval
    network.pingCount = max(0, smpPingCount)
    network.keepAlive = tcpKeepAlive.map { options in
      // What systems take.
      func seconds(_ value: Int) -> Int32 { Int32(max(1, min(value, 32_767))) }
      return KeepAlive(
        idle: seconds(options.keepIdle), interval: seconds(options.keepIntvl),
        count: Int32(max(1, min(options.keepCnt, 127))))
    }
  }

  /// Where the preset relays are.
  private static let presetDomains = [".simplex.im", ".simplexonflux.com"]

  /// A time in microseconds, at most a day; nil for what cannot be one.
  private static func time(_ microseconds: Int) -> Duration? {
    microseconds > 0 ? .microseconds(min(microseconds, 86_400_000_000)) : nil
  }
}

extension TransportSessionMode {
  /// What a session shows to a proxy that keeps sessions with different names apart.
  fileprivate func credentials(of session: SessionKey, stamp: UInt64) -> SOCKS5Credentials {
    var text = String(session.user.rawValue)
    if self != .user { text += ":\(stamp)" }
    if self == .server || self == .entity { text += "@\(session.server)" }
    if self == .entity, let entity = session.entity { text += "/" + Base64URL.string(entity.bytes) }
    let name = HashFunction.sha256.digest(of: Array(text.utf8).span.bytes)
    // A password of its own is not needed, but some proxies insist on one (RFC 1929: at least one byte).
    return SOCKS5Credentials(username: Base64URL.string(name), password: "-")
  }
}

extension ChatController {
  /// Uses another network configuration from now on.
  func setNetwork(_ config: NetCfg) async throws(ChatError) { try await changeNetwork { _ in config } }

  /// Changes the network configuration.
  func changeNetwork(_ change: (NetCfg) -> NetCfg) async throws(ChatError) {
    // Concurrent changes are applied in order: the last one wins, even if it equals the configuration before them.
    try await locked(.network) { () throws(ChatError) in
      let config = change(session.networkConfig)
      guard config != session.networkConfig else { return }
      var random = SystemRandom()
      let stamp = random.next()
      // Found out before anything changes.
      var tried = Agent.Options()
      try config.apply(to: &tried, stamp: stamp)
      try await withAgent { (agent) throws(AgentError) in
        try await agent.reconfigure { try? config.apply(to: &$0, stamp: stamp) }
      }
      session.networkConfig = config
    }
  }
}
