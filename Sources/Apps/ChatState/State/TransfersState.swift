import ChatAPI

/// A file that is being sent or received; one outside of chats also after that.
public struct FileTransferState: Hashable, Sendable, Identifiable {
  /// How far it came.
  public enum Phase: Hashable, Sendable {
    /// It is being transferred.
    case running
    /// It was received, and is in this file.
    case received(path: String)
    /// It was sent; recipients receive it with one of these links each.
    case sent(links: [String])
    /// It was not transferred, for this reason.
    case failed(reason: String)
  }

  /// Database id of the file.
  public let id: Int64
  /// Database id of the user.
  public let userId: Int64
  /// Whether it is being sent.
  public let isSending: Bool
  /// Name of the file.
  public let name: String
  /// Size of the file in bytes.
  public let size: Int64
  /// The chat that shows it; nil for a file outside of chats.
  public internal(set) var chatId: ChatId?
  /// What was transferred, in bytes of the encrypted form.
  public internal(set) var transferredBytes: Int64 = 0
  /// What is to be transferred, in bytes of the encrypted form; 0 before the first part.
  public internal(set) var totalBytes: Int64 = 0
  /// How far it came.
  public internal(set) var phase = Phase.running
  /// Why it does not come further at present; nil where it does.
  public internal(set) var warning: String?

  /// The part that was transferred, from 0 to 1.
  public var fraction: Double {
    switch phase {
    case .received, .sent: 1
    case .running, .failed: totalBytes > 0 ? min(1, max(0, Double(transferredBytes) / Double(totalBytes))) : 0
    }
  }
}

/// Files on their way, of all users.
///
/// A file of a chat is here while it is being transferred: its item says what became of it. A file outside of chats
/// stays with its result until it is removed.
public struct TransfersState: Sendable {
  /// The files by their ids.
  public private(set) var files: [Int64: FileTransferState] = [:]

  init() {}

  /// Begins the transfer of an item's file, or updates its chat.
  mutating func begin(_ item: AChatItem, of user: User) {
    guard let file = item.chatItem.file, file.fileProtocol != .local else { return }
    begin(
      FileTransferState(
        id: file.fileId, userId: user.userId, isSending: item.chatItem.chatDir.sent, name: file.fileName,
        size: file.fileSize, chatId: item.chatInfo.id))
  }

  mutating func begin(_ file: RcvFileTransfer, _ item: AChatItem?, of user: User) {
    begin(
      FileTransferState(
        id: file.fileId, userId: user.userId, isSending: false, name: file.fileInvitation.fileName,
        size: file.fileInvitation.fileSize, chatId: item?.chatInfo.id))
  }

  mutating func begin(_ file: FileTransferMeta, _ item: AChatItem?, of user: User) {
    begin(
      FileTransferState(
        id: file.fileId, userId: user.userId, isSending: true, name: file.fileName, size: file.fileSize,
        chatId: item?.chatInfo.id))
  }

  private mutating func begin(_ file: FileTransferState) {
    guard let known = files[file.id], known.phase == .running else {
      files[file.id] = file
      return
    }
    files[file.id]?.chatId = file.chatId ?? known.chatId
  }

  /// What was transferred of a file that was begun.
  mutating func progress(_ id: Int64, _ done: Int64, of total: Int64) {
    files[id]?.transferredBytes = done
    files[id]?.totalBytes = total
    files[id]?.warning = nil
  }

  mutating func warn(_ id: Int64, _ reason: String) { files[id]?.warning = reason }

  /// Ends a transfer. A file of a chat goes; one outside of chats keeps what became of it.
  mutating func end(_ id: Int64, _ phase: FileTransferState.Phase? = nil) {
    guard let phase, let file = files[id], file.chatId == nil else {
      files[id] = nil
      return
    }
    files[id]?.phase = phase
    files[id]?.warning = nil
  }

  /// Removes the files of a chat; false where it had none.
  mutating func remove(of chat: ChatId) -> Bool {
    let left = files.filter { $0.value.chatId != chat }
    defer { files = left }
    return left.count < files.count
  }
}
