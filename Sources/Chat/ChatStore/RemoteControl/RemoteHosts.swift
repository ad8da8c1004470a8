import ChatAPI
import RemoteControlCore
import RemoteControlProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// The stored record of a mobile device that this one controls.
public struct StoredRemoteHost: Sendable, Equatable {
  /// Database id of the mobile device.
  public let id: Int64
  /// The name of the folder of its files.
  public let folder: String
  /// The address at which the user wants this device to be found; nil for the first one.
  public var address: RCCtrlAddress?
  /// Its credentials and keys.
  public var pairing: ControllerPairing
}

extension ChatTransaction {
  private static let hostColumns =
    """
    remote_host_id, device_name, fingerprint, ca_certificate, ca_key, identity_key, current_key, pending_key, folder, \
    bind_address, bind_interface, port
    """
  /// The number of random bytes in the name of a folder.
  private static let folderNameSize = 12

  /// The mobile devices, in the order in which they were paired.
  public func remoteHosts() throws(StoreError) -> [StoredRemoteHost] {
    try all("SELECT \(Self.hostColumns) FROM remote_hosts ORDER BY remote_host_id", row: readHost)
  }

  /// The mobile device with a database id.
  /// - Throws: `remoteHostNotFound`.
  public func remoteHost(_ id: Int64) throws(StoreError) -> StoredRemoteHost {
    let stored = try first("SELECT \(Self.hostColumns) FROM remote_hosts WHERE remote_host_id = ?", id, row: readHost)
    guard let stored else { throw .remoteHostNotFound(remoteHostId: id) }
    return stored
  }

  /// The mobile device for which this one has an authority; nil where there is none.
  public func remoteHost(with authority: CertificateFingerprint) throws(StoreError) -> StoredRemoteHost? {
    try first(
      "SELECT \(Self.hostColumns) FROM remote_hosts WHERE ca_fingerprint = ?", authority.bytes, row: readHost)
  }

  /// Inserts the record of a mobile device, which had a HELLO, or replaces the one with the same authority.
  /// - Returns: its database id.
  /// - Throws: `remoteHostDuplicateCA` where another record has the authority of this mobile device.
  @discardableResult
  public func setRemoteHost(_ pairing: ControllerPairing) throws(StoreError) -> Int64 {
    guard let host = pairing.host else { throw .remoteHostUnknown }
    var random = SystemRandom()
    let folder = Base64URL.string(random.bytes(Self.folderNameSize))
    let id = try insertRemoteHost(pairing, host, folder: folder)
    guard let id else { throw .internalError(message: "no id of a mobile device") }
    return id
  }

  private func insertRemoteHost(
    _ pairing: ControllerPairing, _ host: ControllerPairing.Host, folder: String
  ) throws(StoreError) -> Int64? {
    let isTaken = try first(
      "SELECT 1 FROM remote_hosts WHERE fingerprint = ? AND ca_fingerprint <> ?", host.fingerprint.bytes,
      pairing.fingerprint.bytes
    ) { _ in true }
    if isTaken != nil { throw .remoteHostDuplicateCA }
    return try first(
      """
      INSERT INTO remote_hosts (device_name, fingerprint, ca_fingerprint, ca_certificate, ca_key, identity_key, \
      current_key, pending_key, folder, port) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
      ON CONFLICT (ca_fingerprint) DO UPDATE SET device_name = excluded.device_name, \
      fingerprint = excluded.fingerprint, ca_certificate = excluded.ca_certificate, ca_key = excluded.ca_key, \
      identity_key = excluded.identity_key, current_key = excluded.current_key, pending_key = excluded.pending_key, \
      port = excluded.port RETURNING remote_host_id
      """, host.name, host.fingerprint.bytes, pairing.fingerprint.bytes, pairing.credentials.certificate,
      pairing.credentials.key.der, pairing.identityKey.der, host.key?.der, host.pendingKey?.der, folder,
      pairing.port.map(Int64.init)
    ) { (row) throws(SQLFailure) in try row.integer(0) }
  }

  /// Stores the address at which the user wants this device to be found by a mobile device, a database id.
  public func setAddress(_ address: RCCtrlAddress?, ofRemoteHost id: Int64) throws(StoreError) {
    try execute(
      "UPDATE remote_hosts SET bind_address = ?, bind_interface = ? WHERE remote_host_id = ?", address?.address,
      address?.interface, id)
  }

  /// Deletes a mobile device, after which it has to be paired again.
  /// - Throws: `remoteHostNotFound`.
  public func deleteRemoteHost(_ id: Int64) throws(StoreError) {
    guard try execute("DELETE FROM remote_hosts WHERE remote_host_id = ?", id) > 0 else {
      throw .remoteHostNotFound(remoteHostId: id)
    }
  }
}

private func readHost(_ row: borrowing SQLiteRow) throws(SQLFailure) -> StoredRemoteHost {
  let host = ControllerPairing.Host(
    fingerprint: try row.fingerprint(2), name: try row.text(1), key: try row.optionalPublicKey(6),
    pendingKey: try row.optionalPublicKey(7))
  var address: RCCtrlAddress?
  if let bound = try row.optionalText(9), let interface = try row.optionalText(10) {
    address = RCCtrlAddress(address: bound, interface: interface)
  }
  return StoredRemoteHost(
    id: try row.integer(0), folder: try row.text(8), address: address,
    pairing: ControllerPairing(
      credentials: RemoteCredentials(certificate: try row.bytes(3), key: try row.privateKey(4)),
      identityKey: try row.privateKey(5), host: host,
      port: try row.optionalInteger(11).flatMap { UInt16(exactly: $0) }))
}
