import AgentCore
import AgentEngine
import AgentStore
import FileAccess
import SMPProtocol
import XFTPClient
import XFTPProtocol
import SimplexTransport

// The steps that need relays.

extension FileWorker {
  // MARK: Uploading

  func send(_ chunk: SentChunk, of file: SentFile) async throws(AgentError) -> Next {
    let session = network.session(chunk.server, of: file.user, chunk: chunk.digest)
    defer { Task { await connections.finish(session) } }
    let path = "\(folders.place(of: file.id, .sent))/\(Self.sealedName)"
    guard PathStatus.size(of: path) == file.size else { return try await sealAgain(chunk, of: file) }
    guard let created = try await create(chunk, of: file, session) else { return .all }
    let key = Self.keys(of: created, of: file).sender
    let turn = await connections.uploadTurn(session)
    defer { turn.end() }
    let result = await result(session) { (relay) async throws(FileClientError) in
      guard let sender = created.senderID else { throw .local("the chunk was not created") }
      try await relay.upload(created.size, of: path, at: created.offset, to: sender, key: key) { turn.end() }
    }
    if case .relay(.DIGEST) = result.failure {
      let isWhole = await BlockingWork.files.run { _ in
        SealedFile.isWhole(path, from: created.offset, size: created.size, digest: created.digest)
      }
      if !isWhole { return try await sealAgain(created, of: file) }
    }
    guard case .success = result else { return try await sendingFailed(created, of: file, result.failure) }
    let isLast = try await agent.run { (engine, now) throws(AgentError) in
      try engine.sent(created, of: file, now: now)
    }
    return isLast ? .also(.describing) : .lane
  }

  /// Has a file encrypted again whose encrypted form is missing or damaged, as after a power failure.
  private func sealAgain(_ chunk: SentChunk, of file: SentFile) async throws(AgentError) -> Next {
    if Task.isCancelled { return .lane }
    let isGivenUp = try await agent.run { (engine, now) throws(AgentError) in
      try engine.sealedFormMissing(chunk, of: file, now: now)
    }
    if isGivenUp { folders.remove(file.id, .sent) }
    return .all
  }

  /// Creates a chunk at its relay with all recipients, as far as that was not done before. Nil where it is not to be
  /// uploaded now.
  private func create(
    _ chunk: SentChunk, of file: SentFile, _ session: FileSessionKey
  ) async throws(AgentError) -> SentChunk? {
    var chunk = chunk
    let keys = Self.keys(of: chunk, of: file)
    while chunk.senderID == nil || chunk.recipientIDs.count < file.recipients {
      let known = chunk.recipientIDs.count
      let more = keys.recipients(known..<min(file.recipients, known + FileRelayConnection.recipientLimit))
        .map(\.publicKey)
      let result: Result<(sender: EntityID, recipients: [EntityID]), FileClientError>
      if let sender = chunk.senderID {
        result = await self.result(session) { (relay) async throws(FileClientError) in
          (sender, try await relay.addRecipients(more, to: sender, key: keys.sender))
        }
      } else {
        let servers = try await agent.look { (engine, _) throws(AgentError) in try engine.fileServers(of: file.user) }
        let request = NewChunkRequest(
          chunk: ChunkInfo(senderKey: keys.sender.publicKey, size: chunk.size, digest: chunk.digest),
          recipientKeys: more, basicAuth: servers.first { $0.address.server == session.server }?.address.basicAuth)
        result = await self.result(session) { (relay) async throws(FileClientError) in
          try await Self.create(request, key: keys.sender, at: relay)
        }
      }
      guard case .success(let ids) = result else {
        _ = try await sendingFailed(chunk, of: file, result.failure)
        return nil
      }
      chunk.senderID = ids.sender
      chunk.recipientIDs += ids.recipients
      let created = chunk
      let isWanted = try await agent.change { (engine, now) throws(AgentError) in
        try engine.created(
          created, of: file, sender: ids.sender, recipients: created.recipientIDs, now: now)
      }
      if !isWanted { return nil }
    }
    return chunk
  }

  /// Creates a chunk. A command that was sent is not cancelled with its task: without the answer, what the relay
  /// created for a file that was cancelled could not be deleted.
  private static func create(
    _ request: NewChunkRequest, key: AuthorizationPrivateKey, at relay: FileRelayConnection
  ) async throws(FileClientError) -> (sender: EntityID, recipients: [EntityID]) {
    if Task.isCancelled { throw .network(.cancelled) }
    let command = Task { () -> Result<(sender: EntityID, recipients: [EntityID]), FileClientError> in
      do throws(FileClientError) { return .success(try await relay.create(request, key: key)) } catch {
        return .failure(error)
      }
    }
    return try await command.value.get()
  }

  private func sendingFailed(
    _ chunk: SentChunk, of file: SentFile, _ error: FileClientError?
  ) async throws(AgentError) -> Next {
    guard let error, !Task.isCancelled else { return .lane }
    let isTemporary = error.isTemporary(after: chunk.attempts, limit: network.attempts)
    let isGivenUp = try await agent.run { (engine, now) throws(AgentError) in
      let effects = try engine.sendingFailed(
        chunk, of: file, AgentError(error, at: chunk.server), isTemporary: isTemporary, now: now)
      return Accepted(effects.contains(where: \.isFileFailure), effects)
    }
    if isGivenUp { folders.remove(file.id, .sent) }
    return .all
  }

  // MARK: Downloading

  func receive(_ chunk: ReceivedChunk, of file: ReceivedFile, isOwn: Bool) async throws(AgentError) -> Next {
    guard let source = chunk.source else { return try await fail(file, .internalError("a chunk has no replicas")) }
    guard file.isApproved || isOwn || network.isProtected(source.server) else {
      return try await receivingFailed(chunk, of: file, .file(.notApproved), isTemporary: false)
    }
    let place: String
    do throws(FileError) { place = try folders.create(file.id, .received) } catch {
      return try await receivingFailed(
        chunk, of: file, .file(.local("\(error)")), isTemporary: error.isDiskFull)
    }
    let session = network.session(source.server, of: file.user, chunk: chunk.chunk.digest)
    defer { Task { await connections.finish(session) } }
    let result = await result(session) { (relay) async throws(FileClientError) in
      try await relay.download(chunk.chunk, from: source, into: "\(place)/\(chunk.chunk.number)")
    }
    if let error = result.failure {
      return try await receivingFailed(
        chunk, of: file, AgentError(error, at: source.server),
        isTemporary: error.isTemporary(after: chunk.attempts, limit: network.attempts),
        next: error.isTimeout ? .slower : .all)
    }
    let isLast = try await agent.run { (engine, now) throws(AgentError) in
      try engine.received(chunk, of: file, now: now)
    }
    return isLast ? .also(.opening) : .lane
  }

  private func receivingFailed(
    _ chunk: ReceivedChunk, of file: ReceivedFile, _ error: AgentError, isTemporary: Bool, next: Next = .all
  ) async throws(AgentError) -> Next {
    if Task.isCancelled { return .lane }
    let isGivenUp = try await agent.run { (engine, now) throws(AgentError) in
      let effects = try engine.receivingFailed(chunk, of: file, error, isTemporary: isTemporary, now: now)
      return Accepted(effects.contains(where: \.isFileFailure), effects)
    }
    if isGivenUp { folders.remove(file.id, .received) }
    return next
  }

  // MARK: Deleting

  func delete(_ deletion: ChunkDeletion) async throws(AgentError) -> Next {
    let replica = deletion.replica
    let session = network.session(replica.server, of: deletion.user, chunk: replica.id.bytes)
    defer { Task { await connections.finish(session) } }
    let result = await result(session) { (relay) async throws(FileClientError) in
      try await relay.delete(replica.id, key: replica.key)
    }
    if let error = result.failure {
      if Task.isCancelled { return .lane }
      let isTemporary = error.isTemporary(after: deletion.attempts, limit: network.attempts)
      try await agent.change { (engine, now) throws(AgentError) in
        try engine.deletingFailed(deletion, isTemporary: isTemporary, now: now)
      }
    } else {
      try await agent.change { (engine, now) throws(AgentError) in try engine.deleted(deletion, now: now) }
    }
    return .lane
  }

  /// Runs commands over the connection of a session.
  private func result<Value: Sendable>(
    _ session: FileSessionKey, _ body: @Sendable (FileRelayConnection) async throws(FileClientError) -> Value
  ) async -> Result<Value, FileClientError> {
    do throws(FileClientError) { return .success(try await connections.use(session, body)) } catch {
      return .failure(error)
    }
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension AgentEffect {
  /// Whether a file was given up.
  fileprivate var isFileFailure: Bool {
    guard case .event(let event) = self else { return false }
    return switch event.kind {
    case .fileSendFailed, .fileReceiveFailed: true
    default: false
    }
  }
}
