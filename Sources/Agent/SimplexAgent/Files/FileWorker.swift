import AgentCore
import AgentEngine
import AgentStore
import FileAccess
import SMPProtocol
import SimplexCrypto
import XFTPClient
import XFTPProtocol
import SimplexTransport

/// Performs steps of the work on files: what is local here, what needs relays in an extension. Each step records its
/// outcome with the agent before it returns. A step whose task is cancelled records nothing, and is repeated.
struct FileWorker: Sendable {
  let agent: Agent
  let folders: TransferFolders
  let connections: FileConnections
  let network: FileNetwork

  /// What to do after a step.
  enum Next: Sendable {
    /// Continue with its lane.
    case lane
    /// Look into another one too.
    case also(FileLane)
    /// Look into all.
    case all
    /// Continue with its lane after a pause: it would fail at once.
    case later
    /// Continue with its lane, with fewer steps at once: the network is too slow for as many.
    case slower
  }

  /// Performs a step.
  /// - Throws: what kept it from being recorded; it is then to be repeated later.
  func perform(_ work: FileWork) async throws(AgentError) -> Next {
    switch work {
    case .seal(let file): try await seal(file)
    case .describe(let file): try await describe(file)
    case .send(let chunk, let file): try await send(chunk, of: file)
    case .receive(let chunk, let file, let isOwn): try await receive(chunk, of: file, isOwn: isOwn)
    case .open(let file): try await open(file)
    case .delete(let deletion): try await delete(deletion)
    case .remove(let file): try await remove(file)
    }
  }

  // MARK: Sending

  /// The name of the encrypted form in a file's folder.
  static let sealedName = "sealed"
  /// The name of a file that holds a description.
  private static let descriptionName = "direct.yaml"

  private func seal(_ file: SentFile) async throws(AgentError) -> Next {
    let (folders, kind) = (folders, TransferFolders.Kind.sent)
    let sealed: SealedFile
    do throws(FileTransferError) {
      sealed = try await BlockingWork.files.run { (stop) throws(FileTransferError) in
        let place: String
        do throws(FileError) { place = try folders.create(file.id, kind) } catch { throw .file(error) }
        let path = "\(place)/\(Self.sealedName)"
        switch file.content {
        case .file(let source):
          return try SealedFile.seal(
            .file(folders.located(source)), name: file.name, into: path, isStopped: { stop.isSet })
        case .description(let text):
          let sealed = try SealedFile.seal(
            .bytes(text), name: Self.descriptionName, into: path, singleChunk: true, isStopped: { stop.isSet })
          // The text is not kept, so it could not be made again.
          do throws(FileError) { try sealed.flush() } catch { throw .file(error) }
          return sealed
        }
      }
    } catch {
      if Task.isCancelled { return .lane }
      guard case .file(let problem) = error, problem.isDiskFull else { return try await fail(file, AgentError(error)) }
      let isGivenUp = try await agent.run { (engine, now) throws(AgentError) in
        try engine.sealingFailed(file, AgentError(error), now: now)
      }
      if isGivenUp { folders.remove(file.id, .sent) }
      return .later
    }
    let form = EncryptedForm(key: sealed.key, nonce: sealed.nonce, digest: sealed.digest, size: sealed.size)
    let hasChunks = try await agent.run { (engine, now) throws(AgentError) in
      try engine.sealed(
        file, form,
        chunks: sealed.chunks.map { (number: $0.number, offset: $0.offset, size: $0.size, digest: $0.digest) },
        now: now)
    }
    if !hasChunks { self.folders.remove(file.id, .sent) }
    // It is not flushed: where the power fails before the system has written it, it is made again, and most are
    // uploaded and removed before they are on the disk.
    return .all
  }

  private func describe(_ file: SentFile) async throws(AgentError) -> Next {
    let sent = try await agent.look { (engine, _) throws(AgentError) in try engine.sentChunks(of: file) }
    guard let (form, chunks) = sent else { return .lane }
    let sender = Self.description(.sender, of: form, in: chunks) { chunk in
      FileReplica(
        server: chunk.server, id: chunk.senderID ?? .none, key: Self.keys(of: chunk, of: file).sender)
    }
    var first = Self.description(.recipient, of: form, in: chunks) { chunk in
      FileReplica(server: chunk.server, id: .none, key: Self.keys(of: chunk, of: file).recipient(0))
    }
    first.redirect = file.redirect
    let recipients = RecipientDescriptions(first, seed: file.seed, ids: chunks.map(\.recipientIDs))
    try await agent.run { (engine, now) throws(AgentError) in
      try engine.described(file, sender: sender, recipients: recipients, now: now)
    }
    folders.remove(file.id, .sent)
    return .lane
  }

  static func keys(of chunk: SentChunk, of file: SentFile) -> ChunkKeys {
    ChunkKeys(seed: file.seed, chunk: chunk.number, server: chunk.server)
  }

  private static func description(
    _ party: FileParty, of form: EncryptedForm, in chunks: [SentChunk], _ replica: (SentChunk) -> FileReplica
  ) -> FileDescription {
    FileDescription(
      party: party, size: form.size, digest: form.digest, key: form.key, nonce: form.nonce,
      chunkSize: chunks.first?.size ?? ChunkSizes.smallest,
      chunks: chunks.map {
        FileChunk(number: $0.number, size: $0.size, digest: $0.digest, replicas: [replica($0)])
      })
  }

  func fail(_ file: SentFile, _ error: AgentError) async throws(AgentError) -> Next {
    try await agent.run { (engine, now) throws(AgentError) in try engine.failed(file, error, now: now) }
    folders.remove(file.id, .sent)
    return .lane
  }

  // MARK: Receiving

  private func open(_ file: ReceivedFile) async throws(AgentError) -> Next {
    let known = try await agent.look { (engine, _) throws(AgentError) in try engine.chunks(of: file) }
    let place = folders.place(of: file.id, .received)
    let chunks = known.map { "\(place)/\($0.number)" }
    // The folder is one for temporary files, and a power failure may have taken some.
    let missing = known.filter { PathStatus.size(of: "\(place)/\($0.number)") != $0.size }
    guard missing.isEmpty else {
      let isGivenUp = try await agent.run { (engine, now) throws(AgentError) in
        try engine.chunksMissing(missing, of: file, now: now)
      }
      if isGivenUp { folders.remove(file.id, .received) }
      return .all
    }
    let content: Content
    do throws(FileTransferError) {
      content = try await Self.content(of: file, chunks, to: folders.located(file.destination))
    } catch {
      if Task.isCancelled { return .lane }
      guard case .file(let problem) = error, problem.isDiskFull else {
        return try await fail(file, AgentError(error))
      }
      let isGivenUp = try await agent.run { (engine, now) throws(AgentError) in
        try engine.openingFailed(file, AgentError(error), now: now)
      }
      if isGivenUp { folders.remove(file.id, .received) }
      return .later
    }
    switch content {
    case .redirect(let target): return try await follow(file, target)
    case .file(let size): return try await finish(file, size)
    }
  }

  /// What was decrypted.
  private enum Content: Sendable {
    /// The description that the file leads to.
    case redirect(RedirectTarget)
    /// The content, which is at its destination; its size in bytes.
    case file(Int64)
  }

  private static func content(
    of file: ReceivedFile, _ chunks: [String], to destination: LocalFile
  ) async throws(FileTransferError) -> Content {
    try await BlockingWork.files.run { (stop) throws(FileTransferError) in
      if file.description.redirect != nil {
        let text = try FileReceiver.content(chunks, of: file.description, limit: Int(ChunkSizes.large))
        return .redirect(RedirectTarget(of: file, in: text))
      }
      let draft = TransferFolders.draft(of: destination, file.id)
      let size = try FileReceiver.open(chunks, of: file.description, into: draft, isStopped: { stop.isSet })
      let isDone: Bool
      do throws(FileError) { isDone = try TransferFolders.finish(draft, destination, unless: stop) } catch {
        throw .file(error)
      }
      guard isDone else { throw .stopped }
      return .file(size)
    }
  }

  private func follow(_ file: ReceivedFile, _ target: RedirectTarget) async throws(AgentError) -> Next {
    let isFollowed: Bool
    do throws(AgentError) {
      isFollowed = try await agent.run { (engine, now) throws(AgentError) in
        try engine.redirected(file, to: target, now: now)
      }
    } catch {
      // What cannot be stored would be tried for ever, and no other file decrypted.
      guard !error.isOutage, error != .inactive else { throw error }
      return try await fail(file, error)
    }
    if !isFollowed { folders.remove(file.id, .received) }
    return .all
  }

  private func finish(_ file: ReceivedFile, _ size: Int64) async throws(AgentError) -> Next {
    try await agent.run { (engine, now) throws(AgentError) in try engine.opened(file, size: size, now: now) }
    folders.remove(file.id, .received)
    return .lane
  }

  // MARK: Removing

  private func remove(_ file: ForgottenFile) async throws(AgentError) -> Next {
    folders.remove(file.id, file.isSent ? .sent : .received)
    if let destination = file.destination {
      TransferFolders.removeDraft(of: folders.located(LocalFile(path: destination)), file.id)
    }
    try await agent.change { (engine, now) throws(AgentError) in try engine.removed(file, now: now) }
    return .lane
  }

  func fail(_ file: ReceivedFile, _ error: AgentError) async throws(AgentError) -> Next {
    try await agent.run { (engine, now) throws(AgentError) in try engine.failed(file, error, now: now) }
    folders.remove(file.id, .received)
    TransferFolders.removeDraft(of: folders.located(file.destination), file.id)
    return .lane
  }
}
