import AgentCore
import AgentStore
import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import WireCodec

extension AgentExport {
  /// The ratchet of a connection, with the keys of skipped messages.
  mutating func exportRatchet(
    _ ratchet: StoredRatchet, of connection: StoredConnection
  ) throws(ProfileImportError) {
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        "INSERT INTO ratchets (conn_id, ratchet_state) VALUES (?, ?)", connection.id.bytes,
        ratchet.ratchet.referenceJSON())
    }
    if connection.ratchetSync.prohibitsSending { try exportKeys(of: connection) }
    let number = connection.number
    let keys = try reading(number) { (source) throws(SQLFailure) in
      try source.database.all(
        "SELECT header_key, number, key FROM skipped_keys WHERE connection = ? ORDER BY place", number
      ) { (row) throws(SQLFailure) in
        (header: try row.secret(0), number: try row.integer(1), key: MessageKey(secret: try row.secret(2)))
      }
    }
    for key in keys {
      guard let form = try? key.key?.referenceForm() else { throw unusable(number, "a key of a message") }
      try writing { (target) throws(SQLFailure) in
        try target.execute(
          "INSERT INTO skipped_messages (conn_id, header_key, msg_n, msg_key) VALUES (?, ?, ?, ?)",
          connection.id.bytes, key.header, key.number, form)
      }
      report.take(.skippedKeys)
    }
  }

  /// The keys of an invitation, or of a ratchet that is negotiated.
  func exportKeys(of connection: StoredConnection) throws(ProfileImportError) {
    let number = connection.number
    let stored = try reading(number) { (source) throws(SQLFailure) in try source.ratchetKeys(of: number) }
    guard let form = stored?.referenceForm else { return }
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT INTO ratchets (conn_id, x3dh_priv_key_1, x3dh_priv_key_2, pq_priv_kem) VALUES (?, ?, ?, ?) \
        ON CONFLICT (conn_id) DO UPDATE SET x3dh_priv_key_1 = excluded.x3dh_priv_key_1, \
        x3dh_priv_key_2 = excluded.x3dh_priv_key_2, pq_priv_kem = excluded.pq_priv_kem
        """, connection.id.bytes, form.key1, form.key2, form.kem)
    }
  }

  /// The hashes by which messages, and keys of new ratchets, are known that are delivered again.
  /// - Parameter count: how many messages were received; the last one has the place of this number.
  func exportHashes(of connection: StoredConnection, count: Int64) throws(ProfileImportError) {
    let number = connection.number
    let slots = try reading(number) { (source) throws(SQLFailure) in
      try source.database.all("SELECT slot, hash FROM received_hashes WHERE connection = ?", number) {
        (row) throws(SQLFailure) in (slot: try row.integer(0), hash: try row.bytes(1))
      }
    }
    let size = AgentDatabase.hashCount
    func age(_ slot: Int64) -> Int64 { ((count &- slot) % size + size) % size }
    for (_, hash) in slots.sorted(by: { age($0.slot) > age($1.slot) }) {
      try target.insert(
        into: "encrypted_rcv_message_hashes",
        [
          "conn_id": .blob(connection.id.bytes), "hash": .blob(hash), "created_at": .text(now),
          "updated_at": .text(now),
        ])
    }
    let hashes = try reading(number) { (source) throws(SQLFailure) in
      try source.database.all("SELECT hash FROM ratchet_key_hashes WHERE connection = ? ORDER BY hash", number) {
        (row) throws(SQLFailure) in try row.bytes(0)
      }
    }
    for hash in hashes {
      try target.insert(
        into: "processed_ratchet_key_hashes",
        [
          "conn_id": .blob(connection.id.bytes), "hash": .blob(hash), "created_at": .text(now),
          "updated_at": .text(now),
        ])
    }
  }
}
