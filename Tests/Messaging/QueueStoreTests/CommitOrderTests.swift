import Foundation
import SMPServerCore
import SQLiteKit
import Testing

@testable import QueueStore

/// Crashes within one commit: between the flush of the journal and the commit of the database.
@Suite struct CommitOrderTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  /// The files of a store as they are when the next transaction is about to be committed.
  private func filesBeforeCommit(
    of writer: inout QueueWriter, _ operations: [StoreOperation]
  ) throws -> StoreFolder {
    let copy = try StoreFolder()
    var failure: (any Error)?
    writer.database.gateCommits { [folder] in
      do { try folder.copyFiles(to: copy) } catch { failure = error }
      return true
    }
    let outcomes = writer.commit(operations)
    writer.database.gateCommits(nil)
    if let failure { throw failure }
    #expect(outcomes.allSatisfy { if case .success = $0 { true } else { false } })
    return copy
  }

  /// Expired rows that come back must not have the position of a message in the journal: it could never be applied.
  @Test(arguments: [1, 3]) func expiredRowsThatComeBackDoNotStopTheStore(rows: Int) throws {
    var writer = try folder.writer()
    let queue = QueueNumber(1)
    _ = writer.commit([.createQueue(QueueStoreTests.queue(1), nil)])
    for index in 1...rows { _ = writer.commit([.addMessage(queue, message(index, at: 1), quota: 9)]) }
    try writer.applyJournal()
    let crashed = try filesBeforeCommit(of: &writer, [.addMessage(queue, message(4, at: 100), quota: 9, expiry: 50)])

    var recovered = try crashed.writer()
    #expect(
      recovered.commit([.addMessage(queue, message(5, at: 101), quota: 9)]) == [.success(.stored(isFirst: false))])
    try recovered.applyJournal()
    _ = consume recovered
    recovered = try crashed.writer()
    for expected in Array(1...rows) + [4, 5] {
      let timestamp: Int64 = expected == 4 ? 100 : expected == 5 ? 101 : 1
      #expect(
        recovered.commit([.acknowledge(queue, messageID: [], readsNext: false)])
          == [.success(.acknowledged(removed: RemovedMessage(message(expected, at: timestamp)), next: nil))])
    }
  }

  /// A relay that expires messages whenever something is sent commits the database only where something expires.
  @Test(arguments: [false, true]) func sendingToAQueueWithOldMessagesCommitsNothing(isCached: Bool) throws {
    var writer = try folder.writer()
    let queue = QueueNumber(1)
    _ = writer.commit([.createQueue(QueueStoreTests.queue(1), nil)])
    for index in 1...3 { _ = writer.commit([.addMessage(queue, message(index, at: 100), quota: 99)]) }
    try writer.applyJournal()
    if !isCached {
      _ = consume writer
      writer = try folder.writer()
    }
    var commits = 0
    writer.database.gateCommits {
      commits += 1
      return true
    }
    for index in 4...20 {
      let outcome = writer.commit([.addMessage(queue, message(index, at: 110), quota: 99, expiry: 50 + Int64(index))])
      #expect(outcome == [.success(.stored(isFirst: false))])
    }
    #expect(commits == 0)
    // Those of the database expire, and only those.
    _ = writer.commit([.addMessage(queue, message(21, at: 110), quota: 99, expiry: 101)])
    #expect(commits == 1)
    writer.database.gateCommits(nil)
    for index in 4...21 {
      #expect(
        writer.commit([.acknowledge(queue, messageID: [], readsNext: false)])
          == [.success(.acknowledged(removed: RemovedMessage(message(index, at: 110)), next: nil))])
    }
  }

  /// The disk refuses the flush of the transaction that moves the journal, which takes effect nevertheless: what is
  /// journaled afterwards belongs to what the database contains.
  @Test func whatFollowsAMoveThatSeemedToFailCounts() throws {
    let journal = try StoreFolder()
    let writer = try MessageJournal(path: journal.journal, applied: 4) { (_) in }
    let records = (1...3).map { JournalRecord.added(QueueNumber(1), position: Int64($0), message($0)) }
    for record in records {
      writer.add(record)
      try writer.commit()
    }
    _ = consume writer
    func replayed(applied: UInt64, pieces: Int64) throws -> [JournalRecord] {
      var found: [JournalRecord] = []
      _ = try MessageJournal(path: journal.journal, applied: applied, appliedPieces: pieces) {
        (record) throws(SQLiteError) in found.append(record)
      }
      return found
    }
    #expect(try replayed(applied: 4, pieces: .max) == records)
    #expect(try replayed(applied: 5, pieces: 0) == records)
    #expect(try replayed(applied: 5, pieces: 2) == Array(records[2...]))
    #expect(try replayed(applied: 5, pieces: 3) == [])
    // The generation is continued while pieces of it are needed, and not afterwards.
    let continued = try MessageJournal(path: journal.journal, applied: 5, appliedPieces: 2) { (_) in }
    #expect(continued.generation == 5 && continued.pieceCount == 3)
    let finished = try StoreFolder()
    try FileManager.default.copyItem(atPath: journal.journal, toPath: finished.journal)
    let next = try MessageJournal(path: finished.journal, applied: 5, appliedPieces: 3) { (_) in }
    #expect(next.generation == 6 && next.pieceCount == 0)
  }

  /// In stores from before migration 4 (`0004_positions`) a journaled message may have the position of a row.
  @Test func aStoreWithAPositionUsedTwiceIsOpened() throws {
    let queue = QueueNumber(1)
    var writer = try folder.writer()
    _ = writer.commit([.createQueue(QueueStoreTests.queue(1), nil)])
    for index in 1...2 { _ = writer.commit([.addMessage(queue, message(index), quota: 9)]) }
    writer.finish()
    let database = try SQLiteConnection(path: folder.database)
    let applied = try #require(
      try database.first(QueueSQL.appliedJournal) { (row) throws(SQLiteError) in try row.integer(0) })
    let journal = try MessageJournal(path: folder.journal, applied: UInt64(applied)) { (_) in }
    for index in 1...2 { journal.add(.added(queue, position: Int64(index), message(index + 2))) }
    try journal.commit()
    _ = consume journal
    for expected in 1...4 {
      writer = try folder.writer()
      #expect(
        writer.commit([.acknowledge(queue, messageID: [], readsNext: false)])
          == [.success(.acknowledged(removed: RemovedMessage(message(expected)), next: nil))])
    }
  }

  /// Acknowledgements alone do not let the journal grow without end.
  @Test func theJournalOfAcknowledgementsIsMovedToo() throws {
    let limit = 20 * PieceBuffer.blockSize
    var writer = try folder.writer(limit: limit)
    _ = writer.commit([.createQueue(queue(1), nil)])
    for index in 1...100 { _ = writer.commit([.addMessage(QueueNumber(1), message(index), quota: 200)]) }
    for index in 1...100 {
      #expect(
        writer.commit([.acknowledge(QueueNumber(1), messageID: [], readsNext: false)])
          == [.success(.acknowledged(removed: RemovedMessage(message(index)), next: nil))])
      #expect(writer.journal.length <= limit + PieceBuffer.blockSize)
    }
  }
}

/// A folder with the files of a store, removed with the value.
final class StoreFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  var database: String { url.appending(path: "queues.db").path }
  var journal: String { database + "-messages" }

  func writer(limit: Int = MessageJournal.usualLimit) throws -> QueueWriter {
    let database = try SQLiteConnection(path: database)
    try database.useWriteAheadLog(synchronous: .full)
    try database.migrate(QueueSchema.migrations)
    return try QueueWriter(database, journal: JournalFile(journal), published: UnappliedQueues(), journalLimit: limit)
  }

  func copyFiles(to other: StoreFolder) throws {
    for name in ["queues.db", "queues.db-wal", "queues.db-messages"] {
      try FileManager.default.copyItem(at: url.appending(path: name), to: other.url.appending(path: name))
    }
  }
}
