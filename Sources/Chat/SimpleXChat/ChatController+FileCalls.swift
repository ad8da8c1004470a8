import ChatAPI

// Files, for programs: methods for frequent tasks, as in `ChatController+Conveniences.swift`.

extension ChatController {
  /// Sends a file to a chat, and returns its item. The event `sndFileCompleteXFTP` says when recipients can receive it,
  /// `sndFileError` that they cannot.
  /// - Parameters:
  ///   - path: the file; a relative path is of the folder of files, if one is set.
  ///   - text: the text of the message.
  ///   - quoted: the item it answers.
  /// - Throws: `fileNotFound`, `fileSize` for one that is empty or too large; otherwise as ``send(_:to:quoting:)``.
  @discardableResult
  public func sendFile(
    _ path: String, to chat: ChatRef, text: String = "", quoting quoted: ChatItem? = nil
  ) async throws(ChatError) -> AChatItem {
    try await sendFile(CryptoFile(filePath: path), as: .file(text), to: chat, quoting: quoted)
  }

  /// Sends a file with a content of its kind, such as an image with its preview or a voice message.
  /// - Parameter file: the file, with its key if it is encrypted on this device.
  /// - Throws: as the other `sendFile`.
  @discardableResult
  public func sendFile(
    _ file: CryptoFile, as content: MsgContent, to chat: ChatRef, quoting quoted: ChatItem? = nil
  ) async throws(ChatError) -> AChatItem {
    let message = ComposedMessage(fileSource: file, quotedItemId: quoted?.meta.itemId, msgContent: content)
    return try await send(message, to: chat)
  }

  /// Begins to receive the file of a message. The event `rcvFileComplete` says when it is there and where,
  /// `rcvFileError` that it cannot be received.
  /// - Parameters:
  ///   - path: the file to write, or a folder that exists; nil for the folder of files.
  ///   - approvesServers: whether file servers that are not the user's may see the IP address.
  /// - Returns: the item; nil if the sender has cancelled the file.
  /// - Throws: `fileNotApproved` with the servers that are not the user's; `fileNotFound` if the item has no file;
  ///   `fileAlreadyReceiving` or `fileCancelled` if it was accepted or cancelled before.
  @discardableResult
  public func receiveFile(
    of item: AChatItem, to path: String? = nil, approvesServers: Bool = false
  ) async throws(ChatError) -> AChatItem? {
    let file = try item.requiredFile()
    let response = try await request(
      .receiveFile(
        fileId: file.fileId, userApprovedRelays: approvesServers, encrypted: nil, inline: nil, filePath: path))
    switch response {
    case .response2(.rcvFileAccepted(_, let changed)): return changed
    case .response2(.rcvFileAcceptedSndCancelled): return nil
    default: throw .error(errorType: .exception(message: "unexpected response of receiveFile"))
    }
  }

  /// Waits until the file of a message is complete, and returns its item: one that is sent can be received by others,
  /// one that is received is in the folder. ``receiveFile(of:to:approvesServers:)`` begins to receive it.
  ///
  /// Other readers of ``events`` get the same events. A cancellation by a command is noticed within 10 seconds.
  /// - Throws: `fileCancelled` with the reason if either side cancelled it, if it cannot be transferred, or if the task
  ///   that waits is cancelled; `fileNotFound` if the item has no file; `errorStore` if the item was deleted.
  public func completedFile(of item: AChatItem) async throws(ChatError) -> AChatItem {
    let id = try item.requiredFile().fileId
    let events = eventQueue.observer()
    while true {
      let current = try await reloaded(item)
      let file = try current.requiredFile()
      // The file of a note is not transferred.
      if file.fileProtocol == .local { return current }
      switch file.fileStatus {
      case .sndComplete, .rcvComplete: return current
      case .sndCancelled, .rcvCancelled: throw .fileEnded("cancelled")
      case .rcvAborted: throw .fileEnded("aborted")
      case .sndError(let error), .rcvError(let error): throw .fileEnded(error.text)
      case .invalid(let text): throw .fileEnded(text)
      case .sndStored, .sndTransfer, .sndWarning, .rcvInvitation, .rcvAccepted, .rcvTransfer, .rcvWarning: break
      }
      // Commands end transfers without an event, so the stored state is read again every 10 seconds; and once the
      // controller is closed, whose queue has no next event.
      let deadline = ContinuousClock.now + .seconds(10)
      var silences = 0
      while silences < 10, .now < deadline {
        let event = await events.next(within: .seconds(1))
        if Task.isCancelled { throw .fileEnded("the waiting task was cancelled") }
        if case .result(let event) = event, event.endsFile(id) { break }
        if event == nil { silences += 1 }
      }
    }
  }

  /// The item as it is stored now.
  private func reloaded(_ item: AChatItem) async throws(ChatError) -> AChatItem {
    guard let chat = item.chat else { throw .unsupported }
    let id = item.chatItem.meta.itemId
    let items = try await items(of: chat, .around(chatItemId: id, count: 1))
    guard let current = items.first(where: { $0.meta.itemId == id }) else {
      throw .errorStore(storeError: .chatItemNotFound(itemId: id))
    }
    return AChatItem(chatInfo: item.chatInfo, chatItem: current)
  }

  /// Cancels sending or receiving the file of a message.
  /// - Throws: `fileNotFound` if the item has no file; `fileCancel` if it was cancelled before or is received.
  public func cancelFile(of item: AChatItem) async throws(ChatError) {
    _ = try await request(.cancelFile(fileId: try item.requiredFile().fileId))
  }
}

extension ChatError {
  fileprivate static func fileEnded(_ reason: String) -> ChatError {
    .error(errorType: .fileCancelled(message: reason))
  }
}

extension ChatEvent {
  /// Whether the event says that a file is complete or will not be.
  fileprivate func endsFile(_ id: Int64) -> Bool {
    switch self {
    case .rcvFileComplete(_, let item), .rcvFileSndCancelled(_, let item, _), .sndFileCompleteXFTP(_, let item, _):
      item.chatItem.file?.fileId == id
    case .rcvFileError(_, _, _, let file): file.fileId == id
    case .sndFileError(_, _, let file, _): file.fileId == id
    default: false
    }
  }
}

extension AChatItem {
  /// The file that somebody else offers with a message and that is not received yet; nil for everything else.
  public var offeredFile: CIFile? {
    guard case .rcvMsgContent = chatItem.content, let file = chatItem.file, file.fileStatus == .rcvInvitation else {
      return nil
    }
    return file
  }

  fileprivate func requiredFile() throws(ChatError) -> CIFile {
    guard let file = chatItem.file else { throw .error(errorType: .fileNotFound(message: "the item has no file")) }
    return file
  }
}
