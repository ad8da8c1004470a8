import ChatAPI
import ChatLogic
import ChatStore
import SQLiteKit
import SimplexCrypto
import SimplexJSON

/// Calls; see `ChatImport+Calls`.
extension ChatExport {
  private struct ExportedCall {
    let contact: Int64
    let user: Int64
    let item: Int64
    let content: String
    let id: [UInt8]
    let uuid: String
    let time: Int64
    let state: String
    let type: String
    let publicKey: [UInt8]?
    let secret: SecretBytes?
    let connectedAt: Int64?
  }

  /// Exports calls that ring; ends others, which the reference does not store.
  mutating func exportCalls() throws(ProfileImportError) {
    let calls = try reading { (source) throws(SQLFailure) in
      try source.all(
        """
        SELECT k.contact_id, c.user_id, k.item_id, i.content, k.call_id, k.call_uuid, k.call_ts, k.state, k.call_type, \
        k.public_key, k.secret_key, k.connected_at FROM calls k JOIN contacts c ON c.contact_id = k.contact_id \
        JOIN items i ON i.item_id = k.item_id WHERE k.item_id IN \(Self.takenItems) ORDER BY k.call_ts
        """
      ) { (row) throws(SQLFailure) in
        ExportedCall(
          contact: try row.integer(0), user: try row.integer(1), item: try row.integer(2), content: try row.text(3),
          id: try row.bytes(4), uuid: try row.text(5), time: try row.integer(6), state: try row.text(7),
          type: try row.text(8), publicKey: try row.optionalBytes(9), secret: try row.optionalSecret(10),
          connectedAt: try row.optionalInteger(11))
      }
    }
    for call in calls {
      if call.state == CallStateTag.invitationReceived.rawValue, let type = try? CallType(jsonText: call.type) {
        try export(call, type)
        report.take(.calls)
      } else {
        try end(call)
      }
    }
  }

  private func export(_ call: ExportedCall, _ type: CallType) throws(ProfileImportError) {
    let key = call.publicKey.flatMap { bytes in try? X25519.PublicKey(rawBytes: bytes.span.bytes) }
    let state = ReferenceCallState(callType: type, publicKey: key, shared: key == nil ? nil : call.secret)
    let time = ReferenceTime.text(microseconds: min(max(call.time, ReferenceTime.first), ReferenceTime.last)) ?? now
    try target.insert(
      into: "calls",
      [
        "contact_id": .integer(call.contact), "shared_call_id": .blob(call.id), "call_uuid": .text(call.uuid),
        "chat_item_id": .integer(call.item), "call_state": .text(state.jsonText(sums: .bare)), "call_ts": .text(time),
        "user_id": .integer(call.user), "created_at": .text(now), "updated_at": .text(now),
      ])
  }

  /// Writes the final status and duration into the item of a call that is not exported.
  private func end(_ call: ExportedCall) throws(ProfileImportError) {
    guard let content = try? CIContent(jsonText: call.content), let old = content.callStatus,
      let status = old.after(.disconnected)
    else { return }
    var duration = 0
    if old == .progress, let start = call.connectedAt, let end = SourceTime.microseconds(now) {
      duration = Int(clamping: max(0, end - start) / 1_000_000)
    }
    let ended = content.withCallStatus(status, duration: duration)
    try writing { (target) throws(SQLFailure) in
      _ = try target.execute(
        "UPDATE chat_items SET item_content = ?, item_text = ? WHERE chat_item_id = ?",
        ended.jsonText(sums: .bare), ended.itemText, call.item)
    }
  }
}
