import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto
import WireCodec
import XFTPProtocol

/// A file that goes with a message.
struct OutgoingFile {
  /// Its database id.
  var id: Int64
  /// What the message says of it.
  var invitation: FileInvitation
  /// Uploads it.
  var upload: FileCommand
}

// Files that are sent: uploaded by the agent, and announced in messages.

extension AgentFileID {
  /// An identifier for a new transfer. The chat core draws it, so that it is stored before the agent uses it.
  static func random() -> AgentFileID {
    var random = SystemRandom()
    return AgentFileID(using: &random)
  }

  /// Reads an identifier of the database.
  init?(text: String?) {
    guard let text, let bytes = Base64URL.decode(text), !bytes.isEmpty else { return nil }
    self.init(bytes)
  }
}

extension Turn {
  /// Stores a file that goes with a message. ``upload(_:)`` has to follow.
  /// - Parameters:
  ///   - recipients: those who may receive it; without connection where they are not connected yet.
  /// - Throws: `fileNotFound`, and `fileSize` for one that is empty or too large.
  func prepareFile(
    _ source: CryptoFile, recipients: [(connection: Connection?, member: Int64?)], of user: User
  ) throws -> OutgoingFile {
    let file = try prepareUpload(source, count: recipients.count, limit: FileRules.sizeLimit, of: user)
    for recipient in recipients {
      try rows.addFileRecipient(connection: recipient.connection?.connId, member: recipient.member, ofFile: file.id)
    }
    return file
  }

  /// Stores a file that is uploaded.
  func prepareUpload(_ source: CryptoFile, count: Int, limit: Int64, of user: User) throws -> OutgoingFile {
    let invitation = try invitation(to: source, limit: limit)
    let (name, size) = (invitation.fileName, invitation.fileSize)
    let agentId = AgentFileID.random()
    var new = NewFile(
      isSent: true, fileProtocol: .xftp, name: name, size: size, chunkSize: FileRules.chunkSize, source: source,
      status: .sndStored)
    new.agentId = agentId.text
    return OutgoingFile(
      id: try rows.createFile(new, of: user),
      invitation: invitation,
      upload: .send(
        agentId, user: try user.agentID, source: source, name: name, recipients: count))
  }

  /// The announcement of a file in the message that it goes with.
  func invitation(to source: CryptoFile, limit: Int64 = FileRules.sizeLimit) throws -> FileInvitation {
    let size = try environment.folders.contentSize(of: source)
    // Recipients refuse a message with an empty file.
    guard size > 0, size <= limit else { throw ChatErrorType.fileSize(filePath: source.filePath) }
    return FileInvitation(
      fileName: FileRules.name(ofPath: source.filePath), fileSize: size, fileDescr: FileRules.announced)
  }

  /// Lets the agent upload files, after the messages that announce them.
  func upload(_ files: [OutgoingFile]) throws {
    for file in files { try command(.file(file.upload)) }
  }

  /// Stores the file of a note, and returns its database id.
  func addLocalFile(_ source: CryptoFile, of user: User) throws -> Int64 {
    try rows.createFile(
      NewFile(
        isSent: true, fileProtocol: .local, name: FileRules.name(ofPath: source.filePath),
        size: try environment.folders.contentSize(of: source), chunkSize: FileRules.chunkSize, source: source,
        status: .sndStored), of: user)
  }

  /// The item of a file with its chat; nil for files outside of chats, and where the chat is being deleted.
  func item(of file: StoredFile, _ user: User) throws -> AChatItem? {
    guard let id = file.itemId, let chat = try rows.chatIfPresent(ofItem: id, of: user) else { return nil }
    return try rows.itemWithChat(id, in: chat, of: user)
  }

  // MARK: Events of the agent

  /// The file of a transfer, and whose it is; nil where it is gone.
  func transfer(_ id: AgentFileID, isSent: Bool) throws -> (file: StoredFile, user: User)? {
    guard let file = try rows.file(agentId: id.text), file.isSent == isSent else { return nil }
    return (file, try rows.user(file.userId))
  }

  /// Handles that a part of a file was uploaded.
  func uploading(_ id: AgentFileID, sent: Int64, total: Int64) throws {
    guard let (file, user) = try transfer(id, isSent: true), !file.isCancelled else { return }
    try rows.setStatus(.sndTransfer(sndProgress: sent, sndTotal: total), ofFile: file.id)
    emit(
      .sndFileProgressXFTP(
        user: user, chatItem_: try item(of: file, user), fileTransferMeta: try rows.sent(file), sentSize: sent,
        totalSize: total))
  }

  /// Handles that a file cannot be uploaded for now.
  func uploadDelayed(_ id: AgentFileID, _ error: AgentError) throws {
    guard let (file, user) = try transfer(id, isSent: true), !file.isCancelled else { return }
    try rows.setStatus(.sndWarning(sndFileError: FileError(error)), ofFile: file.id)
    emit(
      .sndFileWarning(
        user: user, chatItem_: try item(of: file, user), fileTransferMeta: try rows.sent(file),
        errorMessage: AgentErrorType(error).text))
  }

  /// Handles that a file cannot be uploaded.
  func uploadFailed(_ id: AgentFileID, _ error: AgentError) throws {
    guard let (file, user) = try transfer(id, isSent: true), !file.isCancelled else { return }
    try failSending(file, FileError(error), text: AgentErrorType(error).text, of: user)
  }

  /// Gives up sending a file, and deletes it at relays. With a redirect, the file that it leads to is given up too:
  /// nobody gets a link to it.
  func failSending(_ file: StoredFile, _ error: FileError, text: String, of user: User) throws {
    try endSending(file, .sndError(sndFileError: error), of: user)
    emit(
      .sndFileError(
        user: user, chatItem_: try item(of: file, user), fileTransferMeta: try rows.sent(file), errorMessage: text))
    if let original = try redirected(by: file) { try failSending(original, error, text: text, of: user) }
  }

  /// Handles that a file was uploaded: recipients get their descriptions. One that is gone is deleted at its relays.
  func uploaded(
    _ id: AgentFileID, by agentUser: UserID?, sender: FileDescription, recipients: RecipientDescriptions
  ) throws {
    guard let (file, user) = try transfer(id, isSent: true) else {
      let deletion = try agentUser.map { FileCommand.deleteAtRelays(id, user: $0, try sender.text) }
      try command(.file(deletion ?? .deleteSent(id)))
      return
    }
    guard !file.isCancelled else {
      try command(.file(.deleteAtRelays(id, user: try user.agentID, try sender.text)))
      return
    }
    try rows.setDescriptions(
      sender: try sender.text, count: recipients.count, ofFile: file.id
    ) { try recipients.description(at: $0)?.text ?? "" }
    try command(.file(.deleteSent(id)))
    guard file.itemId != nil else {
      return try uploadedStandalone(file, recipients: recipients, of: user)
    }
    guard let shown = try item(of: file, user), shown.chatItem.meta.itemDeleted == nil else { return }
    emit(
      .sndFileProgressXFTP(
        user: user, chatItem_: shown, fileTransferMeta: try rows.sent(file), sentSize: 1, totalSize: 1))
    try rows.setStatus(.sndTransfer(sndProgress: 1, sndTotal: 1), ofFile: file.id)
    if try isFinishedAfterSendingDescriptions(ofFile: file.id, user) { return }
    try later(.descriptions, about: file.id, of: user)
  }

  // MARK: Descriptions

  /// Sends the description of a file to some of its recipients.
  /// - Returns: whether nobody is left.
  func isFinishedAfterSendingDescriptions(ofFile id: Int64, _ user: User) throws -> Bool {
    guard let file = try rows.fileIfPresent(id), !file.isCancelled, let shown = try item(of: file, user),
      let sharedId = shown.chatItem.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) })
    else { return true }
    switch shown.chatInfo {
    case .direct(let contact): try sendDescription(of: file, as: sharedId, to: contact, user)
    case .group(let group, _):
      let limit = environment.options.membersPerTurn
      let recipients = try rows.waitingRecipients(ofFile: id, limit: limit)
      for recipient in recipients {
        try rows.setDescriptionSent(toRecipient: recipient.id, command: nil)
        guard let member = try recipient.memberId.flatMap({ try rows.memberIfPresent($0, of: user) }) else { continue }
        let events = events(recipient.description, of: sharedId)
        // Members who were not connected may also get the description of who forwards the message: the first one
        // counts, but parts of two would be mixed.
        guard recipient.wasConnected || events.count == 1 else { continue }
        try send(events.map { OutgoingGroupEvent(event: $0) }, to: [member], of: group)
      }
      guard recipients.count < limit else { return false }
      try completeSending(file, of: user)
    default: break
    }
    return true
  }

  /// Sends a contact the description of a file. It counts as sent when the relay has the last part.
  private func sendDescription(
    of file: StoredFile, as sharedId: SharedMsgId, to contact: Contact, _ user: User
  ) throws {
    guard let recipient = try rows.waitingRecipients(ofFile: file.id, limit: 1).first else { return }
    do {
      let command = try send(
        events(recipient.description, of: sharedId).map { (id: .random(), event: $0) }, to: contact)
      try rows.setDescriptionSent(toRecipient: recipient.id, command: command)
    } catch {
      if rows.hadOutage { throw error }
      let text = ChatError(storing: error).text
      try failSending(file, .other(fileError: text), text: text, of: user)
    }
  }

  /// A description in parts, each for one message.
  func descriptionParts(of description: String) -> [FileDescr] {
    FileRules.parts(of: description, size: environment.options.descriptionPartSize)
  }

  private func events(_ description: String, of id: SharedMsgId) -> [ChatMessageEvent] {
    descriptionParts(of: description).map { .msgFileDescr(msgId: id, fileDescr: $0) }
  }

  private func completeSending(_ file: StoredFile, of user: User) throws {
    try rows.setStatus(.sndComplete, ofFile: file.id)
    guard let shown = try item(of: file, user) else { return }
    emit(.sndFileCompleteXFTP(user: user, chatItem: shown, fileTransferMeta: try rows.sent(file)))
  }

  /// Handles that a message was sent, which may be the last part of a description.
  func noteDescriptionSent(_ message: MessageReference, of user: User) throws {
    guard let key = message.key, let id = try rows.finishDescription(command: key),
      let file = try rows.fileIfPresent(id), !file.isCancelled
    else { return }
    try completeSending(file, of: user)
  }

  /// Handles that messages were not sent, among them maybe the last part of a description.
  func noteDescriptionsFailed(_ keys: [Int64], _ error: AgentError, of user: User) throws {
    for key in keys {
      guard let id = try rows.finishDescription(command: key), let file = try rows.fileIfPresent(id),
        !file.isCancelled
      else { continue }
      try failSending(file, FileError(error), text: AgentErrorType(error).text, of: user)
    }
  }
}

extension FileError {
  /// Why a transfer failed, as the status of its file shows it.
  init(_ error: AgentError) {
    switch error {
    case .file(.missing): self = .noFile
    case .fileServer(_, .relay(.AUTH)): self = .auth
    case .fileServer(let server, .relay(.BLOCKED(let info))):
      self =
        converted(info).map { .blocked(server: server.description, blockInfo: $0) }
        ?? .other(fileError: AgentErrorType(error).text)
    case .fileServer(_, .noHost): self = .relay(srvError: .host)
    case .fileServer(_, .version): self = .relay(srvError: .version)
    case .fileServer(_, .network), .fileServer(_, .timeout), .fileServer(_, .unexpected):
      self = .relay(srvError: .other(srvError: AgentErrorType(error).text))
    default: self = .other(fileError: AgentErrorType(error).text)
    }
  }
}
