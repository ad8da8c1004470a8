import ChatAPI
import RemoteControlCore
import RemoteControlProtocol
import SQLiteKit
import SimplexCrypto

/// The stored record of a desktop that controls this device.
public struct StoredRemoteController: Sendable, Equatable {
  /// Database id of the desktop.
  public let id: Int64
  /// Its credentials and keys.
  public var pairing: HostPairing
}

extension ChatTransaction {
  private static let controllerColumns =
    """
    remote_ctrl_id, device_name, fingerprint, identity_key, ca_certificate, ca_key, current_key, previous_key, \
    pending_key
    """
  /// The maximum number of pairings that are not complete; the oldest ones are deleted.
  static let incompleteControllersLimit = 16

  /// The desktops with which a session was complete, in the order in which they were paired.
  public func remoteControllers() throws(StoreError) -> [StoredRemoteController] {
    try allRemoteControllers().filter(\.pairing.isComplete)
  }

  /// All desktops, also those with which no session was complete yet: each may announce itself.
  public func allRemoteControllers() throws(StoreError) -> [StoredRemoteController] {
    try all(
      "SELECT \(Self.controllerColumns) FROM remote_controllers ORDER BY remote_ctrl_id", row: readController)
  }

  /// The desktop with a database id.
  /// - Throws: `remoteCtrlNotFound` where there is none, and for a pairing that is not complete.
  public func remoteController(_ id: Int64) throws(StoreError) -> StoredRemoteController {
    let stored = try first(
      "SELECT \(Self.controllerColumns) FROM remote_controllers WHERE remote_ctrl_id = ?", id, row: readController)
    guard let stored, stored.pairing.isComplete else { throw .remoteCtrlNotFound(remoteCtrlId: id) }
    return stored
  }

  /// The desktop with an authority, whether its pairing is complete or not; nil where there is none.
  public func remoteController(
    with fingerprint: CertificateFingerprint
  ) throws(StoreError) -> StoredRemoteController? {
    try first(
      "SELECT \(Self.controllerColumns) FROM remote_controllers WHERE fingerprint = ?", fingerprint.bytes,
      row: readController)
  }

  /// Inserts the record of a desktop, or replaces the one with the same authority.
  /// - Returns: its database id.
  @discardableResult
  public func setRemoteController(_ pairing: HostPairing) throws(StoreError) -> Int64 {
    let id: Int64? = try first(
      """
      INSERT INTO remote_controllers (device_name, fingerprint, identity_key, ca_certificate, ca_key, current_key, \
      previous_key, pending_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE SET \
      device_name = excluded.device_name, identity_key = excluded.identity_key, \
      ca_certificate = excluded.ca_certificate, ca_key = excluded.ca_key, current_key = excluded.current_key, \
      previous_key = excluded.previous_key, pending_key = excluded.pending_key RETURNING remote_ctrl_id
      """, pairing.controllerName, pairing.controller.bytes, pairing.identityKey.der, pairing.credentials.certificate,
      pairing.credentials.key.der, pairing.currentKey?.der, pairing.previousKey?.der, pairing.pendingKey?.der
    ) { (row) throws(SQLFailure) in try row.integer(0) }
    try execute(
      """
      DELETE FROM remote_controllers WHERE current_key IS NULL AND remote_ctrl_id NOT IN (SELECT remote_ctrl_id \
      FROM remote_controllers WHERE current_key IS NULL ORDER BY remote_ctrl_id DESC LIMIT ?)
      """, Int64(Self.incompleteControllersLimit))
    guard let id else { throw .internalError(message: "no id of a desktop") }
    return id
  }

  /// Deletes a desktop, after which it has to be paired again.
  /// - Throws: `remoteCtrlNotFound`.
  public func deleteRemoteController(_ id: Int64) throws(StoreError) {
    guard try execute("DELETE FROM remote_controllers WHERE remote_ctrl_id = ?", id) > 0 else {
      throw .remoteCtrlNotFound(remoteCtrlId: id)
    }
  }
}

private func readController(_ row: borrowing SQLiteRow) throws(SQLFailure) -> StoredRemoteController {
  StoredRemoteController(
    id: try row.integer(0),
    pairing: HostPairing(
      credentials: RemoteCredentials(certificate: try row.bytes(4), key: try row.privateKey(5)),
      controller: try row.fingerprint(2), identityKey: try row.publicKey(3), controllerName: try row.text(1),
      currentKey: try row.optionalPrivateKey(6), previousKey: try row.optionalPrivateKey(7),
      pendingKey: try row.optionalPrivateKey(8)))
}

// Keys in DER, and fingerprints.
extension SQLiteRow {
  func fingerprint(_ column: Int) throws(SQLFailure) -> CertificateFingerprint {
    guard let value = CertificateFingerprint(try bytes(column)) else {
      throw SQLFailure(.unexpectedColumn(column), "column \(column) holds no fingerprint")
    }
    return value
  }

  func publicKey<Algorithm: KeyAlgorithm>(_ column: Int) throws(SQLFailure) -> PublicKey<Algorithm> {
    guard let key: PublicKey<Algorithm> = try optionalPublicKey(column) else { throw Self.noKey(column) }
    return key
  }

  func optionalPublicKey<Algorithm: KeyAlgorithm>(_ column: Int) throws(SQLFailure) -> PublicKey<Algorithm>? {
    guard let bytes = try optionalBytes(column) else { return nil }
    do throws(CryptoError) { return try PublicKey(der: bytes.span.bytes) } catch { throw Self.noKey(column) }
  }

  func privateKey<Algorithm: KeyAlgorithm>(_ column: Int) throws(SQLFailure) -> PrivateKey<Algorithm> {
    guard let key: PrivateKey<Algorithm> = try optionalPrivateKey(column) else { throw Self.noKey(column) }
    return key
  }

  func optionalPrivateKey<Algorithm: KeyAlgorithm>(_ column: Int) throws(SQLFailure) -> PrivateKey<Algorithm>? {
    guard let secret = try optionalSecret(column) else { return nil }
    do throws(CryptoError) { return try PrivateKey(der: secret.bytes) } catch { throw Self.noKey(column) }
  }

  private static func noKey(_ column: Int) -> SQLFailure {
    SQLFailure(.unexpectedColumn(column), "column \(column) holds no key")
  }
}
