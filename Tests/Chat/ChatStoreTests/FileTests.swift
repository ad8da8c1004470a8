import ChatAPI
import ChatStore
import Foundation
import Testing

@Suite struct FileTests {
  let store: ChatDatabase
  let clock = TestClock()
  let alice: User
  let bob: Contact

  init() throws {
    store = try memoryStore(clock: clock)
    alice = try store.makeUser()
    bob = try makeContact(in: store, of: alice)
  }

  private func received(_ name: String = "photo.jpg", id: String = "YQ==") throws -> (file: Int64, item: Int64) {
    try store.transaction { db in
      var new = NewFile(
        isSent: false, fileProtocol: .xftp, name: name, size: 1_000, chunkSize: 15_780, status: .rcvInvitation)
      new.inlineMode = .offer
      let file = try db.createFile(new, of: alice)
      try db.addDescription("", .received, part: 0, isComplete: false, ofFile: file)
      var item = receivedText("a file", in: bob.ref, id: id)
      item.fileId = file
      return (file, try db.createItem(item, of: alice).meta.itemId)
    }
  }

  private func sent(recipients: Int = 1) throws -> (file: Int64, item: Int64) {
    try store.transaction { db in
      var new = NewFile(
        isSent: true, fileProtocol: .xftp, name: "report.pdf", size: 5, chunkSize: 15_780,
        source: CryptoFile(filePath: "report.pdf", cryptoArgs: CryptoFileArgs(fileKey: "k", fileNonce: "n")),
        status: .sndStored)
      new.agentId = "agent"
      let file = try db.createFile(new, of: alice)
      for connection in 0..<recipients { try db.addFileRecipient(connection: Int64(connection + 1), ofFile: file) }
      var item = sentText("a file", in: bob.ref, id: "Yg==")
      item.fileId = file
      return (file, try db.createItem(item, of: alice).meta.itemId)
    }
  }

  /// Pages, the list of chats, searches and single items.
  @Test func itemsShowTheirFiles() throws {
    let (file, item) = try sent()
    let shown = CIFile(
      fileId: file, fileName: "report.pdf", fileSize: 5,
      fileSource: CryptoFile(filePath: "report.pdf", cryptoArgs: CryptoFileArgs(fileKey: "k", fileNonce: "n")),
      fileStatus: .sndStored, fileProtocol: .xftp)
    try store.read { db in
      #expect(try db.item(item, in: bob.ref, of: alice).file == shown)
      #expect(try db.chat(bob.ref, pagination: .last(count: 5), of: alice).chat.chatItems.last?.file == shown)
      #expect(
        try db.chat(bob.ref, pagination: .last(count: 5), search: "file", of: alice).chat.chatItems.last?.file == shown)
      #expect(try db.allItems(of: alice, pagination: .last(count: 5)).last?.chatItem.file == shown)
      let list = try db.chats(
        of: alice, pendingConnections: false, pagination: .last(count: 5),
        query: .filters(favorite: false, unread: false))
      #expect(list.contains { $0.chatItems.first?.file == shown })
      #expect(try db.file(ofItem: item)?.id == file && db.file(agentId: "agent")?.itemId == item)
      #expect(try db.sent(try db.file(file)).xftpSndFile?.cryptoArgs?.fileKey == "k")
    }
    let statuses: [CIFileStatus] = [
      .sndTransfer(sndProgress: 1, sndTotal: 2), .sndComplete, .sndError(sndFileError: .other(fileError: "x")),
    ]
    for status in statuses {
      try store.transaction { try $0.setStatus(status, ofFile: file) }
      #expect(try store.read { try $0.item(item, in: bob.ref, of: alice) }.file?.fileStatus == status)
    }
  }

  @Test func receivingGoesThroughItsSteps() throws {
    let (id, _) = try received()
    func transfer() throws -> RcvFileTransfer { try store.read { try $0.received(try $0.file(id)) } }
    #expect(try transfer().fileStatus == .new && transfer().senderDisplayName == bob.localDisplayName)
    #expect(try transfer().xftpRcvFile?.rcvFileDescription.fileDescrPartNo == 0)
    try store.transaction {
      try $0.setWanted(id, approvesRelays: true, encryptedWith: CryptoFileArgs(fileKey: "k", fileNonce: "n"))
    }
    #expect(try store.read { try $0.wantedFiles(within: 2 * 86_400) } == [id])
    clock.advance(3 * 86_400)
    #expect(try store.read { try $0.wantedFiles(within: 2 * 86_400) } == [])
    try store.transaction { db in
      try db.acceptFile(id, as: CryptoFile(filePath: "photo.jpg"), approvesRelays: true)
    }
    #expect(try transfer().fileStatus == .accepted(filePath: "photo.jpg") && transfer().cryptoArgs == nil)
    // What is received keeps its key.
    try store.transaction {
      try $0.setWanted(id, approvesRelays: true, encryptedWith: CryptoFileArgs(fileKey: "other", fileNonce: "n"))
    }
    #expect(try transfer().cryptoArgs == nil)
    try store.transaction { db in
      try db.setAgentId("agent", ofFile: id)
      try db.setStep(.complete, .rcvComplete, ofFile: id)
    }
    #expect(try transfer().fileStatus == .complete(filePath: "photo.jpg"))
    #expect(try transfer().xftpRcvFile?.agentRcvFileId == "agent")
    try store.transaction { try $0.resetFile(id, .rcvAborted) }
    #expect(try transfer().fileStatus == .new && transfer().xftpRcvFile?.agentRcvFileId == nil)
    try store.transaction { try $0.cancelFile(id, .rcvCancelled) }
    #expect(try transfer().fileStatus == .cancelled(filePath_: nil) && transfer().cancelled)
    #expect(storeError { _ = try store.read { try $0.sent(try $0.file(id)) } } == .sndFileNotFound(fileId: id))
    #expect(storeError { _ = try store.read { try $0.file(99) } } == .fileNotFound(fileId: 99))
  }

  @Test func recipientsGetOneDescriptionEach() throws {
    let (id, _) = try sent(recipients: 2)
    try store.transaction { try $0.setDescriptions(sender: "s", count: 4, ofFile: id) { ["a", "b", "c", "d"][$0] } }
    let waiting = try store.read { try $0.waitingRecipients(ofFile: id, limit: 5) }
    #expect(waiting.map(\.description) == ["a", "b"])
    #expect(try store.read { try $0.description(.sender, ofFile: id)?.fileDescrText } == "s")
    // Others get a spare one.
    #expect(try store.read { try $0.descriptionForOthers(ofFile: id) } == "c")
    try store.transaction { try $0.setDescriptionSent(toRecipient: waiting[0].id, command: 7) }
    #expect(try store.read { try $0.waitingRecipients(ofFile: id, limit: 5) }.map(\.description) == ["b"])
    #expect(try store.transaction { try $0.finishDescription(command: 7) } == id)
    #expect(try store.transaction { try $0.finishDescription(command: 7) } == nil)
  }

  /// Members who are not connected yet get a description later; till then the API does not show them.
  @Test func recipientsMayHaveNoConnection() throws {
    let (id, _) = try sent(recipients: 0)
    try store.transaction { db in
      try db.addFileRecipient(connection: 1, member: 7, ofFile: id)
      try db.addFileRecipient(connection: nil, member: 8, ofFile: id)
      try db.setDescriptions(sender: "s", count: 2, ofFile: id) { ["a", "b"][$0] }
    }
    let waiting = try store.read { try $0.waitingRecipients(ofFile: id, limit: 5) }
    #expect(waiting.map(\.memberId) == [7, 8] && waiting.map(\.wasConnected) == [true, false])
    #expect(try store.read { try $0.recipients(of: try $0.file(id)) }.map(\.groupMemberId) == [7])
    #expect(try store.read { try $0.hasFile(at: "report.pdf") && !$0.hasFile(at: "other.pdf") })
    try store.transaction { try $0.cancelFile(id, .sndCancelled) }
    #expect(try store.read { try $0.waitingRecipients(ofFile: id, limit: 5) }.isEmpty)
    #expect(try store.read { try $0.hasFile(at: "report.pdf") } == false)
  }

  /// A copy may get the place of a file that was not received, or is not there any more, and that is removed while the
  /// copy is made.
  @Test func placesOfCopiesAreInUse() throws {
    let (_, item) = try sent()
    let job = try store.transaction { db in
      try db.deleteItem(item, in: bob.ref, of: alice)
      return try db.addCopies(at: ["report.pdf"], of: alice)
    }
    #expect(try store.read { try $0.hasFile(at: "report.pdf") && $0.isPlace("report.pdf") })
    #expect(try store.read { try $0.removedFiles(limit: 5) }.map(\.ownsPath) == [false])
    try store.transaction { try $0.removeJob(job.id) }
    #expect(try store.read { try $0.hasFile(at: "report.pdf") } == false)
    #expect(try store.read { try $0.removedFiles(limit: 5) }.map(\.ownsPath) == [true])
  }

  /// A part that came before its turn comes once, and each chat keeps a limited number of them.
  @Test func earlyPartsAreKept() throws {
    try store.transaction { db in
      for part in 1...5 {
        try db.keepEarlyDescription(
          FileDescr(fileDescrText: "\(part)", fileDescrPartNo: part, fileDescrComplete: false), of: "YQ==", by: "",
          in: bob.ref, limit: 3, of: alice)
      }
    }
    func take(_ part: Int, _ id: String = "YQ==") throws -> FileDescr? {
      try store.transaction { try $0.takeEarlyDescription(part: part, of: id, by: "", in: bob.ref, of: alice) }
    }
    #expect(try take(2, "Yg==") == nil)
    #expect(try take(2)?.fileDescrText == "2")
    #expect(try take(2) == nil)
    #expect(try take(5) == nil)
    clock.advance(10)
    _ = try store.transaction { try $0.deleteEarlyDescriptions(olderThan: 5) }
    #expect(try take(3) == nil)
  }

  /// Whatever removes an item, its file is removed later, and is not found till then.
  @Test(arguments: ["item", "chat", "age", "user"]) func filesGoWithTheirItems(_ how: String) throws {
    let (id, item) = try received()
    try store.transaction { db in
      try db.acceptFile(id, as: CryptoFile(filePath: "photo.jpg"), approvesRelays: false)
      switch how {
      case "item": try db.deleteItem(item, in: bob.ref, of: alice)
      case "chat": try db.clear(bob.ref, of: alice)
      case "user":
        try db.deleteUser(alice)
        while try !db.deleteSome(ofDeletedUser: alice.userId, limit: 2) {}
      default:
        _ = try db.deleteItems(in: bob.ref, createdBefore: Date(timeIntervalSince1970: 2_000_000_000), of: alice)
      }
      while try db.purge() {}
    }
    #expect(try store.read { try $0.fileIfPresent(id) } == nil)
    let removed = try store.read { try $0.removedFiles(limit: 5) }
    #expect(removed.map(\.file.id) == [id] && removed.first?.ownsPath == true)
    #expect((removed.first?.agentUser == nil) == (how == "user"))
    try store.transaction { try $0.deleteFile(id) }
    #expect(try store.read { try $0.removedFiles(limit: 5) }.isEmpty)
  }

  /// The place of a removed file may be another file's too.
  @Test func sharedPlacesStay() throws {
    let (first, item) = try received()
    let (second, _) = try received(id: "Yg==")
    try store.transaction { db in
      for file in [first, second] {
        try db.acceptFile(file, as: CryptoFile(filePath: "photo.jpg"), approvesRelays: false)
      }
      try db.deleteItem(item, in: bob.ref, of: alice)
    }
    #expect(try store.read { try $0.removedFiles(limit: 5) }.map(\.ownsPath) == [false])
  }
}
