import SQLiteKit
import WireCodec

/// Pairings of desktops and mobile devices; see `ChatImport+RemoteControl`.
extension ChatExport {
  /// Pairings that are complete. The reference has no place for a pending key, which is the current one if the other
  /// side has it.
  mutating func exportRemoteControl() throws(ProfileImportError) {
    var count = 0
    try exportRows(
      """
      SELECT remote_ctrl_id, device_name, fingerprint, identity_key, ca_certificate, ca_key, \
      coalesce(pending_key, current_key), CASE WHEN pending_key IS NULL THEN previous_key ELSE current_key END \
      FROM remote_controllers WHERE current_key IS NOT NULL ORDER BY remote_ctrl_id
      """
    ) { (row, target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT INTO remote_controllers (remote_ctrl_id, ctrl_device_name, ctrl_fingerprint, id_pub, ca_cert, ca_key, \
        dh_priv_key, prev_dh_priv_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """, try row.integer(0), try row.text(1), Self.text(try row.bytes(2)), try row.bytes(3), try row.bytes(4),
        try row.secret(5), try row.secret(6), try row.optionalSecret(7))
      count += 1
    }
    try exportRows(
      """
      SELECT remote_host_id, device_name, fingerprint, ca_certificate, ca_key, identity_key, \
      coalesce(pending_key, current_key), folder, bind_address, bind_interface, port FROM remote_hosts \
      WHERE coalesce(pending_key, current_key) IS NOT NULL ORDER BY remote_host_id
      """
    ) { (row, target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT INTO remote_hosts (remote_host_id, host_device_name, host_fingerprint, ca_cert, ca_key, id_key, \
        host_dh_pub, store_path, bind_addr, bind_iface, bind_port) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, try row.integer(0), try row.text(1), Self.text(try row.bytes(2)), try row.bytes(3), try row.secret(4),
        try row.secret(5), try row.bytes(6), try row.text(7), try row.optionalText(8), try row.optionalText(9),
        try row.optionalInteger(10))
      count += 1
    }
    report.take(.pairings, count)
  }

  private func exportRows(
    _ query: String, _ body: (borrowing SQLiteRow, SQLiteConnection) throws(SQLFailure) -> Void
  ) throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in
      try source.forEach(query) { (row) throws(SQLFailure) in try body(row, target) }
    }
  }

  /// A fingerprint as the reference has it: the bytes of its base64url.
  private static func text(_ fingerprint: [UInt8]) -> [UInt8] { Array(Base64URL.string(fingerprint).utf8) }
}
