import ChatAPI

extension ChatView {
  // MARK: Items

  /// The lines about the file of an item, below those of its text.
  func fileLines(of file: CIFile, in item: AChatItem, from peer: StyledText) -> [StyledText] {
    let start = shortTime(item.chatItem.meta.itemTs) + " "
    if case .local = item.chatInfo {
      return file.fileSource.map { ["\(start)\(peer)\(self.file(file.fileId, $0.filePath))"] } ?? []
    }
    guard item.chatItem.chatDir.sent else {
      let size = "\(Self.readable(file.fileSize)) / \(file.fileSize) bytes"
      return ["\(start)\(peer)sends file \(file.fileName) (\(size))"] + receivedLines(file, in: item)
    }
    guard let source = file.fileSource else { return [] }
    return ["\(self.start(item))/f \(peer)\(source.filePath)"] + sentLines(file, in: item)
  }

  /// What can be done with a received file. A person is told where that makes no sense any more; programs know the line
  /// of the reference, which is the same for every state but one.
  private func receivedLines(_ file: CIFile, in item: AChatItem) -> [StyledText] {
    switch file.fileStatus {
    case .rcvAccepted: []
    case .rcvTransfer, .rcvComplete, .rcvCancelled, .rcvError, .rcvWarning:
      showsStatus ? status(ofFileIn: item) : [howToReceive(file)]
    default: [howToReceive(file)]
    }
  }

  private func howToReceive(_ file: CIFile) -> StyledText {
    guard let receivedFolder else { return "use \(.highlight("/fr \(file.fileId) [<dir>/ | <path>]")) to receive it" }
    return
      "use \(.highlight("/fr \(file.fileId) [<dir>/ | <path>]")) to receive it; without a path it goes into \(StyledText(receivedFolder))/"
  }

  private func sentLines(_ file: CIFile, in item: AChatItem) -> [StyledText] {
    let cancel: StyledText = "use \(.highlight("/fc \(file.fileId)")) to cancel sending"
    switch file.fileStatus {
    case .sndTransfer: return []
    case .sndCancelled, .sndError: return showsStatus ? status(ofFileIn: item) : [cancel]
    default: return [cancel]
    }
  }

  // MARK: Events

  /// The lines of an event about files.
  func fileLines(_ event: ChatEvent) -> [StyledText] {
    switch event {
    case .rcvFileDescrReady, .rcvFileProgressXFTP, .sndFileProgressXFTP: []
    case .rcvFileAccepted(let user, let item): of(user, saving(item))
    case .rcvFileAcceptedSndCancelled(let user, let transfer), .rcvFileSndCancelled(let user, _, let transfer):
      of(user, cancelledBySender(transfer))
    case .rcvFileStart(let user, let item): of(user, receiving("started", item))
    case .rcvFileComplete(let user, let item):
      of(user, receiving("completed", item) + key(ofFileIn: item) + fetching(item, of: user))
    case .rcvStandaloneFileComplete(let user, _, let transfer): of(user, receiving("completed", transfer))
    case .rcvFileError(let user, let item, let error, let transfer):
      of(user, (item.map { receiving("error", $0) } ?? receiving("error", transfer)) + [text(error)])
    case .rcvFileWarning(let user, let item, let error, let transfer):
      of(user, (item.map { receiving("warning:", $0) } ?? receiving("warning:", transfer)) + [text(error)])
    case .sndFileStart(let user, _, let transfer): of(user, sending("started", transfer))
    case .sndFileComplete(let user, _, let transfer): of(user, sending("completed", transfer))
    case .sndFileRcvCancelled(let user, _, let transfer):
      of(
        user,
        "\(.contact(transfer.recipientDisplayName)) cancelled receiving \(file(transfer.fileId, transfer.fileName))")
    case .sndFileRedirectStartXFTP(let user, let file, let redirect):
      of(user, "\(self.file(file)) uploaded, preparing redirect file \(redirect.fileId)")
    case .sndFileCompleteXFTP(let user, let item, _): of(user, uploading("completed", item))
    case .sndStandaloneFileComplete(let user, let file, let links):
      of(
        user,
        ["\(self.file(file)) upload complete\(links.isEmpty ? "." : ". download with:")"]
          + links.map { StyledText($0) })
    case .sndFileError(let user, let item, let file, let message):
      of(user, [item.map { uploading("error", $0) } ?? uploading("error", file), StyledText(message)])
    case .sndFileWarning(let user, let item, let file, let message):
      of(user, [item.map { uploading("warning:", $0) } ?? uploading("warning:", file), StyledText(message)])
    default: groupLines(event)
    }
  }

  // MARK: Responses

  /// The lines of a response about files.
  func fileLines(_ response: ChatResponse2) -> [StyledText] {
    switch response {
    case .rcvFileAccepted(let user, let item): of(user, saving(item))
    case .rcvFileAcceptedSndCancelled(let user, let transfer): of(user, cancelledBySender(transfer))
    case .standaloneFileInfo(let info): [info.map { json($0) } ?? "no file information in URI"]
    case .rcvStandaloneFileCreated(let user, let transfer): of(user, receiving("started", transfer))
    case .rcvFileCancelled(let user, _, let transfer):
      of(
        user,
        "cancelled receiving \(file(transfer))"
          + (transfer.senderDisplayName.isEmpty ? "" : " from \(.contact(transfer.senderDisplayName))"))
    case .sndFileCancelled(let user, _, let file, let transfers):
      of(user, "cancelled sending \(self.file(file))" + recipients(of: transfers))
    case .sndStandaloneFileCreated(let user, let file): of(user, uploading("started", file))
    default: groupLines(response)
    }
  }

  /// Those who did not have the file yet.
  private func recipients(of transfers: [SndFileTransfer]) -> StyledText {
    let waiting = transfers.filter { $0.fileStatus != .cancelled && $0.fileStatus != .complete }
    return waiting.isEmpty ? "" : " to " + names(waiting)
  }

  // MARK: Errors

  /// The lines of an error about files.
  func fileLines(_ error: ChatErrorType) -> [StyledText] {
    switch error {
    case .noSndFileUser(let id): told(.error, "error: user of a sent file not found, file id: \(id)")
    case .noRcvFileUser(let id): told(.error, "error: user of a received file not found, file id: \(id)")
    case .fileNotFound(let name): [StyledText("file not found: \(name)")]
    case .fileSize(let path): [StyledText("file size exceeds the limit: \(path)")]
    case .fileAlreadyReceiving(let name): [StyledText("file is already being received: \(name)")]
    case .fileCancelled(let name): [StyledText("file cancelled: \(name)")]
    case .fileCancel(let id, let reason): [StyledText("error cancelling file \(id): \(reason)")]
    case .fileAlreadyExists(let path): [StyledText("file already exists: \(path)")]
    case .fileWrite(let path, let reason): [StyledText("cannot write file \(path): \(reason)")]
    case .fileSend(let id, let error): ["error sending file \(id): \(text(error))"]
    case .fileRcvChunk(let reason): [StyledText("error receiving file: \(reason)")]
    case .fileInternal(let reason): [StyledText("file error: \(reason)")]
    case .fileImageType: ["image type must be jpg, png or gif, send as a file using \(.highlight("/f"))"]
    case .fileImageSize: ["max image size: 522240 bytes, resize it or send as a file using \(.highlight("/f"))"]
    case .fileNotReceived(let id): [StyledText("file \(id) not received")]
    case .fileNotApproved(let id, let servers):
      ["file \(id) is on servers that are not yours, which would see your IP address:"]
        + servers.map { StyledText($0) }
        + ["use \(.highlight("/fr \(id) approved_relays=on")) to receive it"]
    case .fallbackToSMPProhibited(let id):
      [StyledText("recipient tried to accept file \(id) via old protocol, prohibited")]
    case .inlineFileProhibited(let id): [StyledText("file \(id) was sent without being accepted, and was refused")]
    case .invalidFileDescription(let reason): [StyledText("invalid file description: \(reason)")]
    default: groupLines(error)
    }
  }
}

// MARK: Phrases
extension ChatView {
  private func file(_ id: Int64, _ name: String) -> StyledText { StyledText("file \(id) (\(name))") }

  private func file(_ file: FileTransferMeta) -> StyledText { self.file(file.fileId, file.fileName) }

  private func file(_ transfer: RcvFileTransfer) -> StyledText {
    file(transfer.fileId, transfer.fileInvitation.fileName)
  }

  private func saving(_ item: AChatItem) -> StyledText {
    guard let file = item.chatItem.file, let source = file.fileSource else { return "saving file" }
    return "saving file \(file.fileId)\(sender(of: item)) to \(source.filePath)"
  }

  private func receiving(_ status: String, _ item: AChatItem) -> [StyledText] {
    guard let file = item.chatItem.file else { return [StyledText("\(status) receiving file")] }
    return ["\(status) receiving \(self.file(file.fileId, file.fileName))\(sender(of: item))"]
  }

  /// Of a file outside of chats.
  private func receiving(_ status: String, _ transfer: RcvFileTransfer) -> [StyledText] {
    ["\(status) standalone receiving \(file(transfer))"]
  }

  private func sending(_ status: String, _ transfer: SndFileTransfer) -> StyledText {
    "\(status) sending \(file(transfer.fileId, transfer.fileName)) to \(.contact(transfer.recipientDisplayName))"
  }

  private func uploading(_ status: String, _ item: AChatItem) -> StyledText {
    guard let file = item.chatItem.file else { return StyledText("\(status) uploading file") }
    let line: StyledText = "\(status) uploading \(self.file(file.fileId, file.fileName))"
    switch (item.chatInfo, item.chatItem.chatDir) {
    case (.direct(let contact), .directSnd): return "\(line) for \(name(contact))"
    case (.group(let group, _), .groupSnd): return "\(line) for \(name(group))"
    default: return line
    }
  }

  /// Of a file outside of chats.
  private func uploading(_ status: String, _ file: FileTransferMeta) -> StyledText {
    "\(status) standalone uploading \(self.file(file))"
  }

  private func cancelledBySender(_ transfer: RcvFileTransfer) -> StyledText {
    "\(.contact(transfer.senderDisplayName)) cancelled sending \(file(transfer))"
  }

  private func sender(of item: AChatItem) -> StyledText {
    switch (item.chatInfo, item.chatItem.chatDir) {
    case (.direct(let contact), .directRcv): " from \(name(contact))"
    case (_, .groupRcv(let member)): " from \(name(member))"
    case (.group(let group, _), .channelRcv): " from \(name(group))"
    default: ""
    }
  }

  /// An error of the agent: in words for a person, as Haskell shows it for programs.
  func text(_ error: AgentErrorType) -> StyledText { StyledText(showsStatus ? error.text : ConstructorText.of(error)) }

  /// What opens the file where it is encrypted here: in words for a person, as JSON for programs.
  private func key(ofFileIn item: AChatItem) -> [StyledText] {
    guard let key = item.chatItem.file?.fileSource?.cryptoArgs else { return [] }
    return [showsStatus ? StyledText("encryption key: \(key.fileKey), nonce: \(key.fileNonce)") : json(key)]
  }

  func names(_ transfers: [SndFileTransfer]) -> StyledText {
    let names = transfers.map { StyledText.contact($0.recipientDisplayName) }
    return names.dropFirst().reduce(names.first ?? "") { "\($0), \($1)" }
  }

  /// A size of a file as people say it: `266.0 KiB`.
  static func readable(_ size: Int64) -> String {
    guard size >= 1024 else { return "\(size) bytes" }
    let units = ["KiB", "MiB", "GiB"]
    var value = Double(size) / 1024
    var unit = 0
    while value >= 1024, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// How much of a file was transferred, such as `34% of 17.0 MiB`.
  static func progress(_ done: Int64, of total: Int64, size: Int64) -> String {
    "\(FileProgress.percent(done, of: total))% of \(readable(size))"
  }
}
