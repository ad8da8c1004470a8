import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FileAccess
import SimplexCrypto

// Files that old clients send in messages, without a file relay: they are received, and not sent.

extension Turn {
  /// The message that a file without one is shown as.
  static func message(with file: FileInvitation) -> MsgContainer { MsgContainer(content: .file(""), file: file) }

  /// Begins to receive a voice message that is sent without being asked for.
  func acceptAtOnce(_ id: Int64, _ content: MsgContent) throws {
    let file = try rows.file(id)
    guard file.fileProtocol == .smp, file.inlineMode == .sent, content.isVoice,
      file.size <= FileRules.inlineSizeLimit
    else { return }
    // Others stay invitations. Old clients, which alone send such files, send one in a message.
    guard createdFiles < StepLimit.createdFiles.rawValue, let user = try rows.userIfPresent(file.userId),
      try isWithinBudget(.inlineFiles, of: user)
    else { return }
    createdFiles += 1
    let path: String
    do throws(ChatError) {
      path = try environment.folders.createReceived(file.name) { (try? rows.isPlace($0)) ?? true }
    } catch {
      // The message is shown nevertheless.
      return emit(error)
    }
    let place = CryptoFile(filePath: path, cryptoArgs: environment.encryptsFiles ? .random() : nil)
    try rows.acceptFile(id, as: place, approvesRelays: false, inline: .sent)
  }

  /// Accepts a file that is offered in messages, and asks its sender for it.
  func acceptOffered(_ file: StoredFile, as place: CryptoFile, of user: User) throws -> AChatItem {
    try rows.acceptFile(file.id, as: place, approvesRelays: false, inline: .offer)
    guard let shown = try item(of: file, user),
      let id = shown.chatItem.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) })
    else { throw StoreError.sharedMsgIdNotFoundByFileId(fileId: file.id) }
    let event = ChatMessageEvent.fileAcptInv(msgId: id, fileName: file.name)
    switch (shown.chatInfo, file.memberId) {
    case (.direct(let contact), _): try send(event, to: contact)
    case (.group, let member?):
      guard let connection = try rows.member(member, of: user).sendingConnection else {
        throw ChatErrorType.fileInternal(message: "member connection not active")
      }
      try send([event], over: connection)
    default: throw ChatErrorType.fileInternal(message: "invalid chat ref for file transfer")
    }
    return shown
  }

  /// Handles that somebody asks for a file in messages: this version sends none.
  func refuseInline(item: Int64?) throws {
    guard let file = try item.flatMap({ try rows.file(ofItem: $0) }), file.isSent else { return }
    throw ChatErrorType.fallbackToSMPProhibited(fileId: file.id)
  }

  /// Handles a part of a file that comes in a message. The parts come in order.
  /// - Parameter itemId: the item of the message with the file.
  func received(_ chunk: InlineFileChunk, item itemId: Int64?, of user: User) throws {
    guard let itemId, let file = try rows.file(ofItem: itemId), !file.isSent, file.fileProtocol == .smp else {
      throw StoreError.fileIdNotFoundBySharedMsgId(sharedMsgId: chunk.msgId.text)
    }
    guard !file.isReceivedOrCancelled else { return }
    guard case .data(let number, let bytes) = chunk.part else { return try cancelledBySender(file, of: user) }
    guard file.step != .new, let path = file.path else {
      if number == 1 { throw ChatErrorType.inlineFileProhibited(fileId: file.id) }
      return
    }
    let known = try rows.receivedParts(ofFile: file.id)
    guard number != known else { return }
    let offset = known * file.chunkSize
    let expected = min(file.chunkSize, file.size - offset)
    guard number == known + 1, expected > 0, bytes.count == expected else {
      try cancelReceiving(file)
      return emit(.error(errorType: .fileRcvChunk(message: "bad chunk")))
    }
    let isLast = offset + expected == file.size
    // Written before the turn is stored: if it is undone, the part is written again, unless the file was encrypted.
    if !isLast || !isEncrypted(file, path) {
      try write(bytes, at: offset, to: environment.folders.path(path))
      if isLast { try encrypt(file, path) }
    }
    try rows.setReceivedParts(Int64(number), ofFile: file.id)
    if number == 1 {
      try rows.setStep(.connected, .rcvTransfer(rcvProgress: 0, rcvTotal: 1), ofFile: file.id)
      if let shown = try item(of: file, user) { emit(.rcvFileStart(user: user, chatItem: shown)) }
    }
    guard isLast else { return }
    try rows.setStep(.complete, .rcvComplete, ofFile: file.id)
    if let shown = try item(of: file, user) { emit(.rcvFileComplete(user: user, chatItem: shown)) }
  }

  private func write(_ bytes: [UInt8], at offset: Int64, to path: String) throws {
    do throws(FileAccess.FileError) {
      let file = try FileDescriptor(path, .updating)
      try bytes.span.bytes.withUnsafeBytes { (part) throws(FileAccess.FileError) in try file.write(part, at: offset) }
      try file.sync()
    } catch {
      throw ChatErrorType.fileWrite(filePath: path, message: error.description)
    }
  }

  /// Whether all parts are there, and were encrypted: then there is a tag more.
  private func isEncrypted(_ file: StoredFile, _ path: String) -> Bool {
    file.cryptoArgs != nil
      && PathStatus.size(of: environment.folders.path(path)) == file.size + Int64(BoxKey.overhead)
  }

  /// Encrypts a file that was received unencrypted. It is small. At any time the file is unencrypted, or encrypted as a
  /// whole.
  private func encrypt(_ file: StoredFile, _ path: String) throws {
    guard file.cryptoArgs != nil else { return }
    let source = LocalFile(path: environment.folders.path(path))
    let target = try environment.folders.localFile(CryptoFile(filePath: path, cryptoArgs: file.cryptoArgs))
    let folder = Folder.parent(of: target.path) ?? "."
    let draft = LocalFile(path: "\(folder)/.\(file.id).encrypting", encryption: target.encryption)
    do {
      try draft.write(try source.contents())
      try FileDescriptor(draft.path, .reading).sync()
      try WholeFile.move(draft.path, to: target.path)
    } catch {
      environment.folders.remove(draft.path)
      throw ChatErrorType.fileWrite(filePath: path, message: "\(error)")
    }
  }
}
