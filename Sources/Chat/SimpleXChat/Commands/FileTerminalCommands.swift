import ChatAPI
import ChatLogic
import ChatStore

// What people type about files.

extension ChatController {
  /// The largest picture that is sent as one, in bytes: apps receive it at once.
  private static var pictureLimit: Int64 { 2 * 261_120 }

  /// What is shown before a picture is received: a grey square.
  private static var preview: String {
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADklEQVR42mM4AAUMlDEAwKIwAcWteRkAAAAASUVORK5CYII="
  }

  func fileCommand(_ typed: TerminalCommand) throws(ChatError) -> ChatCommand? {
    switch typed {
    case .sendFile(let chat, let file): return try sendCommand(chat, file, as: .file(""))
    case .sendImage(let chat, let file): return try imageCommand(chat, file)
    case .forwardFile(let chat, let id): return try sendCommand(chat, try storedFile(id), as: .file(""))
    case .forwardImage(let chat, let id): return try imageCommand(chat, try storedFile(id))
    default: return nil
    }
  }

  private func sendCommand(
    _ name: ChatName, _ file: CryptoFile, as content: MsgContent
  ) throws(ChatError) -> ChatCommand? {
    guard let chat = try chatRef(name) else { return nil }
    return .send(ComposedMessage(fileSource: file, msgContent: content), to: chat)
  }

  private func imageCommand(_ chat: ChatName, _ file: CryptoFile) throws(ChatError) -> ChatCommand? {
    let path = folders.path(file.filePath)
    guard [".jpg", ".jpeg", ".png", ".gif"].contains(where: file.filePath.lowercased().hasSuffix) else {
      throw .error(errorType: .fileImageType(filePath: path))
    }
    guard try folders.contentSize(of: file) <= Self.pictureLimit else {
      throw .error(errorType: .fileImageSize(filePath: path))
    }
    return try sendCommand(chat, file, as: .image(text: "", image: Self.preview))
  }

  /// The content of a file that was sent, or received completely.
  private func storedFile(_ id: Int64) throws(ChatError) -> CryptoFile {
    let user = try runningUser()
    let file = try store.read { try $0.file(id, of: user) }
    guard file.isSent || file.step == .complete, let source = file.source else {
      throw .error(errorType: .fileNotReceived(fileId: id))
    }
    return source
  }
}
