import ChatAPI

/// The files that are being sent and received, as far as responses and events told.
struct Transfers: Sendable {
  /// A file on its way.
  struct Transfer: Hashable, Sendable {
    /// Whose chats it belongs to.
    let userId: Int64
    let isSending: Bool
    let name: String
    /// Bytes.
    let size: Int64
    /// How many percent were transferred; nil before the first part.
    var percent: Int64?
  }

  /// The files that are not complete, by their ids.
  private(set) var running: [Int64: Transfer] = [:]
  /// What went wrong, a sentence each.
  private(set) var failures: [String] = []
  /// Whether only files are followed that results of commands told of, not those that go on from an earlier start.
  private let followsResultsOnly: Bool

  /// None yet.
  init(followsResultsOnly: Bool = false) { self.followsResultsOnly = followsResultsOnly }

  /// Whether nothing is on its way.
  var isEmpty: Bool { running.isEmpty }

  // MARK: Changes

  /// Takes the result of a command.
  mutating func follow(_ result: APIResult<ChatResponse>) {
    switch result {
    case .result(.response1(.newChatItems(let user, let items))): add(items, of: user)
    case .result(.response1(.chatItemsDeleted(_, let deletions, _, _))): remove(deletions)
    case .result(.response2(.rcvFileAccepted(let user, let item))): begin(item, of: user)
    case .result(.response2(.rcvStandaloneFileCreated(let user, let file))): begin(file, of: user)
    case .result(.response2(.sndStandaloneFileCreated(let user, let file))): begin(file, of: user)
    case .result(.response2(.rcvFileCancelled(_, _, let file))): running[file.fileId] = nil
    case .result(.response2(.sndFileCancelled(_, _, let file, _))): running[file.fileId] = nil
    default: break
    }
  }

  /// Takes an event.
  mutating func follow(_ event: ChatEvent) {
    if !followsResultsOnly { beginFile(of: event) }
    switch event {
    case .chatItemsDeleted(_, let deletions, _, _): remove(deletions)
    case .chatItemUpdated(_, let item):
      switch item.chatItem.file?.fileStatus {
      case .rcvAborted, .rcvInvitation: running[item.chatItem.file?.fileId ?? 0] = nil
      default: break
      }
    case .rcvFileProgressXFTP(_, _, let done, let total, let file):
      running[file.fileId]?.percent = FileProgress.percent(done, of: total)
    // The file that leads to a large one belongs to it.
    case .sndFileProgressXFTP(_, _, let file, let done, let total) where file.xftpRedirectFor == nil:
      running[file.fileId]?.percent = FileProgress.percent(done, of: total)
    case .rcvFileError(_, _, let error, let file):
      fail(file.fileId, "File \(file.invitedName) was not received: \(error.text).")
    case .sndFileError(_, _, let file, let reason):
      fail(file.xftpRedirectFor ?? file.fileId, "File \(file.fileName) was not sent: \(reason).")
    default:
      if let id = event.endedFile { running[id] = nil }
    }
  }

  private mutating func beginFile(of event: ChatEvent) {
    switch event {
    case .newChatItems(let user, let items): add(items, of: user)
    case .rcvFileAccepted(let user, let item), .rcvFileStart(let user, let item): begin(item, of: user)
    case .rcvFileProgressXFTP(let user, _, _, _, let file): begin(file, of: user)
    case .sndFileProgressXFTP(let user, _, let file, _, _) where file.xftpRedirectFor == nil: begin(file, of: user)
    default: break
    }
  }

  private mutating func add(_ items: [AChatItem], of user: User) {
    for item in items where item.chatItem.chatDir.sent {
      guard let file = item.chatItem.file else { continue }
      switch file.fileStatus {
      case .sndStored, .sndTransfer: begin(item, of: user)
      default: break
      }
    }
  }

  private mutating func begin(_ item: AChatItem, of user: User) {
    guard let file = item.chatItem.file, file.fileProtocol != .local else { return }
    begin(
      file.fileId,
      Transfer(
        userId: user.userId, isSending: item.chatItem.chatDir.sent, name: file.fileName, size: file.fileSize))
  }

  private mutating func begin(_ file: RcvFileTransfer, of user: User) {
    begin(
      file.fileId,
      Transfer(
        userId: user.userId, isSending: false, name: file.invitedName, size: file.fileInvitation.fileSize))
  }

  private mutating func begin(_ file: FileTransferMeta, of user: User) {
    begin(
      file.fileId, Transfer(userId: user.userId, isSending: true, name: file.fileName, size: file.fileSize))
  }

  private mutating func begin(_ id: Int64, _ transfer: Transfer) {
    if running[id] == nil { running[id] = transfer }
  }

  private mutating func fail(_ id: Int64, _ sentence: String) {
    if running.removeValue(forKey: id) != nil { failures.append(sentence) }
  }

  private mutating func remove(_ deletions: [ChatItemDeletion]) {
    for deletion in deletions {
      if let file = deletion.deletedChatItem.chatItem.file { running[file.fileId] = nil }
    }
  }

  // MARK: What is shown

  private static let shownRows = 3

  /// A row for each file of a user of which something was transferred.
  func rows(of user: User?) -> [String] {
    let moving = running.filter { $0.value.userId == user?.userId && $0.value.percent != nil }
      .sorted { $0.key < $1.key }
    let rows = moving.prefix(Self.shownRows).map { id, transfer in
      let name = transfer.name.count > 40 ? transfer.name.prefix(39) + "…" : Substring(transfer.name)
      let part = "\(transfer.percent ?? 0)% of \(ChatView.readable(transfer.size))"
      return StyledText("\(transfer.isSending ? "sending" : "receiving") file \(id) (\(name)) \(part)").text
    }
    return rows + (moving.count > Self.shownRows ? ["and \(moving.count - Self.shownRows) more files"] : [])
  }

  /// What is said at the end of the files that are not complete; nil where none is.
  var text: String? {
    guard !running.isEmpty else { return nil }
    let names = running.sorted { $0.key < $1.key }.map { id, transfer in
      "file \(id) (\(transfer.name))" + (transfer.percent.map { " \($0)%" } ?? "")
    }
    let verb = names.count == 1 ? "is" : "are"
    return "\(names.joined(separator: ", ")) \(verb) not complete yet: it continues when the chat runs again."
  }
}

extension RcvFileTransfer {
  /// The name that the sender gave the file.
  var invitedName: String { fileInvitation.fileName }
}

extension ChatEvent {
  /// The id of the file whose transfer ended, well or not; nil for other events.
  var endedFile: Int64? {
    switch self {
    case .rcvFileComplete(_, let item), .sndFileComplete(_, let item, _): item.chatItem.file?.fileId
    case .rcvStandaloneFileComplete(_, _, let file), .rcvFileSndCancelled(_, _, let file),
      .rcvFileAcceptedSndCancelled(_, let file), .rcvFileError(_, _, _, let file):
      file.fileId
    case .sndFileCompleteXFTP(_, _, let file), .sndStandaloneFileComplete(_, let file, _),
      .sndFileError(_, _, let file, _):
      file.xftpRedirectFor ?? file.fileId
    default: nil
    }
  }
}
