import ChatAPI
import SQLiteKit
import SimplexJSON

/// A file as it is stored: one that is sent, received, or only kept with a note.
public struct StoredFile: Hashable, Sendable {
  /// Its database id.
  public var id: Int64
  /// Whose file it is.
  public var userId: Int64
  /// The item that shows it; nil for files outside of chats, and where the item is gone.
  public var itemId: Int64?
  /// Whether the user sends it.
  public var isSent: Bool
  /// How it is transferred.
  public var fileProtocol: FileProtocol
  /// Its name, without folders.
  public var name: String
  /// Its size in bytes.
  public var size: Int64
  /// The size of parts of it in messages, in bytes.
  public var chunkSize: Int64
  /// The path, relative to the folder of files or absolute; nil for one that is not accepted.
  public var path: String?
  /// The key and nonce where the local file is encrypted.
  public var cryptoArgs: CryptoFileArgs?
  /// The state of the transfer as items show it.
  public var status: CIFileStatus
  /// Whether the transfer was cancelled, by either side, or failed for good.
  public var isCancelled: Bool
  /// The agent's identifier of the transfer, base64url.
  public var agentId: String?
  /// Whether the agent has forgotten the transfer.
  public var isAgentDeleted: Bool
  /// How the sender offers it in messages.
  public var inlineMode: InlineFileMode?
  /// How it was accepted in messages.
  public var acceptedInline: InlineFileMode?
  /// The file that this one only leads to, a database id.
  public var redirectFor: Int64?
  /// How far receiving it came.
  public var step: FileStatus
  /// The member who sends it, a database id.
  public var memberId: Int64?
  /// Whether it is received from servers that the user does not know, too.
  public var approvesRelays: Bool
  /// The name of who sends it.
  public var senderName: String

  /// Whether nothing more is received.
  public var isReceivedOrCancelled: Bool { isCancelled || step == .complete || step == .cancelled }

  /// The place that was made for it while it is received; nil for a file outside of chats, at whose place another file
  /// of the user may be until it is complete.
  public var unfinishedPath: String? { isSent || step == .complete || itemId == nil ? nil : path }

  /// Where its content is on this device; nil where there is none.
  public var source: CryptoFile? { path.map { CryptoFile(filePath: $0, cryptoArgs: cryptoArgs) } }
}

/// The columns of ``StoredFile``, of `files f` and what ``storedFileTables`` joins.
let storedFileColumns = """
  f.file_id, f.user_id, f.item_id, f.sent, f.protocol, f.name, f.size, f.chunk_size, f.path, f.crypto_key, \
  f.crypto_nonce, f.status, f.cancelled, f.agent_id, f.agent_deleted, f.inline_mode, f.accepted_inline, \
  f.redirect_for, f.step, f.member_id, f.approves_relays, \
  coalesce(m.local_display_name, c.local_display_name, g.local_display_name, '')
  """

let storedFileTables = """
  files f LEFT JOIN items i ON i.item_id = f.item_id LEFT JOIN chats t ON t.chat_id = i.chat_id \
  LEFT JOIN members m ON m.member_id = f.member_id LEFT JOIN contacts c ON t.kind = 0 AND c.contact_id = t.entity_id \
  LEFT JOIN groups g ON t.kind = 1 AND g.group_id = t.entity_id
  """

/// Reads ``storedFileColumns``.
func readStoredFile(_ row: borrowing SQLiteRow) throws(SQLFailure) -> StoredFile {
  var at = ColumnIndex()
  return StoredFile(
    id: try row.integer(&at), userId: try row.integer(&at), itemId: try row.optionalInteger(&at),
    isSent: try row.bool(&at), fileProtocol: try row.name(&at, otherwise: .xftp), name: try row.text(&at),
    size: try row.integer(&at),
    chunkSize: try row.integer(&at), path: try row.optionalText(&at), cryptoArgs: try row.cryptoArgs(&at),
    status: try row.json(&at, otherwise: .invalid(text: "")), isCancelled: try row.bool(&at),
    agentId: try row.optionalText(&at),
    isAgentDeleted: try row.bool(&at), inlineMode: try row.optionalName(&at),
    acceptedInline: try row.optionalName(&at), redirectFor: try row.optionalInteger(&at),
    step: try row.name(&at, otherwise: .cancelled),
    memberId: try row.optionalInteger(&at), approvesRelays: try row.bool(&at),
    senderName: try row.text(&at))
}

extension SQLiteRow {
  /// Reads key and nonce.
  fileprivate func cryptoArgs(_ at: inout ColumnIndex) throws(SQLFailure) -> CryptoFileArgs? {
    let key = try optionalText(&at)
    let nonce = try optionalText(&at)
    guard let key, let nonce else { return nil }
    return CryptoFileArgs(fileKey: key, fileNonce: nonce)
  }

  /// Reads the file of an item, one of ``itemColumns``.
  func itemFile(_ at: inout ColumnIndex) throws(SQLFailure) -> CIFile? {
    let stored: ItemFile? = try optionalJSON(&at)
    return stored?.file
  }
}

/// The file of an item as the query of items returns it.
private struct ItemFile: JSONDecodable {
  let file: CIFile

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    let path: String? = try fields.get("p")
    let key: String? = try fields.get("k")
    let nonce: String? = try fields.get("o")
    var args: CryptoFileArgs?
    if let key, let nonce { args = CryptoFileArgs(fileKey: key, fileNonce: nonce) }
    let status: String = try fields.get("t")
    file = CIFile(
      fileId: try fields.get("i"), fileName: try fields.get("n"), fileSize: try fields.get("s"),
      fileSource: path.map { CryptoFile(filePath: $0, cryptoArgs: args) },
      fileStatus: (try? CIFileStatus(jsonText: status)) ?? .invalid(text: status), fileProtocol: try fields.get("r"))
  }
}
