import ChatAPI
import ChatState

extension ModelCore.World {
  /// What the core knows of files. The id of a file is that of its item.
  struct Files: Sendable {
    /// Servers that the user has to approve, by the id of the file.
    var unapproved: [Int64: [String]] = [:]
    /// Files that their senders have cancelled.
    var cancelled: Set<Int64> = []
    /// The commands about files that were executed.
    var commands: [ChatCommand] = []
    var nextStandaloneId: Int64 = 1_000
  }

  /// Executes a command about files.
  mutating func answerFile(_ command: ChatCommand) -> Result<any ChatAPIResult, ChatError> {
    files.commands.append(command)
    switch command {
    case .receiveFile(let id, let isApproved, _, _, _):
      if let servers = files.unapproved[id], !isApproved {
        return .failure(.error(errorType: .fileNotApproved(fileId: id, unknownServers: servers)))
      }
      if files.cancelled.contains(id) {
        return .success(
          ChatResponse2.rcvFileAcceptedSndCancelled(user: user, rcvFileTransfer: Samples.received(id, size: 1)))
      }
      guard let item = setFile(id, to: .rcvAccepted) else {
        return .failure(.errorStore(storeError: .rcvFileNotFound(fileId: id)))
      }
      return .success(ChatResponse2.rcvFileAccepted(user: user, chatItem: item))
    case .cancelFile(let id):
      guard let item = setFile(id, to: .rcvInvitation) else {
        return .failure(.errorStore(storeError: .fileNotFound(fileId: id)))
      }
      return .success(
        ChatResponse2.rcvFileCancelled(
          user: user, chatItem_: item, rcvFileTransfer: Samples.received(id, size: item.chatItem.file?.fileSize ?? 0)))
    case .apiUploadStandaloneFile:
      files.nextStandaloneId += 1
      return .success(
        ChatResponse2.sndStandaloneFileCreated(user: user, fileTransferMeta: Samples.sent(files.nextStandaloneId)))
    default:
      files.nextStandaloneId += 1
      return .success(
        ChatResponse2.rcvStandaloneFileCreated(
          user: user, rcvFileTransfer: Samples.received(files.nextStandaloneId, size: 100)))
    }
  }

  /// Changes the state of a file in its item.
  mutating func setFile(_ id: Int64, to status: CIFileStatus) -> AChatItem? {
    for chat in chats.keys where chats[chat]?.items.contains(where: { $0.id == id && $0.file != nil }) == true {
      return change(in: chat, item: id) { $0.file?.fileStatus = status }
    }
    return nil
  }
}

// Actions of peers and servers with files.
extension ModelCore {
  /// The commands about files that were executed.
  public var fileCommands: [ChatCommand] { world.withLock { $0.files.commands } }

  /// A peer sends a message with a file.
  ///
  /// - Parameter servers: File servers that the user has not approved.
  public func offer(
    in id: ChatId, _ content: MsgContent, size: Int64, on servers: [String] = [], isCancelled: Bool = false
  ) -> ChatEvent? {
    guard case .newChatItems(_, let items)? = receive(in: id, content.text), let item = items.first else { return nil }
    let fileId = item.chatItem.id
    return world.withLock { world in
      if !servers.isEmpty { world.files.unapproved[fileId] = servers }
      if isCancelled { world.files.cancelled.insert(fileId) }
      let changed = world.change(in: id, item: fileId) { item in
        item.content = .rcvMsgContent(msgContent: content)
        item.file = CIFile(
          fileId: fileId, fileName: "file\(fileId)", fileSize: size, fileStatus: .rcvInvitation, fileProtocol: .xftp)
      }
      return changed.map { .newChatItems(user: world.user, chatItems: [$0]) }
    }
  }

  /// A part of a file arrives, or its last one.
  public func transfer(_ fileId: Int64, _ done: Int64, of total: Int64) -> ChatEvent? {
    world.withLock { world in
      let isComplete = done >= total
      let item = world.setFile(
        fileId, to: isComplete ? .rcvComplete : .rcvTransfer(rcvProgress: done, rcvTotal: total))
      guard let item else { return nil }
      if isComplete { return .rcvFileComplete(user: world.user, chatItem: item) }
      return .rcvFileProgressXFTP(
        user: world.user, chatItem_: item, receivedSize: done, totalSize: total,
        rcvFileTransfer: Samples.received(fileId, size: item.chatItem.file?.fileSize ?? 0))
    }
  }
}

extension Samples {
  /// A file being received.
  public static func received(_ id: Int64, size: Int64, status: RcvFileStatus = .new) -> RcvFileTransfer {
    RcvFileTransfer(
      fileId: id, fileInvitation: FileInvitation(fileName: "file\(id)", fileSize: size), fileStatus: status,
      senderDisplayName: "bob", chunkSize: 65_536, cancelled: false)
  }

  /// A file being sent.
  public static func sent(_ id: Int64, size: Int64 = 100, redirectFor: Int64? = nil) -> FileTransferMeta {
    FileTransferMeta(
      fileId: id, xftpRedirectFor: redirectFor, fileName: "file\(id)", filePath: "file\(id)", fileSize: size,
      chunkSize: 65_536, cancelled: false)
  }
}
