import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import WireCodec
import XFTPProtocol

// Files outside of chats: a link gets them.

extension Turn {
  /// Stores a file that is uploaded for a link.
  func uploadStandalone(_ source: CryptoFile, of user: User) throws -> ChatResponse {
    let file = try prepareUpload(source, count: 1, limit: FileRules.standaloneSizeLimit, of: user)
    try upload([file])
    return .response2(
      .sndStandaloneFileCreated(user: user, fileTransferMeta: try rows.sent(try rows.file(file.id))))
  }

  /// Stores a file that is received by its link.
  func downloadStandalone(_ link: FileDescriptionURI, to destination: CryptoFile, of user: User) throws -> ChatResponse
  {
    let agentId = AgentFileID.random()
    var new = NewFile(
      isSent: false, fileProtocol: .xftp, name: FileRules.name(ofPath: destination.filePath),
      size: link.description.size, chunkSize: Int64(link.description.chunkSize), source: destination,
      status: .rcvTransfer(rcvProgress: 0, rcvTotal: 1))
    new.agentId = agentId.text
    new.step = .connected
    let id = try rows.createFile(new, of: user)
    // A link is asked for by the user, who trusts whoever gave it.
    try command(
      .file(
        .receive(
          agentId, user: try user.agentID, try link.description.text, to: destination, approvedRelays: true)))
    return .response2(.rcvStandaloneFileCreated(user: user, rcvFileTransfer: try rows.received(try rows.file(id))))
  }

  /// Handles that a file was uploaded that belongs to no chat. The description of a large one is uploaded too, and the
  /// link leads to that.
  func uploadedStandalone(_ file: StoredFile, recipients: RecipientDescriptions, of user: User) throws {
    guard let first = recipients.description(at: 0) else {
      let text = "no receiver descriptions"
      return try failSending(file, .other(fileError: text), text: text, of: user)
    }
    let meta = try rows.sent(file)
    guard first.chunks.count > 1 else {
      let links = try (0..<recipients.count).compactMap { recipients.description(at: $0) }
        .map { try FileDescriptionURI.codec.text(FileDescriptionURI(description: $0)) }
      try rows.setStatus(.sndComplete, ofFile: file.id)
      var shown = meta
      if let original = try file.redirectFor.flatMap({ try rows.fileIfPresent($0) }) {
        try rows.setStatus(.sndComplete, ofFile: original.id)
        shown = try rows.sent(original)
      }
      return emit(.sndStandaloneFileComplete(user: user, fileTransferMeta: shown, rcvURIs: links))
    }
    guard file.redirectFor == nil else {
      let text = "chaining redirects"
      return try failSending(file, .other(fileError: text), text: text, of: user)
    }
    let agentId = AgentFileID.random()
    let description = try first.text
    var new = NewFile(
      isSent: true, fileProtocol: .xftp, name: "redirect.yaml", size: Int64(description.utf8.count),
      chunkSize: FileRules.chunkSize, status: .sndStored)
    new.agentId = agentId.text
    new.redirectFor = file.id
    let id = try rows.createFile(new, of: user)
    try command(.file(.sendDescription(agentId, user: try user.agentID, description)))
    emit(
      .sndFileRedirectStartXFTP(
        user: user, fileTransferMeta: meta, redirectMeta: try rows.sent(try rows.file(id))))
  }
}
