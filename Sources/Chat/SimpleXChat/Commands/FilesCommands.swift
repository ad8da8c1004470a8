import ChatAPI
import ChatLogic
import ChatStore
import SimplexJSON
import WireCodec
import XFTPProtocol

// Receiving, cancelling, and files outside of chats.

extension ChatController {
  func performFiles(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .receiveFile(let id, let approved, let encrypted, let inline, let path):
      _ = try runningUser()
      let encrypts = encrypted ?? session.encryptsLocalFiles
      let (user, item) = try receive(id, approvesRelays: approved, encrypts: encrypts, inline: inline, at: path)
      return .response2(.rcvFileAccepted(user: user, chatItem: item))
    case .setFileToReceive(let id, let approved, let encrypted):
      _ = try currentUser()
      let args = encrypted ?? session.encryptsLocalFiles ? CryptoFileArgs.random() : nil
      try turn { try $0.rows.setWanted(id, approvesRelays: approved, encryptedWith: args) }
      return .done()
    case .cancelFile(let id):
      let user = try runningUser()
      return try turn { turn in try turn.cancelFile(try turn.rows.file(id, of: user), of: user) }
    case .apiUploadStandaloneFile(let id, let file):
      let user = try runningUser(id)
      return try turn { try $0.uploadStandalone(file, of: user) }
    case .apiDownloadStandaloneFile(let id, let link, let file):
      let user = try runningUser(id)
      let parsed = try Self.fileLink(link)
      return try turn { try $0.downloadStandalone(parsed, to: file, of: user) }
    case .apiStandaloneFileInfo(let link):
      let data = try Self.fileLink(link).clientData
      return .response2(.standaloneFileInfo(fileMeta: data.flatMap { try? JSONValue(jsonText: $0) }))
    default: return nil
    }
  }

  private static func fileLink(_ text: String) throws(ChatError) -> FileDescriptionURI {
    do { return try FileDescriptionURI.codec.decode(text: PastedLink.cleaned(text)) } catch {
      let foreign = PastedLink.foreignCharacter(in: text).map { "a character that links do not have: \($0)" }
      throw .error(errorType: .invalidFileDescription(message: foreign ?? error.description))
    }
  }

  /// The state of a transfer, for the terminal.
  func fileStatus(_ id: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn(mayBeLost: true) { turn in
      let file = try turn.rows.file(id, of: user)
      guard let shown = try turn.item(of: file, user) else {
        let transfer: FileTransfer =
          file.isSent
          ? .snd(fileTransferMeta: try turn.rows.sent(file), sndFileTransfers: try turn.rows.recipients(of: file))
          : .rcv(rcvFileTransfer: try turn.rows.received(file))
        return .response3(.fileTransferStatus(user: user, fileTransfer: transfer, chunks: [0]))
      }
      guard file.fileProtocol != .local else { throw ChatError.command("not supported for local files") }
      return .response3(.fileTransferStatusXFTP(user: user, chatItem: shown))
    }
  }
}
