import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol
import XFTPProtocol

/// The kinds of work on files that do not wait for each other.
public enum FileLane: Hashable, Sendable {
  /// Encrypting files.
  case sealing
  /// Making descriptions of files that relays have.
  case describing
  /// Decrypting files.
  case opening
  /// Removing temporary files of those that nobody wants any more.
  case removing
  /// Uploading chunks to a relay, by its number.
  case sending(Int64)
  /// Downloading chunks from a relay.
  case receiving(Int64)
  /// Deleting chunks at a relay.
  case deleting(Int64)
}

/// The files of a user, by their numbers.
public struct UserFiles: Sendable {
  /// Those to send.
  public var sent: [Int64] = []
  /// Those to receive.
  public var received: [Int64] = []
}

/// A step of the work on a file. It can be repeated: what it finished is recorded, and not returned again.
public enum FileWork: Sendable {
  /// Encrypt a file.
  case seal(SentFile)
  /// Make the descriptions of a file that relays have.
  case describe(SentFile)
  /// Create a chunk at its relay, as far as it is not, and upload it.
  case send(SentChunk, of: SentFile)
  /// Download a chunk. `isOwn` says whether its relay is one of the user's.
  case receive(ReceivedChunk, of: ReceivedFile, isOwn: Bool)
  /// Decrypt a file.
  case open(ReceivedFile)
  /// Delete a chunk at its relay.
  case delete(ChunkDeletion)
  /// Remove the temporary files of a file.
  case remove(ForgottenFile)

  /// Names the step.
  public enum Key: Hashable, Sendable {
    /// Of a file to send; 0 for the file itself.
    case sent(Int64, chunk: Int)
    /// Of a file to receive; 0 for the file itself.
    case received(Int64, chunk: Int)
    /// Of a deletion.
    case deletion(Int64)
    /// Of removing what is left of a file.
    case removal(isSent: Bool, Int64)
  }

  /// Names the step.
  public var key: Key {
    switch self {
    case .seal(let file), .describe(let file): .sent(file.number, chunk: 0)
    case .send(let chunk, let file): .sent(file.number, chunk: chunk.number)
    case .receive(let chunk, let file, _): .received(file.number, chunk: chunk.chunk.number)
    case .open(let file): .received(file.number, chunk: 0)
    case .delete(let deletion): .deletion(deletion.number)
    case .remove(let file): .removal(isSent: file.isSent, file.number)
    }
  }
}

extension AgentMachine {
  /// The lanes that have work.
  public func fileLanes() throws(AgentError) -> [FileLane] {
    try read {
      let sending = try self.store.fileServersToSendTo().map { FileLane.sending($0) }
      let receiving = try self.store.fileServersToReceiveFrom().map { FileLane.receiving($0) }
      let deleting = try self.store.fileServersToDeleteAt().map { FileLane.deleting($0) }
      return [.sealing, .describing, .opening, .removing] + sending + receiving + deleting
    }
  }

  /// The first steps in a lane, at most `limit`, and when the one after them may begin, in milliseconds; nil where
  /// there is none. Steps that run are among them until they are recorded.
  public func fileWork(
    in lane: FileLane, limit: Int, now: Int64
  ) throws(AgentError) -> (work: [FileWork], next: Int64?) {
    try read {
      switch lane {
      case .sealing: return (try self.store.filesToSeal(limit: limit).map { .seal($0) }, nil)
      case .describing: return (try self.store.filesToDescribe(limit: limit).map { .describe($0) }, nil)
      case .opening: return (try self.store.filesToOpen(limit: limit).map { .open($0) }, nil)
      case .removing: return (try self.store.forgottenFiles(limit: limit).map { .remove($0) }, nil)
      case .sending(let server):
        return self.begun(try self.store.chunksToSend(to: server, limit: limit, now: now), at: now) {
          .send($0.chunk, of: $0.file)
        }
      case .receiving(let server):
        var servers: [UserID: [AgentFileServer]] = [:]
        let chunks = try self.store.chunksToReceive(from: server, limit: limit, now: now)
        for user in Set(chunks.map(\.work.file.user)) { servers[user] = try self.store.fileServers(of: user) }
        return self.begun(chunks, at: now) { work in
          .receive(work.chunk, of: work.file, isOwn: work.chunk.isAt(servers[work.file.user] ?? []))
        }
      case .deleting(let server):
        return self.begun(try self.store.chunksToDelete(at: server, limit: limit), at: now) { .delete($0) }
      }
    }
  }

  /// The steps whose time has come, and the time of the next one.
  private func begun<Work>(
    _ steps: [Due<Work>], at now: Int64, _ step: (Work) -> FileWork
  ) -> (work: [FileWork], next: Int64?) {
    let begun = steps.prefix { isDue($0.notBefore, now: now) }
    return (begun.map { step($0.work) }, steps.dropFirst(begun.count).first?.notBefore)
  }

  /// The temporary files of a file were removed.
  public func removed(_ file: ForgottenFile, now: Int64) throws(AgentError) {
    _ = try run(now) { _ in try self.store.remove(file) }
  }

  /// Files whose work is not finished: only they have temporary files.
  public func openFiles() throws(AgentError) -> (sent: Set<AgentFileID>, received: Set<AgentFileID>) {
    try read { (Set(try self.store.openSentFiles()), Set(try self.store.openReceivedFiles())) }
  }

  /// The pause after a number of failures in sequence, in milliseconds.
  func filePause(after attempts: Int64) -> Int64 {
    wait(configuration.fileRetry, attempts: attempts)
  }

  /// Replaces the file relays of a user.
  public func setFileServers(_ servers: [AgentFileServer], for user: UserID) throws(AgentError) {
    _ = try run(0) { _ in
      try self.require(user)
      try self.store.setFileServers(servers, for: user)
    }
  }

  /// The file relays of a user.
  public func fileServers(of user: UserID) throws(AgentError) -> [AgentFileServer] {
    try read { try self.store.fileServers(of: user) }
  }
}

extension ReceivedChunk {
  /// The replica that is tried.
  public var source: FileReplica? {
    chunk.replicas.indices.contains(replica) ? chunk.replicas[replica] : nil
  }

  /// Whether its relay is one of these. Every host counts: the first one that is reached learns this device's address.
  fileprivate func isAt(_ servers: [AgentFileServer]) -> Bool {
    guard let source else { return false }
    return servers.contains { own in
      let own = own.address.server
      return own.keyHash == source.server.keyHash && own.port == source.server.port
        && source.server.hosts.allSatisfy { own.hosts.contains($0) }
    }
  }
}
