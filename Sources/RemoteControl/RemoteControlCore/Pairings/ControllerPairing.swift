import RemoteControlProtocol
import SimplexCrypto

/// The controller's record of a host, identified by the fingerprint of the controller's authority for it.
public struct ControllerPairing: Sendable, Equatable {
  /// A host that completed a HELLO.
  public struct Host: Sendable, Equatable {
    /// The host's certificate authority for this controller, which never changes.
    public let fingerprint: CertificateFingerprint
    /// The host's name for users.
    public var name: String
    /// The host's key of the last session of which it is known that it stored the key; nil before the first.
    public internal(set) var key: X25519.PublicKey?
    /// The host's key of the last HELLO, until the host has answered a request: it may have been killed before it
    /// stored the key as the current one.
    public internal(set) var pendingKey: X25519.PublicKey?

    /// A stored host.
    public init(
      fingerprint: CertificateFingerprint, name: String, key: X25519.PublicKey?, pendingKey: X25519.PublicKey?
    ) {
      self.fingerprint = fingerprint
      self.name = name
      self.key = key
      self.pendingKey = pendingKey
    }

    /// The keys to announce for, at most two: the host has one of them.
    public var announcementKeys: [X25519.PublicKey] { [key, pendingKey].compactMap { $0 } }
  }

  /// The controller's certificate authority for this host.
  public let credentials: RemoteCredentials
  /// The key that signs in all sessions with this host.
  public let identityKey: Ed25519.PrivateKey
  /// The host; nil until the first HELLO.
  public internal(set) var host: Host?
  /// The port that the user chose for the host, which the next session uses again; nil for any.
  public var port: UInt16?

  /// A stored record, or that of a new host.
  public init(credentials: RemoteCredentials, identityKey: Ed25519.PrivateKey, host: Host?, port: UInt16?) {
    self.credentials = credentials
    self.identityKey = identityKey
    self.host = host
    self.port = port
  }

  /// The identifier of the record.
  public var fingerprint: CertificateFingerprint { credentials.fingerprint }

  /// Takes the key and the name of a HELLO. The record has to be stored before the answer is sent.
  mutating func accept(_ key: X25519.PublicKey, fingerprint: CertificateFingerprint, name: String) {
    var accepted = host ?? Host(fingerprint: fingerprint, name: name, key: nil, pendingKey: nil)
    accepted.name = name
    accepted.pendingKey = key == accepted.key ? nil : key
    host = accepted
  }

  /// Makes the pending key the only one: the host has answered a request. Returns whether that changed the record.
  mutating func confirmKey() -> Bool {
    guard let pending = host?.pendingKey else { return false }
    host?.key = pending
    host?.pendingKey = nil
    return true
  }
}
