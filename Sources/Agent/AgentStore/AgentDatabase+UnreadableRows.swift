import AgentCore
import SQLiteKit
import SimplexCrypto

/// A row that this version cannot read: it is damaged, or a newer version wrote it.
///
/// Readers of many rows skip and note such a row; the engine sets it aside with the next transaction, in the table
/// `unreadable_rows`, and reports it once.
public enum UnreadableRow: Equatable, Sendable {
  /// An event that waits to be confirmed, by its number.
  case event(Int64)
  /// A task, by its number.
  case task(Int64)
  /// A message that the application has not acknowledged.
  case message(Int64, connection: Int64)
  /// The key of a skipped message.
  case skippedKey(connection: Int64, headerKey: SecretBytes, number: UInt32)
  /// A file to send, or one of its chunks, by the number of the file. The file is given up.
  case sentFile(Int64)
  /// A file to receive, or one of its chunks, by the number of the file. The file is given up.
  case receivedFile(Int64)
  /// A chunk to delete at its relay, by the number of the deletion.
  case chunkDeletion(Int64)
  /// A queue to subscribe, by its number. It stays where it is: without its row its messages would be lost.
  case receiveQueue(Int64)

  /// A description of the row for reports, such as `task 7`.
  public var name: String {
    switch self {
    case .event(let id): "event \(id)"
    case .task(let id): "task \(id)"
    case .message(let id, let connection): "message \(id) of connection \(connection)"
    case .skippedKey(let connection, _, let number): "key of skipped message \(number) of connection \(connection)"
    case .sentFile(let number): "file \(number) to send"
    case .receivedFile(let number): "file \(number) to receive"
    case .chunkDeletion(let number): "deletion \(number) of a chunk"
    case .receiveQueue(let number): "queue \(number)"
    }
  }
}

extension AgentDatabase {
  /// Notes that a row cannot be read; see ``takeUnreadable()``.
  public func note(_ row: UnreadableRow, _ reason: String) {
    if !unreadable.contains(where: { $0.row == row }) { unreadable.append((row, reason)) }
  }

  /// Whether rows were noted that are to be set aside.
  public var hasUnreadable: Bool { !unreadable.isEmpty }

  /// The rows that were noted since the last call, with the reasons.
  public func takeUnreadable() -> [(row: UnreadableRow, reason: String)] {
    defer { unreadable = [] }
    return unreadable
  }

  /// Moves a row that cannot be read to `unreadable_rows`, where it stays until its connection is removed, or until
  /// ``removeUnreadable(before:)``.
  /// - Returns: whether the row is to be reported: it was moved, or is a queue that was not reported yet.
  public func setAside(_ row: UnreadableRow, reason: String, at time: Int64) throws(SQLiteError) -> Bool {
    switch row {
    case .event(let id):
      return try move(
        id,
        select: """
          SELECT 'event', c.number, e.payload, ?2, ?3 FROM events e LEFT JOIN connections c ON c.id = e.connection \
          WHERE e.id = ?1
          """, delete: "DELETE FROM events WHERE id = ?1", reason: reason, at: time)
    case .task(let id):
      let body = try database.first("SELECT body FROM tasks WHERE id = ?", id) { (row) throws(SQLiteError) in
        try row.optionalInteger(0)
      }
      let isMoved = try move(
        id, select: "SELECT 'task', connection, payload, ?2, ?3 FROM tasks WHERE id = ?1",
        delete: "DELETE FROM tasks WHERE id = ?1", reason: reason, at: time)
      if let body = body ?? nil { try removeUnusedBody(body) }
      return isMoved
    case .message(let id, let connection):
      let place = try database.first(
        "SELECT rowid FROM received_messages WHERE connection = ? AND id = ?", connection, id
      ) { (row) throws(SQLiteError) in try row.integer(0) }
      return try move(
        place ?? 0, select: "SELECT 'message', connection, body, ?2, ?3 FROM received_messages WHERE rowid = ?1",
        delete: "DELETE FROM received_messages WHERE rowid = ?1", reason: reason, at: time)
    case .skippedKey(let connection, let headerKey, let number):
      let place = try database.first(
        "SELECT place FROM skipped_keys WHERE connection = ? AND header_key = ? AND number = ?", connection, headerKey,
        Int64(number)
      ) { (row) throws(SQLiteError) in try row.integer(0) }
      return try move(
        place ?? 0, select: "SELECT 'skipped key', connection, key, ?2, ?3 FROM skipped_keys WHERE place = ?1",
        delete: "DELETE FROM skipped_keys WHERE place = ?1", reason: reason, at: time)
    case .sentFile(let number):
      guard try idOfFile(number, in: "sent_files", status: SentFile.Status.sent.rawValue) != nil else { return false }
      try finish(sentFile: number, .failed)
      return true
    case .receivedFile(let number):
      guard try idOfFile(number, in: "received_files", status: ReceivedFile.Status.received.rawValue) != nil else {
        return false
      }
      try finish(receivedFile: number, .failed)
      return true
    case .chunkDeletion(let number):
      return try move(
        number, select: "SELECT 'deletion', NULL, key, ?2, ?3 FROM chunk_deletions WHERE number = ?1",
        delete: "DELETE FROM chunk_deletions WHERE number = ?1", reason: reason, at: time)
    case .receiveQueue(let number): return reportedQueues.insert(number).inserted
    }
  }

  /// The identifier of a file whose row cannot be read; nil where there is none.
  public func id(ofUnreadable row: UnreadableRow) throws(SQLiteError) -> AgentFileID? {
    switch row {
    case .sentFile(let number): try idOfFile(number, in: "sent_files", status: .max)
    case .receivedFile(let number): try idOfFile(number, in: "received_files", status: .max)
    default: nil
    }
  }

  private func idOfFile(_ number: Int64, in table: String, status: Int64) throws(SQLiteError) -> AgentFileID? {
    try database.first("SELECT id FROM \(table) WHERE number = ? AND status < ?", number, status) {
      (row) throws(SQLiteError) in AgentFileID(try row.bytes(0))
    }
  }

  private func move(
    _ row: Int64, select: String, delete: String, reason: String, at time: Int64
  ) throws(SQLiteError) -> Bool {
    try database.execute(
      "INSERT INTO unreadable_rows (kind, connection, content, reason, found_at) " + select, row, reason, time)
    return try database.execute(delete, row) == 1
  }

  /// Removes rows that were set aside before this time.
  public func removeUnreadable(before time: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM unreadable_rows WHERE found_at < ?", time)
  }
}
