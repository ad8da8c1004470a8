import Foundation
import QueueStore
import SMPProtocol
import SMPServer
import SMPServerCore
import SimplexCrypto
import Testing
import WireCodec

/// The import of the reference server's data.
@Suite(.timeLimit(.minutes(2))) struct ImportTests {
  private func withFolder(_ body: (ServerFolders) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.copyItem(at: ImportFixture.folder, to: folder)
    try await body(ServerFolders(configuration: folder.path, data: folder.path))
  }

  /// Starts a relay with what is in the folder.
  private func withRelay(
    _ folders: ServerFolders, _ body: (RelayServer, TestClient) async throws -> Void
  ) async throws {
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    var settings = try ServerSettings(
      ServerINI("[TRANSPORT]\nbind = 127.0.0.1\nport = 0\n[STORE_LOG]\nexpire_messages_on_start = off"), folders)
    // The files are from a day that passes.
    settings.server.notificationTTL = .max / 2
    settings.server.expiresMessagesOnSend = false
    let service = try await ServerService.start(
      settings, folders, store: try SQLiteQueueStore(path: folders.databaseFile))
    do {
      try await body(
        service.server, try await .connect(port: service.server.ports[0], fingerprint: service.server.fingerprint))
    } catch {
      await service.stop()
      throw error
    }
    await service.stop()
  }

  private func bodies(_ queue: ImportFixture.Queue, _ client: TestClient) async throws -> [DeliveredMessage] {
    let answer = try #require(try ImportFixture.answers()[queue])
    let key = ImportFixture.recipientKey(queue)
    let box = try ImportFixture.deliveryKey(queue).boxKey(with: answer.serverKey)
    var delivered: [DeliveredMessage] = []
    while case .msg(let message) = try await client.ask(.get, answer.recipient, key: key) {
      delivered.append(try DeliveredMessage(opening: message, key: box))
      #expect(try await client.ask(.ack(message.id), answer.recipient, key: key) == .ok)
    }
    return delivered
  }

  @Test func clientsFindEverything() async throws {
    try await withFolder { folders in
      #expect(ReferenceImport(folders).isNeeded)
      let report = try await ReferenceImport(folders).run()
      #expect(report.problems.count == 0, "\(report.problems.examples)")
      #expect(report.stored.queues == 5 && report.stored.messages == 3 + 1 + 129 && report.stored.notifiers == 1)
      #expect(report.notifications == 2)
      #expect(!ReferenceImport(folders).isNeeded)
      let answers = try ImportFixture.answers()
      try await withRelay(folders) { relay, client in
        // What waited for the notifier.
        let secured = try #require(answers[.secured])
        #expect(try await client.ask(.nsub, secured.notifier, key: ImportFixture.notifierKey(.secured)) == .sok(nil))
        guard case .nmsg = try await client.event().message else { return #expect(Bool(false), "no notification") }

        var received: [[UInt8]] = []
        for case .message(_, let flags, let body) in try await bodies(.secured, client) {
          #expect(flags.notification == (body != [1]))
          received.append(body)
        }
        #expect(received == [[1], [2], [3]])
        let send = Command.send(SendRequest(body: [4]))
        #expect(try await client.ask(send, secured.sender) == .err(.AUTH))
        #expect(try await client.ask(send, secured.sender, key: ImportFixture.senderKey(.secured)) == .ok)

        let contact = try #require(answers[.contact])
        let link = LinkResponse(senderID: contact.sender, data: ImportFixture.link)
        #expect(try await client.ask(.lget, contact.link) == .lnk(link))
        for number: UInt64 in 0..<2 {
          let key = ImportFixture.recipientKey(.contact, number)
          guard case .sok = try await client.ask(.sub, contact.recipient, key: key) else {
            return #expect(Bool(false), "key \(number) is not known")
          }
        }
        #expect(try await client.ask(send, contact.sender) == .ok)

        #expect(try await bodies(.suspended, client).count == 1)
        let suspended = try #require(answers[.suspended]).sender
        #expect(try await client.ask(send, suspended, key: ImportFixture.senderKey(.suspended)) == .err(.AUTH))

        let full = try #require(answers[.full])
        #expect(try await client.ask(send, full.sender) == .err(.QUOTA))
        let all = try await bodies(.full, client)
        #expect(all.count == 129)
        guard case .quota = all.last else { return #expect(Bool(false), "no mark") }
        #expect(try await client.ask(send, full.sender) == .ok)

        let blocked = try #require(answers[.blocked])
        let information = BlockingInfo(reason: .spam)
        #expect(try await client.ask(send, blocked.sender) == .err(.BLOCKED(blockInfo: information)))
        let deleted = try #require(answers[.deleted])
        let key = ImportFixture.recipientKey(.deleted)
        #expect(try await client.ask(.sub, deleted.recipient, key: key) == .err(.AUTH))
      }
    }
  }

  @Test func filesAreKeptAndNothingIsImportedTwice() async throws {
    try await withFolder { folders in
      // What an import that was killed leaves.
      try "x".write(toFile: folders.databaseFile + "-import", atomically: false, encoding: .utf8)
      try "x".write(toFile: folders.databaseFile + "-wal", atomically: false, encoding: .utf8)
      _ = try await ReferenceImport(folders).run()
      for name in ["store", "messages", "ntfs"] {
        let file = folders.data + "/smp-server-\(name).log"
        #expect(FileManager.default.fileExists(atPath: file + ".bak"))
        #expect(!FileManager.default.fileExists(atPath: file))
      }
      await #expect(throws: SMPServerError.self) { try await ReferenceImport(folders).run() }
      try FileManager.default.copyItem(
        atPath: folders.data + "/smp-server-store.log.bak", toPath: folders.data + "/smp-server-store.log")
      await #expect(throws: SMPServerError.self) { try await ReferenceImport(folders).run() }
    }
  }

  @Test func whatCannotBeReadIsToldAndLeftOut() async throws {
    try await withFolder { folders in
      let file = folders.data + "/smp-server-store.log"
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      let first = try #require(lines.first { $0.hasPrefix("CREATE") })
      // Each word cut off, one line of nonsense, a change of a queue that there is not.
      let words = first.split(separator: " ")
      let cut = (1..<6).map { words[..<$0].joined(separator: " ") }
      let wrong = cut + ["", "NONSENSE x", "SUSPEND AAAA", "CREATE rid=AAAA rk=AAAA rdh=AAAA sid=AAAA sk="]
      try (wrong + lines.map(String.init)).joined(separator: "\n").write(
        toFile: file, atomically: true, encoding: .utf8)
      let report = try await ReferenceImport(folders).run()
      #expect(report.problems.count == wrong.count && report.problems.examples.count == 5)
      #expect(report.stored.queues == 5)
    }
  }

  /// As the server writes it when it starts: all that is known of a queue in one line. And so before queues had modes.
  @Test(arguments: [false, true]) func aCompactedLogSaysTheSame(_ isOld: Bool) async throws {
    try await withFolder { folders in
      var log = try String(contentsOfFile: folders.data + "/compacted-store.log", encoding: .utf8)
      if isOld {
        let old = log.replacing(" queue_mode=M", with: " sndSecure=T").replacing(/\ updated_at=\d+/, with: "")
        #expect(old != log)
        log = old
      }
      try await withFolder { other in
        try log.write(toFile: other.data + "/smp-server-store.log", atomically: true, encoding: .utf8)
        for folders in [folders, other] {
          let report = try await ReferenceImport(folders).run()
          #expect(report.problems.count == 0 && report.stored.queues == 5, "\(report.problems.examples)")
        }
        let stores = try [folders, other].map { try SQLiteQueueStore(path: $0.databaseFile) }
        for (queue, answer) in try ImportFixture.answers() {
          var records: [QueueRecord?] = []
          for store in stores {
            var record = try await store.queue(.recipient(answer.recipient.bytes))
            // Numbers follow the order of lines.
            record?.number = QueueNumber(0)
            if isOld { record?.usedDay = 0 }
            records.append(record)
          }
          #expect(records[0] == records[1])
          #expect((records[0] == nil) == (queue == .deleted))
        }
        for store in stores { await store.close() }
      }
    }
  }

  @Test func theServerAsksForIt() throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run(["init", "-y", "--no-password"])
    let data = program.folder.appending(path: "data")
    try FileManager.default.copyItem(
      at: ImportFixture.folder.appending(path: "smp-server-store.log"), to: data.appending(path: "smp-server-store.log")
    )
    #expect(throws: ServerProgram.Failed.self) { try program.run(["start", "-m"]) }
    #expect(throws: ServerProgram.Failed.self) { try program.run(["import"], input: "n\n") }
    #expect(try program.run(["import", "-y"]).contains("Imported 5 queues"))
    #expect(try program.run(["start", "-m"]).contains("Stored"))
  }
}
