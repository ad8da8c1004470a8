import AgentCore
import AgentStore
import SMPProtocol
import SimplexCrypto
import WireCodec
import XFTPProtocol

// A file that is received is downloaded in chunks, and decrypted when all are there. Where it is a redirect, its
// content is another description, and that one is downloaded in its place.

extension AgentMachine {
  /// Accepts a file to receive, unless it was accepted before.
  public func receiveFile(
    _ id: AgentFileID, user: UserID, _ description: FileDescription, to destination: LocalFile, isApproved: Bool,
    now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard try self.store.receivedFileNumber(id) == nil else { return }
      try self.require(user)
      do { try description.validate() } catch { throw AgentError.prohibited("file description: \(error)") }
      guard description.party == .recipient, !description.chunks.isEmpty,
        description.chunks.allSatisfy({ !$0.replicas.isEmpty })
      else { throw AgentError.prohibited("file description: it is not a recipient's, or has a chunk without replicas") }
      try self.store.insert(
        ReceivedFile(
          id: id, user: user, destination: destination, isApproved: isApproved, description: description,
          createdAt: transaction.now))
    }.effects
  }

  /// A chunk was downloaded. Returns whether it was the last one.
  public func received(
    _ chunk: ReceivedChunk, of file: ReceivedFile, now: Int64
  ) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      guard try self.store.setReceived(chunk.chunk.number, of: file.number, size: chunk.chunk.size),
        let file = try self.store.receivedFile(file.number)
      else { return false }
      if let server = chunk.source?.server {
        try self.count(
          [.downloadAttempts: 1, .downloads: 1, .downloadedKilobytes: Int64(chunk.chunk.size / 1_024)], at: server,
          of: file.user)
      }
      let total = file.description.redirect?.size ?? file.description.size
      try self.emit(.fileReceiveProgress(file.id, received: file.received, total: total), in: transaction)
      return file.status == .opening
    }
    return Accepted(value, effects)
  }

  /// A chunk could not be downloaded. It is tried again later, or from another relay, or the file is given up.
  /// - Parameter isTemporary: whether trying again may help.
  public func receivingFailed(
    _ chunk: ReceivedChunk, of file: ReceivedFile, _ error: AgentError, isTemporary: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard try self.store.receivedFile(file.number)?.status == .receiving else { return }
      if case .fileServer(let server, let problem) = error {
        let kind: FileStatisticsCounter = problem == .relay(.AUTH) ? .downloadAuthorizationErrors : .downloadErrors
        try self.count([.downloadAttempts: 1, kind: 1], at: server, of: file.user)
      }
      let hasExpired = now - file.createdAt >= self.configuration.receivedFileTimeout
      guard isTemporary, !hasExpired else {
        let next = chunk.replica + 1
        guard !hasExpired, chunk.chunk.replicas.indices.contains(next) else {
          return try self.fail(file, error, in: transaction)
        }
        return try self.store.moveReceiving(
          chunk.chunk.number, of: file.number, toReplica: next, at: chunk.chunk.replicas[next].server)
      }
      if error.isHostError || error.isLocal { try self.emit(.fileReceiveWarning(file.id, error), in: transaction) }
      let attempts = chunk.attempts + 1
      try self.store.delayReceiving(
        chunk.chunk.number, of: file.number, attempts: attempts, notBefore: now + self.filePause(after: attempts))
    }.effects
  }

  /// The numbers and sizes of a file's chunks, in order.
  public func chunks(of file: ReceivedFile) throws(AgentError) -> [(number: Int, size: Int64)] {
    try read { try self.store.receivedChunks(of: file.number) }
  }

  /// Downloaded chunks are missing: they are downloaded again. Fails a file if none of these chunks was ever
  /// downloaded. Returns whether it fails.
  public func chunksMissing(
    _ chunks: [(number: Int, size: Int64)], of file: ReceivedFile, now: Int64
  ) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      if try self.store.setMissing(chunks, of: file.number) { return false }
      try self.fail(file, .internalError("chunks of a file are missing"), in: transaction)
      return true
    }
    return Accepted(value, effects)
  }

  /// A file cannot be decrypted for now, because the disk is full. It is retried later, or fails if it is too old.
  /// Returns whether it fails.
  public func openingFailed(
    _ file: ReceivedFile, _ error: AgentError, now: Int64
  ) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      if now - file.createdAt >= self.configuration.receivedFileTimeout {
        try self.fail(file, error, in: transaction)
        return true
      }
      try self.emit(.fileReceiveWarning(file.id, error), in: transaction)
      return false
    }
    return Accepted(value, effects)
  }

  /// A redirect was decrypted: what it leads to is downloaded. Returns whether it is.
  public func redirected(
    _ file: ReceivedFile, to target: RedirectTarget, now: Int64
  ) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      switch target {
      case .file(let description):
        return try self.store.followRedirect(of: file.number, to: description)
      case .refused(let reason):
        try self.fail(file, .file(.redirect(reason)), in: transaction)
        return false
      }
    }
    return Accepted(value, effects)
  }

  /// A file is at its destination.
  public func opened(_ file: ReceivedFile, size: Int64, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard try self.store.receivedFile(file.number)?.status == .opening else { return }
      try self.store.finish(receivedFile: file.number, .received)
      try self.emit(.fileReceived(file.id, size: size), in: transaction)
    }.effects
  }

  /// Gives a file up.
  public func failed(_ file: ReceivedFile, _ error: AgentError, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in try self.fail(file, error, in: transaction) }.effects
  }

  private func fail(_ file: ReceivedFile, _ error: AgentError, in transaction: AgentTransaction) throws {
    // One that is finished is not found.
    guard try store.receivedFile(file.number) != nil else { return }
    try store.finish(receivedFile: file.number, .failed)
    try emit(.fileReceiveFailed(file.id, error), in: transaction)
  }

  /// Forgets files to receive; returns their numbers.
  public func deleteReceivedFiles(_ ids: [AgentFileID], now: Int64) throws(AgentError) -> [Int64] {
    try run(now) { _ in
      let numbers = try ids.compactMap { try self.store.receivedFileNumber($0) }
      for number in numbers { try self.store.forget(receivedFile: number) }
      return numbers
    }.value
  }
}

/// What a redirect leads to.
public enum RedirectTarget: Sendable {
  /// A file.
  case file(FileDescription)
  /// Nothing that can be received, with the reason.
  case refused(String)

  /// Reads the content of a redirect: the announced description, and no redirect itself. It may be large, so it is read
  /// outside of transactions.
  public init(of file: ReceivedFile, in text: [UInt8]) {
    guard let target = try? FileDescription(text: String(decoding: text, as: UTF8.self), party: .recipient) else {
      self = .refused("decode error")
      return
    }
    let announced = file.description.redirect
    self =
      if target.redirect != nil {
        .refused("it leads to another redirect")
      } else if target.chunks.isEmpty || target.chunks.contains(where: \.replicas.isEmpty) {
        .refused("no replicas")
      } else if target.size != announced?.size {
        .refused("size mismatch")
      } else if target.digest != announced?.digest {
        .refused("digest mismatch")
      } else {
        .file(target)
      }
  }
}

extension AgentError {
  /// Whether a file of this device is the reason.
  fileprivate var isLocal: Bool { if case .file(.local) = self { true } else { false } }
}
