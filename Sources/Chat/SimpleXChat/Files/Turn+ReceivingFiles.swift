import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SMPProtocol
import WireCodec
import XFTPProtocol

// Files that are received: announced in messages, described in further messages, downloaded by the agent.

/// What came of beginning to receive a file.
enum Reception: Sendable {
  /// The agent downloads it.
  case started
  /// The user has to approve these servers, which would learn the address of this device.
  case notApproved([String])
  /// Its description cannot be used.
  case refused(ChatErrorType)
}

extension Turn {
  /// Stores a file that a message announces, and returns its database id.
  /// - Parameters:
  ///   - content: the message; nil where the file is not received at once, whatever it is.
  ///   - member: who sends it; nil for a contact.
  /// - Throws: `fileSize` where it has no content.
  func addReceivedFile(
    _ invitation: FileInvitation, with content: MsgContent? = nil, from member: GroupMember? = nil, of user: User
  ) throws -> Int64 {
    let name = FileRules.receivedName(invitation.fileName)
    guard invitation.fileSize > 0 else { throw ChatErrorType.fileSize(filePath: name) }
    if let description = invitation.fileDescr { try FileRules.check(first: description) }
    var new = NewFile(
      isSent: false, fileProtocol: invitation.fileDescr == nil ? .smp : .xftp, name: name, size: invitation.fileSize,
      chunkSize: FileRules.chunkSize, status: .rcvInvitation)
    new.inlineMode = invitation.fileInline
    new.memberId = member?.groupMemberId
    let id = try rows.createFile(new, of: user)
    if let description = invitation.fileDescr {
      try rows.addDescription(
        description.fileDescrText, .received, part: 0, isComplete: description.fileDescrComplete, ofFile: id)
    }
    if let content { try acceptAtOnce(id, content) }
    return id
  }

  /// Continues with a file whose message is shown: parts of its description may have come before, and it may be one
  /// that is received without being asked for.
  func announced(
    _ file: CIFile, as sharedId: String?, by member: GroupMember? = nil, in chat: ChatRef, item: Int64, of user: User
  ) throws {
    if file.fileProtocol == .xftp, file.fileSize < environment.options.autoAcceptFileSize,
      member?.blocked != true
    {
      try receiveSoon(file.fileId)
    }
    let author = member?.memberId ?? ""
    guard let sharedId,
      let first = try rows.takeEarlyDescription(part: 1, of: sharedId, by: author, in: chat, of: user)
    else { return }
    try received(first, of: sharedId, by: author, in: chat, item: item, reportsRefusal: true, user: user)
  }

  /// Handles a part of the description of a file.
  /// - Parameters:
  ///   - chat: the contact's chat, or the main chat of the group.
  ///   - author: the identifier of the member who sent it; empty for a contact.
  ///   - itemId: the item of the message with the file; nil where that has not come.
  ///   - reportsRefusal: whether an event tells that it is not received, although it was accepted.
  func received(
    _ part: FileDescr, of sharedId: String, by author: String = "", in chat: ChatRef, item itemId: Int64?,
    reportsRefusal: Bool, user: User
  ) throws {
    guard (1...FileRules.descriptionPartsLimit).contains(part.fileDescrPartNo) else {
      throw StoreError.rcvFileInvalidDescrPart
    }
    guard let itemId else { return try keepEarly(part, of: sharedId, by: author, in: chat, user) }
    guard let file = try rows.file(ofItem: itemId), !file.isSent else {
      throw StoreError.fileIdNotFoundBySharedMsgId(sharedMsgId: sharedId)
    }
    guard !file.isReceivedOrCancelled, var known = try rows.receivedDescription(ofFile: file.id),
      part.fileDescrPartNo > known.fileDescrPartNo
    else { return }
    guard part.fileDescrPartNo == known.fileDescrPartNo + 1 else {
      return try keepEarly(part, of: sharedId, by: author, in: chat, user)
    }
    known = try FileRules.appending(part, to: known)
    while !known.fileDescrComplete,
      let next = try rows.takeEarlyDescription(
        part: known.fileDescrPartNo + 1, of: sharedId, by: author, in: chat, of: user)
    {
      known = try FileRules.appending(next, to: known)
    }
    try rows.setReceivedDescription(known)
    if known.fileDescrComplete { try described(file, known, reportsRefusal: reportsRefusal, of: user) }
  }

  /// Keeps a part of a description that came before its turn.
  private func keepEarly(
    _ part: FileDescr, of sharedId: String, by author: String, in chat: ChatRef, _ user: User
  ) throws {
    guard try isWithinBudget(.earlyDescriptions, bytes: part.fileDescrText.utf8.count, of: user) else { return }
    try rows.keepEarlyDescription(
      part, of: sharedId, by: author, in: chat, limit: FileRules.earlyPartsLimit, of: user)
  }

  /// Handles that the description of a file is complete.
  private func described(
    _ file: StoredFile, _ description: RcvFileDescr, reportsRefusal: Bool, of user: User
  ) throws {
    if let shown = try item(of: file, user) {
      emit(
        .rcvFileDescrReady(
          user: user, chatItem: shown, rcvFileTransfer: try rows.received(file), rcvFileDescr: description))
    }
    guard file.step == .accepted else { return }
    switch try startReceiving(file, description, of: user) {
    case .started: break
    case .notApproved(let servers):
      guard reportsRefusal else { return }
      emit(.error(errorType: .fileNotApproved(fileId: file.id, unknownServers: servers)))
    case .refused(let error): emit(.error(errorType: error))
    }
  }

  // MARK: Accepting

  /// Stores that a file is accepted, and begins to receive it if its description is complete.
  /// - Returns: its item as it was accepted.
  func accept(
    _ file: StoredFile, as place: CryptoFile, approvesRelays: Bool, of user: User
  ) throws -> (item: AChatItem, reception: Reception) {
    try rows.acceptFile(file.id, as: place, approvesRelays: approvesRelays || file.approvesRelays)
    let accepted = try rows.file(file.id)
    guard let shown = try item(of: accepted, user) else {
      throw StoreError.chatItemNotFoundByFileId(fileId: file.id)
    }
    guard let description = try rows.receivedDescription(ofFile: file.id), description.fileDescrComplete else {
      return (shown, .started)
    }
    return (shown, try startReceiving(accepted, description, of: user))
  }

  /// Begins to receive a file that is accepted, where its servers are known or approved.
  private func startReceiving(
    _ file: StoredFile, _ description: RcvFileDescr, of user: User
  ) throws -> Reception {
    let parsed: FileDescription
    do {
      parsed = try FileDescription(text: description.fileDescrText, party: .recipient)
    } catch {
      return try refuse(file, .invalidFileDescription(message: error.description), of: user)
    }
    let size = max(parsed.size, parsed.redirect?.size ?? 0)
    guard size <= min(file.size, FileRules.standaloneSizeLimit) + FileRules.receivedMargin else {
      return try refuse(
        file, .fileRcvChunk(message: "declared file size exceeds the file invitation size"), of: user)
    }
    let unknown = file.approvesRelays ? [] : try unknownServers(of: parsed, user)
    guard unknown.isEmpty || unknown.allSatisfy(isProtected), let path = file.path else {
      try reset(file, .rcvInvitation, of: user)
      return .notApproved(unknown.map(\.description))
    }
    let agentId = AgentFileID.random()
    try rows.setAgentId(agentId.text, ofFile: file.id)
    try rows.setStep(.connected, .rcvTransfer(rcvProgress: 0, rcvTotal: 1), ofFile: file.id)
    try command(
      .file(
        .receive(
          agentId, user: try user.agentID, description.fileDescrText,
          to: CryptoFile(filePath: path, cryptoArgs: file.cryptoArgs), approvedRelays: file.approvesRelays)))
    if let shown = try item(of: file, user) { emit(.rcvFileStart(user: user, chatItem: shown)) }
    return .started
  }

  private func refuse(_ file: StoredFile, _ error: ChatErrorType, of user: User) throws -> Reception {
    try rows.cancelFile(file.id, .rcvError(rcvFileError: .other(fileError: error.text)))
    try removeUnfinished(file)
    try emitUpdated(file, of: user)
    return .refused(error)
  }

  /// The servers of a description that are not the user's.
  private func unknownServers(of description: FileDescription, _ user: User) throws -> [XFTPServer] {
    let known = Set(try fileServers(of: user).map(\.address.server))
    var seen = known
    return description.chunks.lazy.flatMap(\.replicas).map(\.server).filter { seen.insert($0).inserted }
  }

  /// The file servers of a user.
  func fileServers(of user: User) throws -> [AgentFileServer] {
    let groups = UserServerRules.grouped(
      operators: try rows.serverOperators().serverOperators, smp: [], xftp: try rows.servers(.xftp, of: user),
      relays: [])
    return UserServerRules.fileServers(groups).compactMap { server in
      (try? ServerWithAuth<XFTPScheme>.textCodec.decode(text: server.server))
        .map { AgentFileServer($0, storesFiles: server.storage) }
    }
  }

  /// Whether the settings of the network hide the address of this device from a server.
  private func isProtected(_ server: XFTPServer) -> Bool {
    environment.network.hidesAddress(from: server.hosts)
  }

  // MARK: Not receiving

  /// Stores that a file is not received, and can be accepted again.
  func reset(_ file: StoredFile, _ status: CIFileStatus, of user: User) throws {
    try removeUnfinished(file)
    try rows.resetFile(file.id, status)
    try emitUpdated(file, of: user)
  }

  private func emitUpdated(_ file: StoredFile, of user: User) throws {
    guard let shown = try item(of: file, user) else { return }
    emit(.chatItemUpdated(user: user, chatItem: shown))
  }

  /// Removes what there is of a file that is not received any more: at once, so that a program that ends after the
  /// commit leaves nothing behind. If the turn is undone, the agent creates the file again.
  func removeUnfinished(_ file: StoredFile) throws {
    guard let path = file.unfinishedPath, environment.folders.remove(path) != 0 else { return }
    try rows.addLeftover(path)
  }

  /// Handles that the sender cancelled a file.
  func cancelledBySender(_ file: StoredFile, of user: User) throws {
    guard !file.isReceivedOrCancelled else { return }
    let transfer = try rows.received(file)
    try cancelReceiving(file)
    guard let shown = try item(of: file, user) else { return }
    emit(.rcvFileSndCancelled(user: user, chatItem: shown, rcvFileTransfer: transfer))
  }

  /// Cancels receiving a file permanently.
  func cancelReceiving(_ file: StoredFile) throws {
    try rows.cancelFile(file.id, .rcvCancelled)
    try removeUnfinished(file)
    if let id = AgentFileID(text: file.agentId), !file.isAgentDeleted {
      try command(.file(.deleteReceived(id, unfinished: file.unfinishedPath)))
      try rows.setAgentDeleted(ofFile: file.id)
    }
  }

  // MARK: Events of the agent

  /// Handles that a part of a file was downloaded.
  func downloading(_ id: AgentFileID, received: Int64, total: Int64) throws {
    guard let (file, user) = try transfer(id, isSent: false), !file.isReceivedOrCancelled else { return }
    try rows.setStatus(.rcvTransfer(rcvProgress: received, rcvTotal: total), ofFile: file.id)
    emit(
      .rcvFileProgressXFTP(
        user: user, chatItem_: try item(of: file, user), receivedSize: received, totalSize: total,
        rcvFileTransfer: try rows.received(file)))
  }

  /// Handles that a file was downloaded.
  func downloaded(_ id: AgentFileID) throws {
    try command(.file(.deleteReceived(id)))
    guard let (file, user) = try transfer(id, isSent: false), !file.isReceivedOrCancelled else { return }
    let transfer = try rows.received(file)
    try rows.setStep(.complete, .rcvComplete, ofFile: file.id)
    try rows.setAgentDeleted(ofFile: file.id)
    if let shown = try item(of: file, user) {
      emit(.rcvFileComplete(user: user, chatItem: shown))
    } else if file.itemId == nil {
      emit(
        .rcvStandaloneFileComplete(
          user: user, targetPath: environment.folders.path(file.path ?? ""), rcvFileTransfer: transfer))
    }
  }

  /// Handles that a file cannot be downloaded for now.
  func downloadDelayed(_ id: AgentFileID, _ error: AgentError) throws {
    guard let (file, user) = try transfer(id, isSent: false), !file.isReceivedOrCancelled else { return }
    try rows.setStatus(.rcvWarning(rcvFileError: FileError(error)), ofFile: file.id)
    emit(
      .rcvFileWarning(
        user: user, chatItem_: try item(of: file, user), agentError: AgentErrorType(error),
        rcvFileTransfer: try rows.received(file)))
  }

  /// Handles that a file cannot be downloaded. One whose servers are not approved can be accepted again.
  func downloadFailed(_ id: AgentFileID, _ error: AgentError) throws {
    try command(.file(.deleteReceived(id)))
    guard let (file, user) = try transfer(id, isSent: false), !file.isReceivedOrCancelled else { return }
    if case .file(.notApproved) = error { return try reset(file, .rcvAborted, of: user) }
    let transfer = try rows.received(file)
    try rows.cancelFile(file.id, .rcvError(rcvFileError: FileError(error)))
    try rows.setAgentDeleted(ofFile: file.id)
    try removeUnfinished(file)
    emit(
      .rcvFileError(
        user: user, chatItem_: try item(of: file, user), agentError: AgentErrorType(error), rcvFileTransfer: transfer))
  }
}
