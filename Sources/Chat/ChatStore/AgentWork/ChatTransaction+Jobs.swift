import ChatAPI
import SQLiteKit

/// Work of many turns: each of them does a part of it, and stores how far it came.
public struct ChatJob: Hashable, Sendable {
  /// What is to be done.
  public enum Kind: Int, Sendable {
    /// Telling contacts of the user's new profile; the payload is the old one, the cursor the last contact.
    case profile = 1
    /// Introducing the members of a group to a new one, the subject. The payload is "history" where the history of the
    /// group follows. How far it came stands in the relations of the members.
    case introductions = 2
    /// Sending the messages that waited for a member, the subject.
    case pending = 3
    /// Deleting the connections of a group, the subject, that the user is not in any more. The payload is "wait" where
    /// messages are delivered before.
    case connections = 4
    /// Deleting the members of a group that is deleted, the subject, and the records of its messages; the payload as
    /// for `connections`.
    case group = 5
    /// Sending the descriptions of an uploaded file, the subject, to its recipients.
    case descriptions = 6
    /// Deleting what a deleted user had, the subject; the payload is the agent's number of the user.
    case user = 7
    /// Removing copies of files that were made for messages and that no message got; the payload is a JSON list of
    /// their places.
    case copies = 8
    /// Deleting the messages of a member, the subject, who was removed with them; the cursor is the item before which
    /// the rest comes, the payload a ``MemberMessagesDeletion`` and, after a space, the member who is shown as the one
    /// who deleted them.
    case messages = 9
    /// Introducing the members under review of a group, the subject, to moderators who do not know them yet; the cursor
    /// is the position in the group of the last one.
    case reviews = 10
  }

  /// Its database id.
  public var id: Int64
  /// Whose job it is.
  public var userId: Int64
  /// What is to be done; nil for a job of another version.
  public var kind: Kind?
  /// The member, group, file or user that it is about, a database id; nil for none.
  public var subject: Int64?
  /// What the last turn ended with; 0 at first.
  public var cursor: Int64
  /// What it is about.
  public var payload: String
}

private let jobQuery = "SELECT job_id, user_id, kind, subject_id, cursor, payload FROM jobs"

private func readJob(_ row: borrowing SQLiteRow) throws(SQLFailure) -> ChatJob {
  var at = ColumnIndex()
  return ChatJob(
    id: try row.integer(&at), userId: try row.integer(&at), kind: ChatJob.Kind(rawValue: try row.int(&at)),
    subject: try row.optionalInteger(&at), cursor: try row.integer(&at), payload: try row.text(&at))
}

extension ChatTransaction {
  /// Stores a job about nothing in particular, and returns its number.
  public func addJob(_ kind: ChatJob.Kind, _ payload: String, of user: User) throws(StoreError) -> Int64 {
    try insert(
      "INSERT INTO jobs (user_id, kind, payload, created_at) VALUES (?, ?, ?, ?)", user.userId, kind.rawValue, payload,
      nowMicroseconds)
  }

  /// Stores a job about a member, group, file or user. Where there is one of this kind, it stays, with the new payload
  /// unless that is empty.
  public func addJob(
    _ kind: ChatJob.Kind, about subject: Int64, _ payload: String = "", of user: User
  ) throws(StoreError) {
    try execute(
      """
      INSERT INTO jobs (user_id, kind, subject_id, payload, created_at) VALUES (?, ?, ?, ?, ?) \
      ON CONFLICT (kind, subject_id) WHERE subject_id IS NOT NULL DO UPDATE SET payload = excluded.payload \
      WHERE excluded.payload <> ''
      """, user.userId, kind.rawValue, subject, payload, nowMicroseconds)
  }

  /// The jobs about nothing in particular that are not finished, in order.
  public func jobs() throws(StoreError) -> [ChatJob] {
    try all(jobQuery + " WHERE subject_id IS NULL ORDER BY job_id", row: readJob)
  }

  /// The job about a member, group, file or user that comes after the one with this number; after the last one comes
  /// the first. Nil where there is none.
  /// - Parameter skipped: the numbers of jobs that are left out.
  public func jobAboutSubject(after id: Int64, without skipped: [Int64] = []) throws(StoreError) -> ChatJob? {
    let query =
      jobQuery + """
         WHERE subject_id IS NOT NULL AND job_id > ? AND job_id NOT IN (SELECT value FROM json_each(?)) \
        ORDER BY job_id LIMIT 1
        """
    if let next = try first(query, id, skipped.column, row: readJob) { return next }
    return try first(query, Int64(0), skipped.column, row: readJob)
  }

  /// The job of a kind about a member, group, file or user; nil where there is none.
  public func job(_ kind: ChatJob.Kind, about subject: Int64) throws(StoreError) -> ChatJob? {
    try first(jobQuery + " WHERE kind = ? AND subject_id = ?", kind.rawValue, subject, row: readJob)
  }

  /// A job about a user who is being deleted; nil where there is none.
  public func jobOfDeletedUser() throws(StoreError) -> ChatJob? {
    try first(
      jobQuery + " WHERE kind = ? AND subject_id IS NOT NULL ORDER BY job_id LIMIT 1", ChatJob.Kind.user.rawValue,
      row: readJob)
  }

  /// The jobs that send something to members of a group: reviews first, then introductions, then what waited.
  public func jobsTellingMembers(ofGroup id: Int64) throws(StoreError) -> [(kind: ChatJob.Kind, subject: Int64)] {
    let told = "(SELECT member_id FROM members WHERE group_id = ?)"
    var jobs: [(kind: ChatJob.Kind, subject: Int64)] = []
    for (kind, subjects) in [(ChatJob.Kind.reviews, "(?)"), (.introductions, told), (.pending, told)] {
      jobs += try integers(
        "SELECT subject_id FROM jobs WHERE kind = ? AND subject_id IN \(subjects) ORDER BY job_id", kind.rawValue, id
      ).map { (kind, $0) }
    }
    return jobs
  }

  /// Removes the jobs that send something to members of a group: reviews, introductions, and what waited.
  func deleteMemberJobs(ofGroup id: Int64) throws(StoreError) {
    try execute(
      """
      DELETE FROM jobs WHERE kind IN (?2, ?3) \
      AND subject_id IN (SELECT member_id FROM members WHERE group_id = ?1)
      """, id, ChatJob.Kind.introductions.rawValue, ChatJob.Kind.pending.rawValue)
    try execute("DELETE FROM jobs WHERE kind = ? AND subject_id = ?", ChatJob.Kind.reviews.rawValue, id)
  }

  /// Whether there is a job of a kind about a member, group, file or user.
  public func hasJob(_ kind: ChatJob.Kind, about subject: Int64) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM jobs WHERE kind = ? AND subject_id = ?", kind.rawValue, subject) != nil
  }

  /// Stores how far the job of a kind about a member, group, file or user came.
  public func setCursor(_ cursor: Int64, of kind: ChatJob.Kind, about subject: Int64) throws(StoreError) {
    try execute("UPDATE jobs SET cursor = ?3 WHERE kind = ?1 AND subject_id = ?2", kind.rawValue, subject, cursor)
  }

  /// Stores how far a job came.
  public func setCursor(_ cursor: Int64, ofJob id: Int64) throws(StoreError) {
    try execute("UPDATE jobs SET cursor = ?2 WHERE job_id = ?1", id, cursor)
  }

  /// A job is finished.
  public func removeJob(_ id: Int64) throws(StoreError) { try execute("DELETE FROM jobs WHERE job_id = ?", id) }
}
