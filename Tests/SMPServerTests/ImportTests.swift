import Foundation
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@testable import SMPServer

/// What the reference server keeps, in our relay.
@Suite(.timeLimit(.minutes(2))) struct ImportTests {
  private static let folder = Vectors.folder.appending(path: "reference-relay")
  private static let messages = folder.appending(path: "messages.txt").path
  private static let logs = ["store-log.txt", "store-log-compacted.txt"].map { folder.appending(path: $0).path }

  /// A key of the golden data.
  private static func key(_ seed: UInt8) throws -> AuthorizationPrivateKey {
    .ed25519(try Ed25519.PrivateKey(secret: SecretBytes([UInt8](repeating: seed, count: 32))))
  }

  /// A folder that is removed afterwards.
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// The queue whose recipient has a key, with the box of its messages.
  private func queue(_ seed: UInt8, _ store: any QueueStore) throws -> TestQueue {
    let key = try Self.key(seed)
    let der = key.publicKey.publicKey.der
    let records = (1...10).compactMap { number in try? store.queue(.recipient(identifiers(number))) }
    let record = try #require(records.first { $0.recipientKeys == [der] })
    let ids = QueueIDs(
      recipientID: EntityID(record.recipientID), senderID: EntityID(record.senderID),
      serverDHKey: try X25519.PrivateKey(secret: SecretBytes([UInt8](repeating: 1, count: 32))).publicKey,
      mode: nil, linkID: record.linkID.map(EntityID.init), serviceID: nil)
    return TestQueue(ids: ids, key: key, box: try BoxKey(SecretBytes(record.deliverySecret)))
  }

  /// The recipient's identifiers of the golden data, in the order of the queues.
  private func identifiers(_ index: Int) -> [UInt8] {
    let lines = (try? String(contentsOfFile: Self.logs[0], encoding: .utf8))?.split(separator: "\n") ?? []
    let found = lines.compactMap { $0.firstMatch(of: /^CREATE rid=(\S+)/)?.1 }
    return found.indices.contains(index - 1) ? Base64URL.decode(String(found[index - 1])) ?? [] : []
  }

  @Test(arguments: logs) func clientsGoOnAsIfNothingHadHappened(_ log: String) async throws {
    try await withFolder { folder in
      let path = folder.appending(path: "queues.db").path
      let (report, isMade) = try await ImportedDatabase(path: path).make(
        queues: log, messages: Self.messages, acceptsProblems: false)
      #expect(isMade && report.problems == 0 && report.messages == 7, "\(report)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["queues.db"])

      let store = try SQLiteQueueStore(path: path)
      try await TestRelay.with(store: store) { relay in
        let recipient = try await relay.client()
        let sender = try await relay.client()
        func received(_ queue: TestQueue) async throws -> TestClient.Received {
          #expect(try await recipient.ask(.sub, queue.recipient, key: queue.key) == .sok(nil))
          return try await recipient.event()
        }

        // Secured, with two messages.
        var first = try queue(1, store)
        first.sender = try Self.key(51)
        var message = try first.body(try await received(first).message)
        #expect(message.body == Array("first".utf8))
        message = try first.body(try await recipient.acknowledge(message.id, first))
        #expect(message.body == Array("second".utf8))
        #expect(try await sender.sendMessage([3], to: first) == .ok)
        first.sender = nil
        #expect(try await sender.sendMessage([4], to: first) == .err(.AUTH))

        // A contact address with its link.
        let address = try queue(2, store)
        let linkID = try #require(address.ids.linkID)
        let data = QueueLinkData(fixedData: [1, 2, 3, 4], userData: [5, 6])
        #expect(
          try await sender.ask(.lget, linkID) == .lnk(LinkResponse(senderID: address.ids.senderID, data: data)))
        #expect(try address.body(try await received(address).message).body == Array("request".utf8))

        // With a notifier.
        let notified = try queue(3, store)
        let notifier = try #require(try store.queue(.recipient(notified.recipient.bytes))?.notifier)
        #expect(try await sender.ask(.nsub, EntityID(notifier.id), key: Self.key(53)) == .sok(nil))
        #expect(try await recipient.sendMessage([1], to: notified, notify: true) == .ok)
        #expect(try await sender.event().entity == EntityID(notifier.id))

        // Suspended.
        let suspended = try queue(4, store)
        #expect(try await sender.sendMessage([1], to: suspended) == .err(.AUTH))
        #expect(try suspended.body(try await received(suspended).message).body == Array("before".utf8))

        // Full.
        let full = try queue(5, store)
        #expect(try await sender.sendMessage([1], to: full) == .err(.QUOTA))
        message = try full.body(try await received(full).message)
        message = try full.body(try await recipient.acknowledge(message.id, full))
        #expect(message.body == [1])
        let mark = try full.open(try await recipient.acknowledge(message.id, full))
        guard case .quota = mark.content else {
          Issue.record("\(mark.content)")
          return
        }
        #expect(try await recipient.acknowledge(mark.id, full) == .ok)
        #expect(try await sender.sendMessage([1], to: full) == .ok)

        // Deleted.
        #expect(try store.queue(.recipient(identifiers(6))) == nil)
        // Of a client that knew no modes, and of a service.
        let old = try #require(try store.queue(.recipient(identifiers(7))))
        let service = try #require(try store.queue(.recipient(identifiers(8))))
        #expect(old.mode == nil && service.mode == .messaging && service.serviceID != nil)
        #expect(try store.counts().recipientServices == StoreCounts.Services(services: 1, queues: 1))
        #expect(old.usedDay == 1_795_219_200 / 86_400)
      }
    }
  }

  @Test func nothingIsMadeOfADamagedLog() async throws {
    try await withFolder { folder in
      let log = folder.appending(path: "log.txt").path
      let text = try String(contentsOfFile: Self.logs[0], encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
      let damaged: [String] =
        lines.map(String.init) + [
          "CREATE", "UNKNOWN x", "SECURE AAAA AAAA", String(lines[0]),
          String(lines[0].replacing("rdh=", with: "rdh=AA")),
          "SUSPEND \(Base64URL.string([1, 2, 3]))", "TIME \(Base64URL.string(identifiers(1))) x", "",
        ]
      try (damaged.joined(separator: "\n") + "\nDELETE abc").write(toFile: log, atomically: true, encoding: .utf8)
      let database = ImportedDatabase(path: folder.appending(path: "queues.db").path)
      let none = folder.appending(path: "none").path
      let refused = try await database.make(queues: log, messages: none, acceptsProblems: false)
      #expect(!refused.isMade && refused.report.problems == 9)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["log.txt"])
      // Lines have secrets.
      for problem in refused.report.firstProblems { #expect(problem.contains("log.txt, line ")) }
      let accepted = try await database.make(queues: log, messages: Self.messages, acceptsProblems: true)
      #expect(accepted.isMade && accepted.report.problems == 9 && accepted.report.messages == 7)
      // Not over what is there.
      await #expect(throws: SMPServerError.self) {
        _ = try await database.make(queues: Self.logs[0], messages: none, acceptsProblems: true)
      }
      await #expect(throws: SMPServerError.self) {
        _ = try await ImportedDatabase(path: folder.appending(path: "other.db").path)
          .make(queues: none, messages: none, acceptsProblems: true)
      }
    }
  }

  @Test func recordsOfServersOld() throws {
    let text = try String(contentsOfFile: Self.logs[0], encoding: .utf8)
    let line = String(try #require(text.split(separator: "\n").first))
    guard case .create(let record, nil) = try StoreLogRecord(line: line) else { throw SMPServerError.noCertificate }
    let id = Base64URL.string(record.recipientID)
    func changed(_ old: String, _ new: String) throws -> QueueRecord {
      guard case .create(let record, _) = try StoreLogRecord(line: line.replacing(old, with: new)) else {
        throw SMPServerError.noCertificate
      }
      return record
    }
    #expect(try changed("queue_mode=M", "sndSecure=F").mode == .contact)
    #expect(try changed("queue_mode=M", "sndSecure=T").mode == .messaging)
    #expect(try changed(" updated_at=1795219200", "").usedDay == 0)
    let reason = "reason=spam,notice={\"ttl\":86400}"
    #expect(
      try changed("updated_at=1795219200", "updated_at=86400 status=blocked,\(reason) rsrv=AQID").status
        == .blocked(Array(reason.utf8)))
    let queue = record.recipientID
    #expect(
      try StoreLogRecord(line: "BLOCK \(id) reason=content")
        == .setStatus(queue: queue, .blocked(Array("reason=content".utf8))))
    #expect(try StoreLogRecord(line: "UNBLOCK \(id)") == .setStatus(queue: queue, .active))
    #expect(try StoreLogRecord(line: "LDELETE \(id)") == .deleteLink(queue: queue))
    #expect(try StoreLogRecord(line: "NDELETE \(id)") == .deleteNotifier(queue: queue))
    #expect(try StoreLogRecord(line: "TIME \(id) 172800") == .used(queue: queue, day: 2))
    #expect(
      try StoreLogRecord(line: "LINK \(id) AQID BAUG BwgJ")
        == .setLink(queue: queue, linkID: [1, 2, 3], LinkData(fixed: [4, 5, 6], user: [7, 8, 9])))
    #expect(
      try StoreLogRecord(line: "QUEUE_SERVICE \(id) N AQID")
        == .setService(queue: queue, .notifiers, serviceID: [1, 2, 3]))
    #expect(
      try StoreLogRecord(line: "QUEUE_SERVICE \(id) R ") == .setService(queue: queue, .recipients, serviceID: nil))
    let key = Base64URL.string(record.recipientKeys[0])
    #expect(
      try StoreLogRecord(line: "KEYS \(id) \(key),\(key)")
        == .setKeys(queue: queue, record.recipientKeys + record.recipientKeys))
  }

  @Test func theProgramImports() throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run(["init", "--yes", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    let data = URL(filePath: program.database).deletingLastPathComponent()
    let log = data.appending(path: "smp-server-store.log")
    try FileManager.default.copyItem(atPath: Self.logs[1], toPath: log.path)
    // Started without its queues, it would tell all clients that they do not exist.
    #expect(throws: ServerProgram.Failed.self) { try program.run(["start", "--maintenance"]) }
    let journal = data.appending(path: "messages")
    try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
    #expect(throws: ServerProgram.Failed.self) { try program.run(["import"]) }
    try FileManager.default.copyItem(
      atPath: Self.messages, toPath: data.appending(path: "smp-server-messages.log").path)
    #expect(try program.run(["import"]).contains("Imported 8 records of queues and 7 messages"))
    #expect(try program.run(["start", "--maintenance"]).contains("queues: 7, messages: 7"))
    #expect(throws: ServerProgram.Failed.self) { try program.run(["import"]) }
  }
}
