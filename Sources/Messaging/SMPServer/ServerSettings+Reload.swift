import RelayChassis
import SMPProtocol
import SimplexTransport

/// The settings that a reload found changed.
public struct SettingsChanges: Hashable, Sendable {
  /// Those that have taken effect, such as `[AUTH] create_password` or `the TLS certificate`.
  public var applied: [String] = []
  /// Those that take effect only after a restart.
  public var needRestart: [String] = []
  /// What did not work, a sentence each; it is as it was before.
  public var problems: [String] = []

  /// The changes as lines of the log.
  public var lines: [String] {
    let isSame = applied.isEmpty && needRestart.isEmpty
    let changed = isSame ? "nothing has changed" : applied.isEmpty ? "nothing" : applied.joined(separator: ", ")
    return problems + ["Reloaded: \(changed)"]
      + (needRestart.isEmpty ? [] : ["Changed, but a restart is needed: \(needRestart.joined(separator: ", "))"])
  }
}

extension ServerSettings {
  /// The settings that can change while the relay runs.
  private static let changeable: [String: Set<String>] = [
    "STORE_LOG": ["expire_messages_days", "expire_messages_on_send", "expire_ntfs_hours"],
    "AUTH": [
      "new_queues", "create_password", "control_port_admin_password", "control_port_user_password",
      "daily_block_queue_quota",
    ],
    "TRANSPORT": ["host", "accept_service_credentials"],
    "INACTIVE_CLIENTS": ["disconnect", "ttl", "check_interval"],
    "INFORMATION": Set(ServerInformation.names),
    "WEB": ["static_path", "cert", "key"],
  ]

  /// These settings with the values from `new` of those that can change while the relay runs, and the changes.
  ///
  /// - Parameter now: Unix seconds, for the validity of new certificates.
  /// - Throws: Where `new` has certificates of another identity, or new ones that clients would refuse: they could not
  ///   connect any more.
  func reloaded(
    from new: ServerSettings, now: Int64 = currentSeconds()
  ) throws(SMPServerError) -> (settings: ServerSettings, changes: SettingsChanges) {
    let (oldChain, newChain) = (server.credential.chain, new.server.credential.chain)
    guard let identity = oldChain.identity?.fingerprint, identity == newChain.identity?.fingerprint else {
      throw .configuration("the certificates are those of another server (another fingerprint); restart to change it")
    }
    var settings = self
    var changes = SettingsChanges()
    if oldChain.certificates.map(\.der) != newChain.certificates.map(\.der) {
      do { try newChain.verify(.relay(fingerprint: identity), at: Int(now)) } catch {
        throw .configuration("clients would refuse the certificates: \(error)")
      }
      changes.applied.append("the TLS certificate, for new connections")
    }
    for (section, key) in Self.names(ini, new.ini) {
      let name = "[\(section)] \(key)"
      if Self.changeable[section]?.contains(key) == true {
        if ini.text(section, key) != new.ini.text(section, key) { changes.applied.append(name) }
      } else if startINI.text(section, key) != new.ini.text(section, key) {
        changes.needRestart.append(name)
      }
    }
    settings.ini = new.ini
    settings.ignored = new.ignored
    settings.common.hosts = new.hosts
    settings.common.createPassword = new.createPassword
    settings.common.adminPassword = new.adminPassword
    settings.common.userPassword = new.userPassword
    settings.common.inactivity = new.common.inactivity
    settings.dailyBlockQuota = new.dailyBlockQuota
    settings.common.information = new.information
    settings.webFolder = new.webFolder
    settings.server.credential = new.server.credential
    settings.server.acceptsServices = new.server.acceptsServices
    settings.server.allowsNewQueues = new.server.allowsNewQueues
    settings.server.basicAuth = new.server.basicAuth
    settings.server.messageTTL = new.server.messageTTL
    settings.server.expiresMessagesOnSend = new.server.expiresMessagesOnSend
    settings.server.notificationTTL = new.server.notificationTTL
    settings.server.inactivity = new.server.inactivity
    settings.reloadWeb(new.webCertificate, &changes)
    return (settings, changes)
  }

  /// Takes over the certificate and the information for browsers, on the port with which the relay was started. Where
  /// the certificate cannot be used, browsers are shown the old one.
  private mutating func reloadWeb(
    _ certificate: Result<TLSCredential, WebSettings.Problem>, _ changes: inout SettingsChanges
  ) {
    guard let webPort else { return }
    switch certificate {
    case .success(let credential):
      let old = server.web?.credential.chain.certificates.map(\.der)
      if old != credential.chain.certificates.map(\.der) {
        changes.applied.append("the certificate for browsers, for new connections")
      }
      server.web = .init(port: webPort, credential: credential, site: site)
    case .failure(let problem):
      let effect = server.web == nil ? "https has no effect" : "https goes on with the old certificate"
      changes.problems.append("[WEB] \(effect): \(problem.text)")
      let site = site
      server.web?.site = site
    }
  }

  /// The known settings in either file, in the order of the files.
  private static func names(_ old: ServerINI, _ new: ServerINI) -> [(section: String, key: String)] {
    let added = new.names.filter { old.text($0.section, $0.key) == nil }
    return (old.names + added).filter { isKnown($0.section, $0.key) }
  }
}
