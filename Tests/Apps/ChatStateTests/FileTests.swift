import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatState

@Suite @MainActor struct FileTests {
  private let user = Samples.user()

  private func receiving(_ change: (inout FileReceiving) -> Void = { _ in }) -> FileReceiving {
    var settings = FileReceiving()
    change(&settings)
    return settings
  }

  /// A model that receives files by these settings, and its core.
  private func started(_ settings: FileReceiving?) async throws -> (ChatModel, ModelCore) {
    let core = ModelCore(contacts: 1, groups: 1)
    let model = try await startedModel(core)
    if let settings { model.fileReceiving = { settings } }
    return (model, core)
  }

  private func file(_ model: ChatModel, _ chat: ChatId = "@1") -> CIFile? {
    model.getChat(chat)?.chatItems.last?.file
  }

  // MARK: Without asking

  @Test(
    arguments: [
      (MsgContent.image(text: "", image: "data:"), 522_240, true), (.image(text: "", image: "data:"), 522_241, false),
      (.voice(text: "", duration: 3), 522_240, true), (.voice(text: "", duration: 3), 522_241, false),
      (.video(text: "", image: "data:", duration: 3), 1_047_552, true),
      (.video(text: "", image: "data:", duration: 3), 1_047_553, false), (.file("x"), 1, false), (.text("x"), 1, false),
    ] as [(MsgContent, Int64, Bool)])
  func `Media up to these sizes is received without asking`(
    _ content: MsgContent, _ size: Int64, _ isReceived: Bool
  ) async throws {
    let (model, core) = try await started(receiving())
    core.emit(try #require(core.offer(in: "@1", content, size: size)))
    while file(model) == nil { await Task.yield() }
    // A message after it: whatever the first one caused was sent by then.
    if isReceived {
      while file(model)?.fileStatus != .rcvAccepted { await Task.yield() }
    } else {
      try await model.sendMessages(
        to: try #require(model.getChat("@1")).chatInfo, [ComposedMessage(msgContent: .text("x"))])
    }
    #expect(core.fileCommands.count == (isReceived ? 1 : 0))
  }

  @Test func `Files are received as the preferences say`() async throws {
    let preferences = Preferences(MemoryPreferenceStore())
    #expect(preferences.fileReceiving == FileReceiving())
    preferences[GroupDefaults.GROUP_DEFAULT_PRIVACY_ENCRYPT_LOCAL_FILES] = false
    preferences[GroupDefaults.GROUP_DEFAULT_PRIVACY_ASK_TO_APPROVE_RELAYS] = false
    let (model, core) = try await started(nil)
    model.receiveFiles(by: preferences)
    core.emit(try #require(core.offer(in: "@1", .image(text: "", image: "data:"), size: 1, on: ["xftp://a@b"])))
    while file(model)?.fileStatus != .rcvAccepted { await Task.yield() }
    let command = try #require(core.fileCommands.first)
    #expect(command.cmdString == "/freceive 1 approved_relays=on encrypt=off")
    preferences[GroupDefaults.GROUP_DEFAULT_PRIVACY_ACCEPT_IMAGES] = false
    #expect(!preferences.fileReceiving.acceptsMedia)
  }

  @Test func `Files of senders who are blocked wait`() {
    var item = Samples.item(1, direction: .directRcv, text: "", at: Samples.time(0))
    item.content = .rcvMsgContent(msgContent: .image(text: "", image: "data:"))
    item.file = CIFile(fileId: 1, fileName: "x", fileSize: 1, fileStatus: .rcvInvitation, fileProtocol: .xftp)
    #expect(item.automaticFile != nil)
    var member = Samples.member(1, in: 1, "bob")
    item.chatDir = .groupRcv(groupMember: member)
    #expect(item.automaticFile != nil)
    member.memberSettings.showMessages = false
    item.chatDir = .groupRcv(groupMember: member)
    #expect(item.automaticFile == nil)
    item.chatDir = .directRcv
    item.file?.fileStatus = .rcvAccepted
    #expect(item.automaticFile == nil)
  }

  @Test func `A file on unknown servers waits until the user agrees`() async throws {
    let (model, core) = try await started(receiving())
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    core.emit(try #require(core.offer(in: "@1", .image(text: "", image: "data:"), size: 1, on: ["xftp://a@b"])))
    while core.fileCommands.isEmpty { await Task.yield() }
    let error = await #expect(throws: ChatError.self) { try await model.receiveFile(1) }
    #expect(error == .error(errorType: .fileNotApproved(fileId: 1, unknownServers: ["xftp://a@b"])))
    #expect(file(model)?.fileStatus == .rcvInvitation)
    #expect(try await model.receiveFile(1, userApprovedRelays: true))
    #expect(file(model)?.fileStatus == .rcvAccepted)
    // Nobody was bothered by the refusal.
    #expect(!effects.contains { if case .failed = $0 { true } else { false } })
  }

  @Test func `A file that its sender has cancelled is not received`() async throws {
    let (model, core) = try await started(nil)
    core.emit(try #require(core.offer(in: "@1", .file("x"), size: 1, isCancelled: true)))
    while file(model) == nil { await Task.yield() }
    #expect(try await model.receiveFile(1) == false)
    #expect(model.fileTransfers.isEmpty)
  }

  // MARK: Progress

  @Test func `Progress is shown with the item and among the transfers`() async throws {
    let (model, core) = try await started(nil)
    core.emit(try #require(core.offer(in: "@1", .file("x"), size: 90)))
    while file(model) == nil { await Task.yield() }
    try await model.receiveFile(1)
    #expect(model.fileTransfers.map(\.fraction) == [0])
    #expect(model.fileTransfer(1)?.chatId == "@1" && model.fileTransfer(1)?.name == "file1")
    core.emit(try #require(core.transfer(1, 25, of: 100)))
    while model.fileTransfer(1)?.fraction != 0.25 { await Task.yield() }
    #expect(file(model)?.fileStatus == .rcvTransfer(rcvProgress: 25, rcvTotal: 100))
    core.emit(try #require(core.transfer(1, 100, of: 100)))
    while !model.fileTransfers.isEmpty { await Task.yield() }
    #expect(file(model)?.fileStatus == .rcvComplete)
  }

  @Test func `A file whose servers turn out to be unknown is not on its way any more`() async throws {
    let (model, core) = try await started(nil)
    core.emit(try #require(core.offer(in: "@1", .file("x"), size: 90)))
    while file(model) == nil { await Task.yield() }
    try await model.receiveFile(1)
    #expect(model.fileTransfers.count == 1)
    let chat = try #require(model.getChat("@1"))
    var item = try #require(chat.chatItems.last)
    core.emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: chat.chatInfo, chatItem: item)))
    item.file?.fileStatus = .rcvAborted
    core.emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: chat.chatInfo, chatItem: item)))
    while file(model)?.fileStatus != .rcvAborted { await Task.yield() }
    #expect(model.fileTransfers.isEmpty)
  }

  @Test func `A cancelled file can be received again`() async throws {
    let (model, core) = try await started(nil)
    core.emit(try #require(core.offer(in: "@1", .file("x"), size: 90)))
    while file(model) == nil { await Task.yield() }
    try await model.receiveFile(1)
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    try await model.cancelFile(1)
    #expect(model.fileTransfers.isEmpty && file(model)?.fileStatus == .rcvInvitation)
    #expect(effects.contains { if case .cleanupFile = $0 { true } else { false } })
    try await model.receiveFile(1)
    #expect(model.fileTransfers.count == 1)
    await #expect(throws: ChatError.self) { try await model.cancelFile(77) }
  }

  @Test func `Files go with their items and chats`() async throws {
    let (model, core) = try await started(nil)
    for chat in ["@1", "#1"] { core.emit(try #require(core.offer(in: chat, .file("x"), size: 90))) }
    while file(model, "#1") == nil { await Task.yield() }
    for id in [1, 2] { try await model.receiveFile(Int64(id)) }
    var effects: [StateEffect] = []
    model.onEffect = { effects.append($0) }
    core.emit(try #require(core.delete(in: "@1", [1])))
    while model.fileTransfer(1) != nil { await Task.yield() }
    #expect(effects.contains { if case .cleanupFile(let item) = $0 { item.chatItem.id == 1 } else { false } })
    try await model.clear(try #require(model.getChat("#1")))
    #expect(model.fileTransfers.isEmpty)
  }

  // MARK: Outside of chats

  @Test func `Files outside of chats keep their result`() async throws {
    let (model, core) = try await started(nil)
    let sent = try await model.uploadFile(CryptoFile(filePath: "archive.zip"))
    #expect(model.fileTransfer(sent)?.isSending == true && model.fileTransfer(sent)?.chatId == nil)
    var meta = Samples.sent(sent)
    core.emit(.sndFileProgressXFTP(user: user, fileTransferMeta: meta, sentSize: 50, totalSize: 100))
    while model.fileTransfer(sent)?.fraction != 0.5 { await Task.yield() }
    // The file that leads to it is no other file.
    core.emit(.sndFileRedirectStartXFTP(user: user, fileTransferMeta: meta, redirectMeta: Samples.sent(7)))
    meta.fileId = 7
    meta.xftpRedirectFor = sent
    core.emit(.sndFileProgressXFTP(user: user, fileTransferMeta: meta, sentSize: 1, totalSize: 100))
    core.emit(
      .sndStandaloneFileComplete(user: user, fileTransferMeta: Samples.sent(sent), rcvURIs: ["simplex:/file#1"]))
    while model.fileTransfer(sent)?.phase == .running { await Task.yield() }
    #expect(model.fileTransfers.map(\.phase) == [.sent(links: ["simplex:/file#1"])])
    let received = try await model.downloadFile("simplex:/file#1", to: CryptoFile(filePath: "archive.zip"))
    core.emit(
      .rcvFileWarning(
        user: user, agentError: .FILE(fileErr: .NO_FILE), rcvFileTransfer: Samples.received(received, size: 1)))
    while model.fileTransfer(received)?.warning == nil { await Task.yield() }
    // What is running stays.
    model.forgetFile(received)
    #expect(model.fileTransfer(received) != nil)
    core.emit(
      .rcvFileError(user: user, agentError: .FILE(fileErr: .SIZE), rcvFileTransfer: Samples.received(received, size: 1))
    )
    while model.fileTransfer(received)?.phase == .running { await Task.yield() }
    #expect(model.fileTransfer(received)?.phase == .failed(reason: FileErrorType.SIZE.text))
    for id in [sent, received] { model.forgetFile(id) }
    #expect(model.fileTransfers.isEmpty)
  }

  @Test func `Files of other users are not shown`() {
    var state = AppState()
    state.session.currentUser = user
    _ = state.reduce(
      .rcvFileProgressXFTP(
        user: Samples.user(2, "work", isActive: false), receivedSize: 1, totalSize: 2,
        rcvFileTransfer: Samples.received(1, size: 1)), at: Samples.time(0))
    #expect(state.transfers.files[1]?.userId == 2)
    let model = ChatModel()
    model.currentUser = user
    model.processReceivedMsg(
      .rcvFileProgressXFTP(
        user: Samples.user(2, "work", isActive: false), receivedSize: 1, totalSize: 2,
        rcvFileTransfer: Samples.received(1, size: 1)))
    #expect(model.fileTransfers.isEmpty && model.fileTransfer(1) != nil)
  }
}
