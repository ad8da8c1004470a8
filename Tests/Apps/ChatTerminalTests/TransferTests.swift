import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatTerminal

/// How far files came.
@Suite struct TransferTests {
  private let files = FileSamples()
  private let user = Samples.user()

  private func progress(receiving done: Int64, _ total: Int64, id: Int64 = 1, of user: User? = nil) -> ChatEvent {
    .rcvFileProgressXFTP(
      user: user ?? self.user, receivedSize: done, totalSize: total, rcvFileTransfer: files.received(id))
  }

  private func progress(sending done: Int64, _ total: Int64, id: Int64 = 1, redirectFor: Int64? = nil) -> ChatEvent {
    .sndFileProgressXFTP(
      user: user, fileTransferMeta: files.sent(id, redirectFor: redirectFor), sentSize: done, totalSize: total)
  }

  @Test func rowsOfProgress() {
    var transfers = Transfers()
    let item = files.item(.directSnd, "", .sndStored, path: "test.jpg")
    transfers.follow(.result(.response1(.newChatItems(user: user, chatItems: [item]))))
    // Nothing was sent yet.
    #expect(!transfers.isEmpty && transfers.rows(of: user).isEmpty)
    transfers.follow(progress(sending: 1, 4))
    #expect(transfers.rows(of: user) == ["sending file 1 (test.jpg) 25% of 136.5 KiB"])
    transfers.follow(progress(receiving: 1, 2, id: 2))
    #expect(transfers.rows(of: user).last == "receiving file 2 (test.jpg) 50% of 136.5 KiB")
    for id in 3...5 { transfers.follow(progress(receiving: 1, 2, id: Int64(id))) }
    #expect(transfers.rows(of: user).count == 4)
    #expect(transfers.rows(of: user).last == "and 2 more files")
    transfers.follow(.sndFileCompleteXFTP(user: user, chatItem: item, fileTransferMeta: files.sent()))
    #expect(transfers.rows(of: user).first == "receiving file 2 (test.jpg) 50% of 136.5 KiB")
    #expect(transfers.failures.isEmpty)
  }

  /// Files of a hidden profile are nobody else's business.
  @Test func rowsOfOneUser() {
    var transfers = Transfers()
    transfers.follow(progress(receiving: 1, 2, of: Samples.user(2, "hidden", isActive: false)))
    #expect(transfers.rows(of: user).isEmpty && transfers.rows(of: nil).isEmpty)
  }

  @Test func endsOfTransfers() {
    let item = files.item(.directRcv, "", .rcvAccepted, path: "test.jpg")
    let (received, sent) = (files.received(), files.sent())
    let events: [ChatEvent] = [
      .rcvFileComplete(user: user, chatItem: item),
      .rcvStandaloneFileComplete(user: user, targetPath: "x", rcvFileTransfer: received),
      .rcvFileSndCancelled(user: user, chatItem: item, rcvFileTransfer: received),
      .rcvFileError(user: user, agentError: .FILE(fileErr: .NO_FILE), rcvFileTransfer: received),
      .sndStandaloneFileComplete(user: user, fileTransferMeta: sent, rcvURIs: []),
      .sndFileError(user: user, fileTransferMeta: sent, errorMessage: "x"),
      .chatItemUpdated(user: user, chatItem: files.item(.directRcv, "", .rcvAborted)),
      .chatItemsDeleted(
        user: user, chatItemDeletions: [ChatItemDeletion(deletedChatItem: item)], byUser: true),
    ]
    for event in events {
      var transfers = Transfers()
      transfers.follow(progress(receiving: 1, 2))
      transfers.follow(event)
      #expect(transfers.isEmpty, "\(event)")
      switch event {
      case .rcvFileError: #expect(transfers.failures == ["File test.jpg was not received: The file does not exist."])
      case .sndFileError: #expect(transfers.failures == ["File test.jpg was not sent: x."])
      default: #expect(transfers.failures.isEmpty)
      }
    }
    for response in [
      ChatResponse2.rcvFileCancelled(user: user, rcvFileTransfer: received),
      .sndFileCancelled(user: user, fileTransferMeta: sent, sndFileTransfers: []),
    ] {
      var transfers = Transfers()
      transfers.follow(progress(receiving: 1, 2))
      transfers.follow(.result(.response2(response)))
      #expect(transfers.isEmpty)
    }
  }

  /// The file that leads to a large one is no file of its own: the large one is complete with its links.
  @Test func redirects() {
    var transfers = Transfers()
    transfers.follow(.result(.response2(.sndStandaloneFileCreated(user: user, fileTransferMeta: files.sent()))))
    transfers.follow(progress(sending: 4, 4))
    transfers.follow(progress(sending: 1, 2, id: 2, redirectFor: 1))
    #expect(transfers.rows(of: user) == ["sending file 1 (test.jpg) 100% of 136.5 KiB"])
    transfers.follow(
      .sndFileError(user: user, fileTransferMeta: files.sent(2, redirectFor: 1), errorMessage: "full"))
    #expect(transfers.failures == ["File test.jpg was not sent: full."])
    #expect(transfers.isEmpty)
  }

  /// A single command waits for its own files, not for those that go on from before.
  @Test func filesOfOneCommand() {
    var transfers = Transfers(followsResultsOnly: true)
    transfers.follow(progress(receiving: 1, 2, id: 7))
    #expect(transfers.isEmpty && transfers.text == nil)
    transfers.follow(
      .result(.response2(.rcvFileAccepted(user: user, chatItem: files.item(.directRcv, "", .rcvAccepted)))))
    transfers.follow(progress(receiving: 1, 2))
    #expect(
      transfers.text == "file 1 (test.jpg) 50% is not complete yet: it continues when the chat runs again.")
  }

  @Test func namesOnTheScreen() {
    var transfers = Transfers()
    var item = files.item(.directSnd, "", .sndStored)
    item.chatItem.file?.fileName = "\u{1B}[2J\n" + String(repeating: "x", count: 300)
    transfers.follow(.newChatItems(user: user, chatItems: [item]))
    transfers.follow(progress(sending: 1, 2))
    let row = transfers.rows(of: user).first ?? ""
    #expect(row.count < 80 && !row.contains("\u{1B}") && !row.contains("\n"), "\(row)")
  }

  // MARK: The screen

  /// The status stands between the lines and the typed text, and leaves no trace.
  @Test func statusOnTheScreen() {
    var screen = LineScreen()
    func layout(_ prompt: String) -> LineLayout { LineLayout(prompt: prompt, [], cursor: 0, width: 40) }
    _ = screen.show([], layout("> "), width: 40, height: 10)
    #expect(screen.show([], layout("sending 1%\n> "), width: 40, height: 10) == "\r\u{1B}[Jsending 1%\r\n> \r\u{1B}[2C")
    #expect(
      screen.show([.lines(["bob> hi"], key: nil)], layout("sending 2%\n> "), width: 40, height: 10)
        == "\u{1B}[1A\r\u{1B}[Jbob> hi\nsending 2%\r\n> \r\u{1B}[2C")
    #expect(screen.show([], layout("> "), width: 40, height: 10) == "\u{1B}[1A\r\u{1B}[J> \r\u{1B}[2C")
  }
}
