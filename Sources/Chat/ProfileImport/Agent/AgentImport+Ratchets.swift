import AgentCore
import AgentStore
import DoubleRatchet
import SQLiteKit
import SimplexCrypto
import SimplexJSON
import WireCodec

extension AgentImport {
  /// The ratchet of a connection with its counters, or the keys for one to come.
  /// - Parameters:
  ///   - connection: the row of the connection, which counts messages.
  ///   - confirmation: the row of a peer's confirmation, which may have a ratchet of its own.
  ///   - keepsKeys: whether the keys of a ratchet that is negotiated are taken besides the present ratchet.
  mutating func importRatchet(
    _ connection: SourceRow, _ confirmation: SourceRow?, number: Int64, keepsKeys: Bool
  ) throws(ProfileImportError) {
    let id = SQLiteValue.blob(try connection.bytes("conn_id"))
    let rows = try source.rows(
      "ratchets", where: "conn_id = ?", [id], key: "conn_id",
      secrets: ["ratchet_state", "x3dh_priv_key_1", "x3dh_priv_key_2", "pq_priv_kem"])
    guard let row = rows.first else { return }
    guard let current = row.secrets["ratchet_state"] != nil ? row : confirmation else {
      return try importKeys(row, number: number)
    }
    if keepsKeys { try importKeys(row, number: number) }
    var ratchet = StoredRatchet(try self.ratchet(current))
    ratchet.lastID = try connection.counter("last_internal_msg_id")
    ratchet.lastSent = try connection.counter("last_internal_snd_msg_id")
    ratchet.lastSentHash = try connection.bytes("last_snd_msg_hash")
    ratchet.lastReceived = try connection.counter("last_external_snd_msg_id")
    ratchet.lastReceivedHash = try connection.bytes("last_rcv_msg_hash")
    ratchet.receivedCount = try connection.counter("last_internal_rcv_msg_id")
    let skippedKeys = try source.rows(
      "skipped_messages", where: "conn_id = ?", [id], key: "skipped_message_id", secrets: ["header_key", "msg_key"])
    var skipped: [SkippedKeys.Chain] = []
    for key in skippedKeys {
      try writeUnlessDamaged(.damagedDetails) { (agent) throws(ProfileImportError) in
        skipped.append(try agent.skipped(key))
        agent.report.take(.skippedKeys)
      }
    }
    let added = SkippedKeys.Change.added(skipped)
    ratchet.skippedCount += try writing { (target) throws(SQLFailure) in try target.apply(added, of: number) }
    ratchet.lastKey = try importSentMessages(of: try connection.bytes("conn_id"), number: number)
    let stored = ratchet
    try writing { (target) throws(SQLFailure) in try target.setRatchet(stored, of: number) }
    for row in try source.rows(
      "processed_ratchet_key_hashes", where: "conn_id = ?", [id], key: "processed_ratchet_key_hash_id")
    {
      let hash = try row.bytes("hash")
      _ = try writing { (target) throws(SQLFailure) in try target.noteRatchetKeyHash(hash, of: number) }
    }
  }

  private func ratchet(_ row: SourceRow) throws(ProfileImportError) -> Ratchet {
    var json = try row.secret("ratchet_state").withUnsafeBytes { [UInt8]($0) }
    defer { json.withUnsafeMutableBytes { wipe($0) } }
    do throws(JSONError) {
      return try ReferenceRatchet(jsonBytes: json).ratchet
    } catch {
      throw row.unusable("ratchet_state", "\(error)")
    }
  }

  private func skipped(_ row: SourceRow) throws(ProfileImportError) -> SkippedKeys.Chain {
    let secret = try row.secret("msg_key")
    guard let number = UInt32(exactly: try row.integer("msg_n")) else {
      throw row.unusable("msg_n", "it is not the number of a message")
    }
    guard let key = try? MessageKey(reference: secret.bytes) else { throw row.unusable("msg_key", "it is not a key") }
    let headerKey = try row.secret("header_key")
    guard headerKey.count == 32 else { throw row.unusable("header_key", "it is not a key") }
    return SkippedKeys.Chain(headerKey: headerKey, keys: [number: key])
  }

  /// The keys of an invitation, or of a ratchet that is negotiated.
  private func importKeys(_ row: SourceRow, number: Int64) throws(ProfileImportError) {
    guard let key1 = row.secrets["x3dh_priv_key_1"] else { return }
    let key2 = try row.secret("x3dh_priv_key_2")
    let kem = row.secrets["pq_priv_kem"]
    let keys: E2EPrivateKeys
    do throws(WireError) {
      keys = try E2EPrivateKeys(reference: key1, key2, kem: kem)
    } catch {
      throw row.unusable("x3dh_priv_key_1", "\(error)")
    }
    let parameters = keys.parameters(version: keys.kem == nil ? E2EVersion.keyDerivation : E2EVersion.postQuantum)
    try writing { (target) throws(SQLFailure) in
      try target.setRatchetKeys(keys, parameters: parameters, of: number)
    }
  }

  /// The hashes of the last messages, by which those that are delivered again are known.
  func importHashes(of id: [UInt8], number: Int64) throws(ProfileImportError) {
    let rows = try source.rows(
      "encrypted_rcv_message_hashes", where: "conn_id = ?", [.blob(id)],
      order: "encrypted_rcv_message_hash_id DESC LIMIT \(AgentDatabase.hashCount)", key: "encrypted_rcv_message_hash_id"
    )
    let last = try writing { (target) throws(SQLFailure) in try target.ratchet(of: number)?.receivedCount ?? 0 }
    for (age, row) in rows.enumerated() {
      let hash = try row.bytes("hash")
      // Below 0 for a connection whose counter is behind; the place is only a number.
      let place = last &- Int64(age) &+ AgentDatabase.hashCount &* 2
      guard place >= 0 else { continue }
      try writing { (target) throws(SQLFailure) in try target.noteReceived(hash: hash, count: place, of: number) }
    }
  }
}
