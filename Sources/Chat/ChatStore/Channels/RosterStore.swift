import ChatAPI
import FoundationTypes
import SQLiteKit

/// The versions of a channel's list of members with rights; nil for none.
public struct RosterVersions: Hashable, Sendable {
  /// The highest version that a signed event named: events with a lower one are outdated.
  public var seen: Int64?
  /// The version up to which every change is applied.
  public var applied: Int64?
  /// The version of the list that is stored, to be served to others.
  public var stored: Int64?

  /// Versions.
  public init(seen: Int64? = nil, applied: Int64? = nil, stored: Int64? = nil) {
    self.seen = seen
    self.applied = applied
    self.stored = stored
  }
}

/// A list as it is served to others.
public struct ServedRoster: Hashable, Sendable {
  /// Its version.
  public var version: Int64
  /// The signed event that announces it, as it was received.
  public var header: [UInt8]
  /// When the owner sent the event.
  public var headerTime: Date
  /// The list.
  public var body: [UInt8]

  /// A list of a version.
  public init(version: Int64, header: [UInt8], headerTime: Date, body: [UInt8]) {
    self.version = version
    self.header = header
    self.headerTime = headerTime
    self.body = body
  }
}

/// A list that is being received from one source.
public struct RosterTransfer: Hashable, Sendable {
  /// The version that the event announced.
  public var version: Int64
  /// The identifier of the message that announced it, base64url.
  public var sharedMsgId: String
  /// The size of the list in bytes.
  public var size: Int
  /// SHA-512 of the list.
  public var digest: [UInt8]
  /// The signed event, as it was received.
  public var header: [UInt8]
  /// When the owner sent the event.
  public var headerTime: Date
  /// The number of the part that comes next, from 1 on.
  public var nextPart = 1
  /// What came of the list.
  public var body: [UInt8] = []

  /// A list of which nothing came yet.
  public init(
    version: Int64, sharedMsgId: String, size: Int, digest: [UInt8], header: [UInt8], headerTime: Date
  ) {
    self.version = version
    self.sharedMsgId = sharedMsgId
    self.size = size
    self.digest = digest
    self.header = header
    self.headerTime = headerTime
  }
}

/// The signed lists of members with rights, and their transfers.
public struct RosterStore {
  let transaction: ChatTransaction

  /// The versions of a channel's list.
  public func versions(ofGroup id: Int64) throws(StoreError) -> RosterVersions {
    try transaction.first(
      "SELECT seen_version, applied_version, stored_version FROM rosters WHERE group_id = ?", id
    ) { (row) throws(SQLFailure) in
      RosterVersions(
        seen: try row.optionalInteger(0), applied: try row.optionalInteger(1), stored: try row.optionalInteger(2))
    } ?? RosterVersions()
  }

  /// Stores that a signed event named a version.
  /// - Returns: false for a version below the highest one, whose event is outdated.
  public func note(version: Int64, ofGroup id: Int64) throws(StoreError) -> Bool {
    let known = try versions(ofGroup: id).seen
    if let known, version < known { return false }
    try transaction.execute(
      """
      INSERT INTO rosters (group_id, seen_version) VALUES (?1, ?2) \
      ON CONFLICT (group_id) DO UPDATE SET seen_version = excluded.seen_version
      """, id, version)
    return true
  }

  /// Stores that every change up to a version is applied. It never decreases.
  public func setApplied(_ version: Int64, ofGroup id: Int64) throws(StoreError) {
    try transaction.execute(
      """
      INSERT INTO rosters (group_id, seen_version, applied_version) VALUES (?1, ?2, ?2) ON CONFLICT (group_id) \
      DO UPDATE SET applied_version = max(coalesce(applied_version, ?2), ?2), \
      seen_version = max(coalesce(seen_version, ?2), ?2)
      """, id, version)
  }

  /// Stores the list that is served to others. Older ones do not replace it.
  public func store(_ roster: ServedRoster, ofGroup id: Int64) throws(StoreError) {
    try transaction.execute(
      """
      INSERT INTO rosters (group_id, stored_version, header, header_at, body) VALUES (?1, ?2, ?3, ?4, ?5) \
      ON CONFLICT (group_id) DO UPDATE SET stored_version = excluded.stored_version, header = excluded.header, \
      header_at = excluded.header_at, body = excluded.body \
      WHERE stored_version IS NULL OR stored_version <= excluded.stored_version
      """, id, roster.version, roster.header, roster.headerTime.microseconds, roster.body)
  }

  /// The list that is served to others; nil where there is none.
  public func served(ofGroup id: Int64) throws(StoreError) -> ServedRoster? {
    try transaction.first(
      "SELECT stored_version, header, header_at, body FROM rosters WHERE group_id = ? AND stored_version IS NOT NULL",
      id
    ) { (row) throws(SQLFailure) in
      ServedRoster(
        version: try row.integer(0), header: try row.bytes(1), headerTime: Date(microseconds: try row.integer(2)),
        body: try row.bytes(3))
    }
  }

  // MARK: Transfers

  /// Begins to receive a list from a source, a member's database id; what came of another list from it is dropped.
  public func begin(_ transfer: RosterTransfer, from source: Int64, inGroup id: Int64) throws(StoreError) {
    try transaction.execute(
      """
      INSERT OR REPLACE INTO roster_transfers (group_id, source_id, version, shared_id, size, digest, header, header_at) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, id, source, transfer.version, transfer.sharedMsgId, transfer.size, transfer.digest, transfer.header,
      transfer.headerTime.microseconds)
  }

  /// The list that is being received from a source; nil for none.
  public func transfer(from source: Int64, inGroup id: Int64) throws(StoreError) -> RosterTransfer? {
    try transaction.first(
      """
      SELECT version, shared_id, size, digest, header, header_at, next_part, body FROM roster_transfers \
      WHERE group_id = ? AND source_id = ?
      """, id, source
    ) { (row) throws(SQLFailure) in
      var transfer = RosterTransfer(
        version: try row.integer(0), sharedMsgId: try row.text(1), size: Int(try row.integer(2)),
        digest: try row.bytes(3), header: try row.bytes(4), headerTime: Date(microseconds: try row.integer(5)))
      transfer.nextPart = Int(try row.integer(6))
      transfer.body = try row.bytes(7)
      return transfer
    }
  }

  /// Stores a part of the list that is being received from a source, which is the next one.
  public func append(_ part: [UInt8], from source: Int64, inGroup id: Int64) throws(StoreError) {
    try transaction.execute(
      """
      UPDATE roster_transfers SET body = CAST(body || ?3 AS BLOB), next_part = next_part + 1 \
      WHERE group_id = ?1 AND source_id = ?2
      """, id, source, part)
  }

  /// Ends receiving a list from a source.
  public func endTransfer(from source: Int64, inGroup id: Int64) throws(StoreError) {
    try transaction.execute("DELETE FROM roster_transfers WHERE group_id = ? AND source_id = ?", id, source)
  }
}

extension ChatTransaction {
  /// The signed lists of members with rights, and their transfers.
  public var rosters: RosterStore { RosterStore(transaction: self) }
}
