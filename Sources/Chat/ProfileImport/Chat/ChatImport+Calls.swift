import ChatAPI
import ChatLogic
import ChatStore
import SQLiteKit
import SimplexCrypto
import SimplexJSON

/// Calls that ring; the reference's database has no others.
extension ChatImport {
  mutating func importCalls() throws(ProfileImportError) {
    var ringing: [Int64: Int64] = [:]
    for row in try source.rows("calls", key: "call_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in
        guard let item = try chat.importCall(row) else { return }
        ringing[try row.integer("contact_id")] = item
      }
    }
    for item in ringing.values { openCalls[item] = nil }
    for (item, content) in openCalls { try end(item, content) }
  }

  /// Shows a call as over that does not ring any more.
  private func end(_ item: Int64, _ content: CIContent) throws(ProfileImportError) {
    guard let status = content.callStatus?.after(.disconnected) else { return }
    let ended = content.withCallStatus(status, duration: 0)
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        "UPDATE items SET content = ?, text = ? WHERE item_id = ?", ended.jsonText(), ended.itemText, item)
    }
  }

  /// The item of the call; nil where it is left.
  private mutating func importCall(_ row: SourceRow) throws(ProfileImportError) -> Int64? {
    let (contact, item) = (try row.integer("contact_id"), try row.integer("chat_item_id"))
    guard chats[.contact(contact)] != nil, try isTaken(item: item) else {
      report.leave(.items)
      return nil
    }
    let text = try row.text("call_state")
    let state: ReferenceCallState
    do throws(JSONError) { state = try ReferenceCallState(jsonText: text) } catch {
      throw row.unusable("call_state", "\(error)")
    }
    let (id, uuid, time) = (try row.bytes("shared_call_id"), try Self.uuid(row), try row.time("call_ts"))
    let isEncrypted = state.publicKey != nil && state.shared != nil
    try writing { (target) throws(SQLFailure) in
      // The newest call with a contact is the one that rings.
      try target.execute(
        """
        INSERT OR REPLACE INTO calls (contact_id, call_id, call_uuid, item_id, state, call_type, call_ts, public_key, \
        secret_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, contact, id, uuid, item, CallStateTag.invitationReceived.rawValue, state.callType.jsonText(), time,
        isEncrypted ? state.publicKey?.rawBytes : nil, isEncrypted ? state.shared : nil)
    }
    report.take(.calls)
    return item
  }

  /// The identifier for the system's call screen; early versions have none.
  private static func uuid(_ row: SourceRow) throws(ProfileImportError) -> String {
    guard let uuid = try row.optionalText("call_uuid"), !uuid.isEmpty else { return ContactCall.newUUID() }
    return uuid
  }
}
