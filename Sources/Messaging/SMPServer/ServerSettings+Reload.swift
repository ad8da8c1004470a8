import RelayChassis
import SMPProtocol
import SimplexTransport

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
    var settings = self
    var changes = SettingsChanges()
    try changes.noteCertificate(server.credential, replacedBy: new.server.credential, now: now)
    changes.note(
      new.ini, current: ini, start: startINI, changeable: Self.changeable, isKnown: Self.isKnown)
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
      changes.noteWebCertificate(server.web?.credential, replacedBy: credential)
      server.web = .init(port: webPort, credential: credential, site: site)
    case .failure(let problem):
      let effect = server.web == nil ? "https has no effect" : "https goes on with the old certificate"
      changes.problems.append("[WEB] \(effect): \(problem.text)")
      let site = site
      server.web?.site = site
    }
  }
}
