import ChatAPI
import SQLiteKit

/// Work of many turns: each of them does a part of it, and stores how far it came.
public struct ChatJob: Hashable, Sendable {
  /// What is to be done.
  public enum Kind: Int, Sendable {
    /// Telling contacts of the user's new profile; the payload is the old one, the cursor the last contact.
    case profile = 1
  }

  /// Its database id.
  public var id: Int64
  /// Whose job it is.
  public var userId: Int64
  /// What is to be done; nil for a job of another version.
  public var kind: Kind?
  /// What the last turn ended with; 0 at first.
  public var cursor: Int64
  /// What it is about.
  public var payload: String
}

extension ChatTransaction {
  /// Stores a job, and returns its number.
  public func addJob(_ kind: ChatJob.Kind, _ payload: String, of user: User) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO jobs (user_id, kind, payload, created_at) VALUES (?, ?, ?, ?)", user.userId, kind.rawValue, payload,
      nowMicroseconds)
  }

  /// The jobs that are not finished, in order.
  public func jobs() throws(StoreError) -> [ChatJob] {
    try all("SELECT job_id, user_id, kind, cursor, payload FROM jobs ORDER BY job_id") { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return ChatJob(
        id: try row.integer(&at), userId: try row.integer(&at), kind: ChatJob.Kind(rawValue: try row.int(&at)),
        cursor: try row.integer(&at), payload: try row.text(&at))
    }
  }

  /// Stores how far a job came.
  public func setCursor(_ cursor: Int64, ofJob id: Int64) throws(StoreError) {
    try execute("UPDATE jobs SET cursor = ?2 WHERE job_id = ?1", id, cursor)
  }

  /// A job is finished.
  public func removeJob(_ id: Int64) throws(StoreError) { try execute("DELETE FROM jobs WHERE job_id = ?", id) }
}
