import RelayChassis
import SMPProtocol
import SimplexTransport

extension FileServerSettings {
  /// The settings that can change while the relay runs, for new connections.
  private static let changeable: [String: Set<String>] = [
    "AUTH": ["new_files", "create_password"],
    "TRANSPORT": ["host"],
    "INFORMATION": Set(ServerInformation.names),
    "WEB": ["static_path", "cert", "key"],
  ]

  /// The settings that are read, but never have an effect.
  private static let withoutEffect: [String: Set<String>] = ["STORE_LOG": ["enable"], "WEB": ["http", "https"]]

  private static func hasEffect(_ section: String, _ key: String) -> Bool {
    names.isKnown(section, key) && withoutEffect[section]?.contains(key) != true
  }

  /// These settings with the values from `new` of those that can change while the relay runs, and the changes.
  ///
  /// - Parameter now: Unix seconds, for the validity of new certificates.
  /// - Throws: Where `new` has certificates of another identity, or new ones that clients would refuse: they could not
  ///   connect any more.
  func reloaded(
    from new: FileServerSettings, now: Int64 = currentSeconds()
  ) throws(RelayError) -> (settings: FileServerSettings, changes: SettingsChanges) {
    var settings = self
    var changes = SettingsChanges()
    try changes.noteCertificate(server.credential, replacedBy: new.server.credential, now: now)
    changes.note(new.ini, current: ini, start: startINI, changeable: Self.changeable, isKnown: Self.hasEffect)
    changes.noteWebCertificate(server.webCredential, replacedBy: new.server.webCredential)
    settings.ini = new.ini
    settings.warnings = new.warnings
    settings.common.hosts = new.hosts
    settings.common.createPassword = new.createPassword
    settings.common.information = new.information
    settings.webFolder = new.webFolder
    settings.server.credential = new.server.credential
    settings.server.webCredential = new.server.webCredential
    settings.server.staticFolder = new.server.staticFolder
    settings.server.allowsNewFiles = new.server.allowsNewFiles
    settings.server.basicAuth = new.server.basicAuth
    settings.server.site = new.server.webCredential == nil ? nil : settings.site
    return (settings, changes)
  }
}
