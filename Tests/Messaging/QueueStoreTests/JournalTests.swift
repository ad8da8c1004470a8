import Foundation
import SMPServerCore
import SQLiteKit
import SimplexCrypto
import Testing

@testable import QueueStore

/// The journal of messages with crashes: a writer that is dropped leaves the same files as a killed program.
@Suite struct JournalTests {
  private let folder = Folder()

  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")

    init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    var journal: String { url.appending(path: "queues.db-messages").path }
    var database: String { url.appending(path: "queues.db").path }

    func replayed(applied: UInt64 = 0) throws -> [JournalRecord] {
      var records: [JournalRecord] = []
      _ = try MessageJournal(path: journal, applied: applied) { (record) throws(SQLiteError) in records.append(record) }
      return records
    }

    func writer(limit: Int) throws -> QueueWriter {
      let database = try SQLiteConnection(path: database)
      try database.useWriteAheadLog(synchronous: .full)
      try database.migrate(QueueSchema.migrations)
      return try QueueWriter(database, journal: JournalFile(journal), published: UnappliedQueues(), journalLimit: limit)
    }
  }

  private let records: [JournalRecord] = [
    .added(QueueNumber(1), position: 1, message(1, size: 16_000)),
    .added(QueueNumber(-2), position: .max, message(2, size: 0)),
    .removed(QueueNumber(1), position: 1),
    .added(QueueNumber(7), position: 2, QueuedMessage(id: [], timestamp: -1, content: .quotaExceeded)),
  ]

  private func write(_ records: [JournalRecord], applied: UInt64 = 0) throws {
    let journal = try MessageJournal(path: folder.journal, applied: applied) { (_) in }
    for record in records {
      journal.add(record)
      try journal.commit()
    }
  }

  @Test func whatWasCommittedComesBack() throws {
    try write(records)
    #expect(try folder.replayed() == records)
    try write([.removed(QueueNumber(7), position: 2)])
    #expect(try folder.replayed() == records + [.removed(QueueNumber(7), position: 2)])
  }

  @Test func whatWasNotCommittedDoesNot() throws {
    let journal = try MessageJournal(path: folder.journal, applied: 0) { (_) in }
    journal.add(records[0])
    journal.forgetRecords()
    try journal.commit()
    journal.add(records[1])
    try journal.commit()
    journal.add(records[2])
    try journal.commit()
    journal.takeBack()
    journal.add(records[3])
    _ = consume journal
    #expect(try folder.replayed() == [records[1]])
  }

  /// Truncated anywhere, or with any bit changed, the pieces before are still valid, and nothing forged is.
  @Test func whatIsDamagedDoesNotCount() throws {
    let small = records.map { record in
      if case .added(let queue, let position, _) = record {
        JournalRecord.added(queue, position: position, message(3, size: 10))
      } else {
        record
      }
    }
    try write(small)
    let whole = try Data(contentsOf: URL(filePath: folder.journal))
    let pieces = Self.pieces(of: whole)
    let used = Array(0..<24) + pieces.flatMap { Array($0) }
    #expect(pieces.count == small.count)
    for count in used {
      try whole.prefix(count).write(to: URL(filePath: folder.journal))
      let replayed = try folder.replayed()
      #expect(replayed.count < small.count && replayed == Array(small.prefix(replayed.count)))
    }
    for (byte, bit) in used.flatMap({ byte in (0..<8).map { (byte, $0) } }) {
      var changed = whole
      changed[byte] ^= 1 << bit
      try changed.write(to: URL(filePath: folder.journal))
      let replayed = try folder.replayed()
      #expect(replayed.count < small.count && replayed == Array(small.prefix(replayed.count)))
    }
    // Between the pieces anything may be, and the last block may be cut.
    var changed = whole.prefix(try #require(pieces.last).upperBound)
    for byte in Set(changed.indices).subtracting(used) { changed[byte] ^= 0x55 }
    try changed.write(to: URL(filePath: folder.journal))
    #expect(try folder.replayed() == small)
  }

  /// The offsets of the pieces of a journal.
  private static func pieces(of journal: Data) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start = 24
    while start + 16 <= journal.count {
      let size = journal[start..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      guard size > 0 else { break }
      pieces.append(start..<start + 16 + size)
      start = (start + 16 + size + 4_095) / 4_096 * 4_096
    }
    return pieces
  }

  @Test func aJournalWithoutBlocksIsReadAndGoneOnWith() throws {
    try write(records)
    let whole = try Data(contentsOf: URL(filePath: folder.journal))
    let pieces = Self.pieces(of: whole).map { whole[$0] }
    try pieces.reduce(whole.prefix(24), +).write(to: URL(filePath: folder.journal))
    #expect(try folder.replayed() == records)
    try write(records)
    #expect(try folder.replayed() == records + records)
  }

  @Test(arguments: [1, 5, 300]) func piecesOfAnySizeComeBack(count: Int) throws {
    let many = (1...count).map { JournalRecord.added(QueueNumber(1), position: Int64($0), message($0, size: 16_000)) }
    let journal = try MessageJournal(path: folder.journal, applied: 0) { (_) in }
    for _ in 0..<2 {
      for record in many { journal.add(record) }
      try journal.commit()
    }
    journal.add(records[0])
    try journal.commit()
    journal.takeBack()
    _ = consume journal
    #expect(try folder.replayed() == many + many)
  }

  /// A generation of which only the first block became durable, without its content.
  @Test func aTornFirstPieceIsWrittenAnew() throws {
    try write([records[0]])
    try (Data(contentsOf: URL(filePath: folder.journal)).prefix(4_096)).write(to: URL(filePath: folder.journal))
    try write([records[1]])
    #expect(try folder.replayed() == [records[1]])
    let journal = try MessageJournal(path: folder.journal, applied: 1) { (_) in }
    journal.add(records[2])
    try journal.commit()
    journal.takeBack()
    _ = consume journal
    #expect(try folder.replayed(applied: 1) == [])
    try write([records[3]], applied: 1)
    #expect(try folder.replayed(applied: 1) == [records[3]])
  }

  @Test func anotherGenerationDoesNotCount() throws {
    try write(records)
    #expect(try folder.replayed(applied: 1) == [])
    #expect(try folder.replayed(applied: 7) == [])
    let journal = try MessageJournal(path: folder.journal, applied: 0) { (_) in }
    journal.beginNextGeneration()
    // As long as the first piece before, so that the others keep their offsets.
    journal.add(.added(QueueNumber(3), position: 1, message(1, size: 16_000)))
    try journal.commit()
    _ = consume journal
    #expect(try folder.replayed() == [])
    #expect(try folder.replayed(applied: 1) == [.added(QueueNumber(3), position: 1, message(1, size: 16_000))])
  }

  /// A power failure tears the first piece of a generation anywhere in the header of the file: the pieces of the
  /// generation before, which the database contains, are not replayed again.
  @Test func aTornHeaderDoesNotRepeatTheGenerationBefore() throws {
    try write(records)
    let old = try Data(contentsOf: URL(filePath: folder.journal))
    let journal = try MessageJournal(path: folder.journal, applied: 0) { (_) in }
    journal.beginNextGeneration()
    journal.add(records[2])
    try journal.commit()
    _ = consume journal
    let new = try Data(contentsOf: URL(filePath: folder.journal))
    for count in 0...24 {
      try (new.prefix(count) + old.dropFirst(count)).write(to: URL(filePath: folder.journal))
      #expect(try folder.replayed(applied: 1) == [], "\(count) bytes")
    }
    try new.write(to: URL(filePath: folder.journal))
    #expect(try folder.replayed(applied: 1) == [records[2]])
  }

  /// Earlier versions chose all 8 bytes of the random number of a generation at random.
  @Test func theHeaderOfAnEarlierVersionIsAccepted() throws {
    let journal = try #require(Data(base64Encoded: Self.journalOfAnEarlierVersion))
    try journal.write(to: URL(filePath: folder.journal))
    #expect(try folder.replayed() == [records[2]])
  }

  /// Generation 1 with the record of a removal.
  private static let journalOfAnEarlierVersion =
    "c3B4bXNqMQoBAAAAAAAAAO/Nq4lnRSMBEQAAAAAAAADvs3iV2HgXFQABAAAAAAAAAAEAAAAAAAAA"

  @Test func twoProgramsCannotUseIt() throws {
    let journal = try MessageJournal(path: folder.journal, applied: 0) { (_) in }
    let error = #expect(throws: SQLiteError.self) { try folder.replayed() }
    #expect(error?.kind == .busy)
    journal.finish()
    _ = consume journal
    #expect(try folder.replayed() == [])
  }

  /// A writer on real files that is killed between commits, against a store that never is. For crashes and power
  /// failures within commits see ``PowerFailureStory``.
  @Test(arguments: [0, 3_000, 1 << 20]) func nothingChangesByKillsBetweenCommits(limit: Int) throws {
    var random = SystemRandom()
    var model = MemoryQueues()
    var writer = try folder.writer(limit: limit)
    var queues: [QueueNumber] = []
    for step in 1...400 {
      let operation: StoreOperation
      let target = queues.randomElement() ?? QueueNumber(1)
      switch random.bytes(1)[0] % 16 {
      case 0 where queues.count < 6, _ where queues.count < 2: operation = .createQueue(queue(step), nil)
      // Not the last one: its number would be reused after a crash.
      case 0: operation = .deleteQueue(queues[0])
      case 1: operation = .expireMessages(before: Int64(step - 60), after: QueueNumber(0), limit: 100)
      case 2: operation = .expireMessagesOfQueue(target, before: Int64(step - 30))
      case 3:
        writer = try crashed(writer, limit: limit)
        continue
      case 4: operation = .addMessage(target, message(step, at: Int64(step)), quota: 5, expiry: Int64(step - 20))
      case 5..<10: operation = .addMessage(target, message(step, at: Int64(step), size: 300), quota: 5)
      default: operation = .acknowledge(target, messageID: [], readsNext: step % 2 == 0)
      }
      let expected = model.apply(operation)
      #expect(writer.commit([operation]) == [.success(expected)])
      if case .created(let number) = expected { queues.append(number) }
      if case .deleted(let record, _) = expected { queues.removeAll { $0 == record.number } }
    }
    writer = try crashed(writer, limit: limit)
    for number in queues {
      let waiting = model.queues[number]?.messages ?? []
      for message in waiting {
        #expect(
          writer.commit([.acknowledge(number, messageID: [], readsNext: false)])
            == [.success(.acknowledged(removed: RemovedMessage(message), next: nil))])
      }
      #expect(
        writer.commit([.acknowledge(number, messageID: [], readsNext: true)])
          == [.success(.acknowledged(removed: nil, next: nil))])
    }
    writer.finish()
    let database = try SQLiteConnection(path: folder.database)
    try database.checkIntegrity()
    #expect(try database.first(QueueSQL.countMessages) { (row) throws(SQLiteError) in try row.integer(0) } == 0)
    #expect(try Data(contentsOf: URL(filePath: folder.journal)).isEmpty)
  }

  private func crashed(_ writer: consuming QueueWriter, limit: Int) throws -> QueueWriter {
    _ = consume writer
    return try folder.writer(limit: limit)
  }

  /// Numbers are not reused as long as the journal has messages of a deleted queue.
  @Test func aNewQueueDoesNotGetTheMessagesOfADeletedOne() throws {
    var writer = try folder.writer(limit: 1 << 20)
    #expect(writer.commit([.createQueue(queue(1), nil)]) == [.success(.created(QueueNumber(1)))])
    #expect(
      writer.commit([.addMessage(QueueNumber(1), message(1), quota: 5)]) == [.success(.stored(isFirst: true))])
    #expect(writer.commit([.deleteQueue(QueueNumber(1))]).count == 1)
    writer = try crashed(writer, limit: 1 << 20)
    #expect(writer.commit([.createQueue(queue(2), nil)]) == [.success(.created(QueueNumber(2)))])
    writer = try crashed(writer, limit: 1 << 20)
    for number in 1...2 {
      #expect(
        writer.commit([.acknowledge(QueueNumber(Int64(number)), messageID: [], readsNext: true)])
          == [.success(.acknowledged(removed: nil, next: nil))])
    }
  }

  /// Readers find messages in the database, in the journal, or partly in each.
  @Test func readersSeeBoth() async throws {
    let store = try SQLiteQueueStore(path: folder.database)
    let number = try await store.add(queue(1))
    for index in 1...3 { _ = try await store.perform(.addMessage(number, message(index), quota: 9)) }
    #expect(try await store.firstMessage(of: number) == message(1))
    try await store.moveJournal()
    _ = try await store.perform(.addMessage(number, message(4), quota: 9))
    #expect(try await store.messageCount(of: number) == 4)
    #expect(try await store.counts().messages == 4)
    for index in 1...4 {
      #expect(try await store.firstMessage(of: number) == message(index))
      _ = try await store.perform(.acknowledge(number, messageID: [], readsNext: false))
      #expect(try await store.messageCount(of: number) == 4 - index)
      #expect(try await store.counts().messages == 4 - index)
    }
    #expect(try await store.firstMessage(of: number) == nil)
    await store.close()
  }
}
