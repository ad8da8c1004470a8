import ChatAPI
import ChatStore
import SQLiteKit
import SimplexCrypto
import SimplexJSON

/// Calls that ring; the reference's database has no others.
extension ChatImport {
  mutating func importCalls() throws(ProfileImportError) {
    for row in try source.rows("calls", key: "call_id") {
      try writeUnlessDamaged(.damagedDetails) { (chat) throws(ProfileImportError) in try chat.importCall(row) }
    }
  }

  private mutating func importCall(_ row: SourceRow) throws(ProfileImportError) {
    let (contact, item) = (try row.integer("contact_id"), try row.integer("chat_item_id"))
    guard chats[.contact(contact)] != nil, try isTaken(item: item) else { return report.leave(.items) }
    let text = try row.text("call_state")
    let state: ReferenceCallState
    do throws(JSONError) { state = try ReferenceCallState(jsonText: text) } catch {
      throw row.unusable("call_state", "\(error)")
    }
    // The newest call with a contact is the one that rings.
    try writing { (target) throws(SQLFailure) in
      try target.execute("DELETE FROM calls WHERE contact_id = ?", contact)
    }
    let isEncrypted = state.publicKey != nil && state.shared != nil
    try insert(
      into: "calls",
      [
        "contact_id": .integer(contact), "call_id": .blob(try row.bytes("shared_call_id")),
        "call_uuid": .text(try Self.uuid(row)), "item_id": .integer(item),
        "state": .text(CallStateTag.invitationReceived.rawValue), "call_type": .text(state.callType.jsonText()),
        "call_ts": .integer(try row.time("call_ts")),
        "public_key": isEncrypted ? state.publicKey.map { .blob($0.rawBytes) } ?? .null : .null,
      ])
    if isEncrypted, let shared = state.shared {
      try writing { (target) throws(SQLFailure) in
        try target.execute("UPDATE calls SET secret_key = ? WHERE contact_id = ?", shared, contact)
      }
    }
    report.take(.calls)
  }

  /// The identifier for the system's call screen; early versions have none.
  private static func uuid(_ row: SourceRow) throws(ProfileImportError) -> String {
    guard let uuid = try row.optionalText("call_uuid"), !uuid.isEmpty else { return ContactCall.newUUID() }
    return uuid
  }
}
