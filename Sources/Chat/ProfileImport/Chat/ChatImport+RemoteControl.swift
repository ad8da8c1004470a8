import RemoteControlProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// Pairings of desktops and mobile devices. Rows with keys of another kind are kept as they are.
extension ChatImport {
  mutating func importRemoteControl() throws(ProfileImportError) {
    for (table, key) in [("remote_controllers", "remote_ctrl_id"), ("remote_hosts", "remote_host_id")] {
      for row in try source.rows(table, key: key, secrets: ForeignTables.chat.secrets) {
        var isTaken = false
        do throws(ProfileImportError) {
          isTaken = try table == "remote_hosts" ? importRemoteHost(row) : importRemoteController(row)
        } catch {
          guard error.isAboutValues else { throw error }
        }
        if isTaken { report.take(.pairings) } else { try keepForeignRow(row, .chat, user: nil) }
      }
    }
  }

  /// - Returns: false where another desktop has its certificate.
  private func importRemoteController(_ row: SourceRow) throws(ProfileImportError) -> Bool {
    _ = try row.publicKey("id_pub", of: Ed25519.self)
    let values: (SecretBytes, SecretBytes, SecretBytes?) = (
      try row.privateKey("ca_key", of: Ed25519.self), try row.privateKey("dh_priv_key", of: X25519.self),
      row.secrets["prev_dh_priv_key"] == nil ? nil : try row.privateKey("prev_dh_priv_key", of: X25519.self)
    )
    let (id, name, fingerprint) = (
      try row.integer("remote_ctrl_id"), try row.text("ctrl_device_name"), try row.fingerprint("ctrl_fingerprint")
    )
    let (identity, certificate) = (try row.bytes("id_pub"), try row.bytes("ca_cert"))
    return try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT OR IGNORE INTO remote_controllers (remote_ctrl_id, device_name, fingerprint, identity_key, \
        ca_certificate, ca_key, current_key, previous_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """, id, name, fingerprint.bytes, identity, certificate, values.0, values.1, values.2)
    } == 1
  }

  /// - Returns: false where another mobile device has one of its certificates.
  private func importRemoteHost(_ row: SourceRow) throws(ProfileImportError) -> Bool {
    _ = try row.publicKey("host_dh_pub", of: X25519.self)
    let (caKey, identityKey) = (
      try row.privateKey("ca_key", of: Ed25519.self), try row.privateKey("id_key", of: Ed25519.self)
    )
    let (id, name, folder) = (
      try row.integer("remote_host_id"), try row.text("host_device_name"), try row.text("store_path")
    )
    // The store path is the name of a folder that is deleted with the pairing.
    guard !folder.isEmpty, Base64URL.decode(folder) != nil else { throw row.unusable("store_path", "it is no name") }
    let (fingerprint, certificate, key) = (
      try row.fingerprint("host_fingerprint"), try row.bytes("ca_cert"), try row.bytes("host_dh_pub")
    )
    let address = try row.optionalText("bind_addr")
    let interface = try row.optionalText("bind_iface")
    let port = try row.optionalInteger("bind_port").flatMap { UInt16(exactly: $0) }.map(Int64.init)
    return try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT OR IGNORE INTO remote_hosts (remote_host_id, device_name, fingerprint, ca_fingerprint, ca_certificate, \
        ca_key, identity_key, current_key, folder, bind_address, bind_interface, port) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, id, name, fingerprint.bytes, CertificateFingerprint(ofCertificate: certificate).bytes, certificate, caKey,
        identityKey, key, folder, address, interface, port)
    } == 1
  }
}

extension SourceRow {
  /// A key in DER, as our databases have it.
  fileprivate func privateKey<Algorithm: KeyAlgorithm>(
    _ column: String, of _: Algorithm.Type
  ) throws(ProfileImportError) -> SecretBytes {
    let secret = try secret(column)
    guard (try? PrivateKey<Algorithm>(der: secret.bytes)) != nil else { throw unusable(column, "it is not a key") }
    return secret
  }

  fileprivate func publicKey<Algorithm: KeyAlgorithm>(
    _ column: String, of _: Algorithm.Type
  ) throws(ProfileImportError) -> PublicKey<Algorithm> {
    let bytes = try bytes(column)
    guard let key = try? PublicKey<Algorithm>(der: bytes.span.bytes) else { throw unusable(column, "it is not a key") }
    return key
  }

  /// The reference has fingerprints as base64url.
  fileprivate func fingerprint(_ column: String) throws(ProfileImportError) -> CertificateFingerprint {
    let bytes = try bytes(column)
    let decoded = String(validating: bytes, as: UTF8.self).flatMap { Base64URL.decode($0) }
    guard let value = CertificateFingerprint(decoded ?? bytes) ?? CertificateFingerprint(bytes) else {
      throw unusable(column, "it is not a fingerprint")
    }
    return value
  }
}
