import SimplexTransport

/// The settings that a reload found changed.
public struct SettingsChanges: Hashable, Sendable {
  /// Those that have taken effect, such as `[AUTH] create_password` or `the TLS certificate`.
  public var applied: [String] = []
  /// Those that take effect only after a restart.
  public var needRestart: [String] = []
  /// What did not work, a sentence each; it is as it was before.
  public var problems: [String] = []

  public init() {}

  /// The changes as lines of the log.
  public var lines: [String] {
    let isSame = applied.isEmpty && needRestart.isEmpty
    let changed = isSame ? "nothing has changed" : applied.isEmpty ? "nothing" : applied.joined(separator: ", ")
    return problems + ["Reloaded: \(changed)"]
      + (needRestart.isEmpty ? [] : ["Changed, but a restart is needed: \(needRestart.joined(separator: ", "))"])
  }

  // MARK: Comparing

  /// Compares a file of settings with earlier ones.
  ///
  /// - Parameters:
  ///   - current: The file whose changeable settings are in effect.
  ///   - start: The file with which the relay was started: the other settings are as it says.
  ///   - changeable: The settings that take effect with a reload, by section.
  ///   - isKnown: Whether a setting has an effect at all.
  public mutating func note(
    _ new: ServerINI, current: ServerINI, start: ServerINI, changeable: [String: Set<String>],
    isKnown: (String, String) -> Bool
  ) {
    let removed = current.names + start.names.filter { current.text($0.section, $0.key) == nil }
    let added = new.names.filter { current.text($0.section, $0.key) == nil && start.text($0.section, $0.key) == nil }
    for (section, key) in removed + added where isKnown(section, key) {
      let isChangeable = changeable[section]?.contains(key) == true
      guard (isChangeable ? current : start).text(section, key) != new.text(section, key) else { continue }
      if isChangeable { applied.append("[\(section)] \(key)") } else { needRestart.append("[\(section)] \(key)") }
    }
  }

  /// Compares the credentials of a relay.
  ///
  /// - Parameter now: Unix seconds, for the validity of a new certificate.
  /// - Throws: Where the new ones are of another identity, or would be refused by clients: they could not connect any
  ///   more.
  public mutating func noteCertificate(
    _ old: TLSCredential, replacedBy new: TLSCredential, now: Int64
  ) throws(RelayError) {
    guard let identity = old.chain.identity?.fingerprint, identity == new.chain.identity?.fingerprint else {
      throw .configuration("the certificates are those of another server (another fingerprint); restart to change it")
    }
    guard old.chain.certificates.map(\.der) != new.chain.certificates.map(\.der) else { return }
    do { try new.chain.verify(.relay(fingerprint: identity), at: Int(now)) } catch {
      throw .configuration("clients would refuse the certificates: \(error)")
    }
    applied.append("the TLS certificate, for new connections")
  }

  /// Compares the credentials for browsers; nil where they are not served.
  public mutating func noteWebCertificate(_ old: TLSCredential?, replacedBy new: TLSCredential?) {
    guard old?.chain.certificates.map(\.der) != new?.chain.certificates.map(\.der) else { return }
    applied.append("\(new == nil ? "no certificate" : "the certificate") for browsers, for new connections")
  }
}
