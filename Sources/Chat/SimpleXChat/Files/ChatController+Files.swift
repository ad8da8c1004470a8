import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import FileAccess
import SimplexAgent
import SimplexCrypto
import XFTPProtocol

// The agent's work on files, and what is left of files whose items are gone.

extension ChatOptions {
  /// Where transfers keep what is not complete, if there is no folder for temporary files.
  var transfersFolder: String { databasePrefix + "_transfers" }
}

extension ChatController {
  /// Where files are.
  var folders: LocalFolders { LocalFolders(files: session.filesFolder, temporary: session.tempFolder) }

  /// Lets the agent work on files; transfers that were begun before continue.
  /// - Parameter onlySends: whether files are received, and deleted at relays, only with another start.
  func startFiles(onlySends: Bool) async throws(ChatError) {
    try await updateAgentFileServers()
    // It has to be the same after a restart, which a folder of the system need not be.
    let (folder, files) = (session.tempFolder ?? options.transfersFolder, session.filesFolder)
    let earlier = life.endingFiles
    try await withAgent { (agent) throws(AgentError) in
      try await agent.startFiles(in: folder, files: files, onlySends: onlySends, after: earlier)
    }
    // A command may have changed the folder before the agent could take the change.
    if session.filesFolder != files { await setFilesFolder(session.filesFolder) }
  }

  /// Sets the file servers of all users in the agent. A user that it does not have is left to the comparison of both
  /// databases.
  func updateAgentFileServers() async throws(ChatError) {
    try await forEachUser { (user) throws(ChatError) in
      let servers = try turn(mayBeLost: true) { try $0.fileServers(of: user) }
      let agentUser = try user.agentID
      try await withAgent { (agent) throws(AgentError) in
        do throws(AgentError) { try await agent.setFileServers(servers, for: agentUser) } catch .noUser {}
      }
    }
  }

  /// Passes a command about a file to the agent.
  func carryOut(_ command: FileCommand, _ agent: Agent) async throws(AgentError) {
    switch command {
    case .send(let id, let user, let source, let name, let recipients):
      try await agent.sendFile(
        id, user: user, source: try localFile(source), name: name, recipients: recipients)
    case .sendDescription(let id, let user, let description):
      try await agent.sendDescription(id, user: user, try Self.description(description, .recipient), recipients: 4)
    case .receive(let id, let user, let description, let destination, let approved):
      try await agent.receiveFile(
        id, user: user, try Self.description(description, .recipient), to: try localFile(destination),
        approvedRelays: approved)
    case .deleteReceived(let id, let unfinished):
      try await agent.deleteReceivedFiles([id])
      // It may have become complete just before.
      guard let unfinished, (try? store.read { try $0.hasFile(at: unfinished) }) == false else { return }
      if folders.remove(unfinished) != 0 { _ = try? turn { try $0.rows.addLeftover(unfinished) } }
    case .deleteSent(let id): try await agent.deleteSentFiles([id])
    case .deleteAtRelays(let id, let user, let description):
      try await agent.deleteSentFilesAtRelays([
        (id: id, user: user, description: try Self.description(description, .sender))
      ])
    }
  }

  /// A file as the agent stores it. The folder of files may be elsewhere before the agent needs the file.
  private func localFile(_ file: CryptoFile) throws(AgentError) -> LocalFile {
    do throws(ChatError) {
      let local = try folders.localFile(file)
      return LocalFile(path: folders.storedPath(local.path), encryption: local.encryption)
    } catch {
      throw .file(.local(error.text))
    }
  }

  /// Changes the folder of files; nil for none.
  func setFilesFolder(_ path: String?) async {
    session.filesFolder = path
    await agent?.setFilesFolder(path)
  }

  private static func description(_ text: String, _ party: FileParty) throws(AgentError) -> FileDescription {
    do { return try FileDescription(text: text, party: party) } catch {
      throw .internalError("a stored description of a file is damaged")
    }
  }

  // MARK: Receiving

  /// Accepts a file.
  /// - Parameters:
  ///   - encrypts: whether the local file is encrypted; nil for as it was stored.
  ///   - path: a folder, or the path of a file that does not exist yet; nil for the folder of files.
  func receive(
    _ id: Int64, approvesRelays: Bool, encrypts: Bool?, inline: Bool?, at path: String?
  ) throws(ChatError) -> (user: User, item: AChatItem) {
    let (file, user) = try store.read { rows in
      let file = try rows.file(id)
      guard !file.isSent else { throw StoreError.rcvFileNotFound(fileId: id) }
      return (file, try rows.user(file.userId))
    }
    guard !file.isCancelled, file.step == .new || isMissing(file) else {
      let isCancelled = file.isCancelled || file.step == .cancelled
      throw .error(
        errorType: isCancelled ? .fileCancelled(message: file.name) : .fileAlreadyReceiving(message: file.name))
    }
    if file.fileProtocol == .smp { try Self.checkInline(file, isAsked: inline) }
    let chosen = try folders.createReceived(file.name, at: path) { place in
      (try? store.read { try $0.isPlace(place) }) ?? true
    }
    var place = CryptoFile(filePath: chosen, cryptoArgs: file.cryptoArgs)
    if encrypts == true { place.cryptoArgs = .random() }
    let accepted: (item: AChatItem, reception: Reception)
    do throws(ChatError) {
      let place = place
      accepted = try turn { turn in
        guard file.fileProtocol == .smp else {
          return try turn.accept(file, as: place, approvesRelays: approvesRelays, of: user)
        }
        return (try turn.acceptOffered(file, as: place, of: user), .started)
      }
    } catch {
      folders.remove(place.filePath)
      throw error
    }
    switch accepted.reception {
    case .started: return (user, accepted.item)
    case .notApproved(let servers): throw .error(errorType: .fileNotApproved(fileId: id, unknownServers: servers))
    case .refused(let error): throw .error(errorType: error)
    }
  }

  /// Whether a file of a chat was received, and is not on this device any more: it can be received again while its
  /// relay has it.
  private func isMissing(_ file: StoredFile) -> Bool {
    guard file.step == .complete, file.fileProtocol == .xftp, file.itemId != nil, let path = file.path else {
      return false
    }
    return !PathStatus.exists(folders.path(path))
  }

  /// Throws where a file cannot be received in messages.
  private static func checkInline(_ file: StoredFile, isAsked: Bool?) throws(ChatError) {
    let limit = isAsked == true ? FileRules.largeInlineSizeLimit : FileRules.inlineSizeLimit
    if isAsked != false, file.inlineMode == .offer, file.size <= limit { return }
    throw .error(
      errorType: file.inlineMode == .sent
        ? .fileAlreadyReceiving(message: file.name)
        : .exception(message: "accepting file via a separate connection is deprecated"))
  }

  /// Begins to receive files that are to be received without being asked for again: the user asked for them while that
  /// was not possible, or they are received automatically.
  /// - Parameter ids: those of these database ids; nil for all.
  func receiveWantedFiles(only ids: [Int64]? = nil) {
    let limit = Double(ChunkLifetime.seconds)
    guard let wanted = try? store.read({ try $0.wantedFiles(within: limit) }) else { return }
    for id in wanted where ids?.contains(id) ?? true {
      do throws(ChatError) {
        let (user, item) = try receive(id, approvesRelays: false, encrypts: nil, inline: nil, at: nil)
        emit(.rcvFileAccepted(user: user, chatItem: item))
      } catch {
        emit(error)
      }
    }
  }

  // MARK: Removing

  /// Forgets the transfers of files outside of chats that ended so long ago that relays have forgotten them too. Local
  /// files stay.
  func forgetEndedTransfers() async throws(ChatError) {
    while true {
      let isDone = try turn { turn in
        let ended = try turn.rows.endedTransfers(olderThan: Double(ChunkLifetime.seconds), limit: 50)
        for file in ended {
          try turn.forget(file, agentUser: try turn.rows.user(file.userId).agentID)
        }
        return ended.isEmpty
      }
      if isDone { return }
      await Task.yield()
    }
  }

  /// Removes local files and transfers whose items are gone. The local file goes first: if the program ends then, it is
  /// removed again. One that cannot be removed is left to ``removeLeftovers()``.
  func removeFiles() async throws(ChatError) {
    let limit = 50
    while true {
      // Not a read, which would find them in databases that another process may be about to use.
      let removed = try turn(mayBeLost: true) { try $0.rows.removedFiles(limit: limit) }
      guard !removed.isEmpty else { return }
      let folders = folders
      var leftovers: [String] = []
      for (file, ownsPath, _) in removed {
        guard ownsPath, let path = file.path else { continue }
        // A file that was not received belongs to nobody, wherever it is.
        if let unfinished = file.unfinishedPath {
          if folders.remove(unfinished) != 0 { leftovers.append(unfinished) }
        } else if file.isSent || file.step == .complete {
          if folders.removeOwned(path) != 0 { leftovers.append(path) }
        }
      }
      let left = leftovers
      try turn { turn in
        for path in left { try turn.rows.addLeftover(path) }
        for (file, _, agentUser) in removed {
          try turn.forget(file, agentUser: agentUser.flatMap { Int64($0) }.map { UserID(rawValue: $0) })
        }
      }
      // Few need no pause, in which something later would get before the response of the command that removed them.
      guard removed.count == limit else { return }
      await Task.yield()
    }
  }

  /// Removes local files that could not be removed before, but for those whose place another file has now. Those that
  /// still cannot be removed stay for the next cleaning.
  /// - Throws: the error of the first of those.
  func removeLeftovers() async throws(ChatError) {
    var last = ""
    var failure: ChatError?
    while true {
      let after = last
      let leftovers = try turn(mayBeLost: true) { try $0.rows.leftovers(after: after, limit: 50) }
      guard let end = leftovers.last else { break }
      last = end.path
      for (path, isInUse) in leftovers {
        let error = isInUse ? 0 : folders.remove(path)
        guard error != 0 else {
          try turn { try $0.rows.deleteLeftover(path) }
          continue
        }
        failure = failure ?? LocalFolders.removalFailure(path, code: error)
      }
      await Task.yield()
    }
    if let failure { throw failure }
  }

  /// Removes as many items of deleted chats as a short turn can, and their files: whoever deleted a chat may look for
  /// its files at once. The rest goes soon after.
  func removeFirstItems() async {
    _ = try? turn { try $0.rows.purge() }
    try? await removeFiles()
  }
}
