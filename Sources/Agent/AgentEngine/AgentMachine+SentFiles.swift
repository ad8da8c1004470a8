import AgentCore
import AgentStore
import SMPProtocol
import SimplexCrypto
import XFTPProtocol

// A file that is sent is encrypted, its chunks are uploaded, and its descriptions are made. Each step is recorded in a
// transaction of its own, with the events that follow from it.

extension AgentMachine {
  /// Accepts a file to send, unless it was accepted before.
  public func sendFile(
    _ id: AgentFileID, user: UserID, _ content: SentFile.Content, name: String, recipients: Int,
    redirect: FileRedirect? = nil, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard try self.store.sentFileNumber(id) == nil else { return }
      try self.require(user)
      var random = self.random
      try self.store.insert(
        SentFile(
          id: id, user: user, content: content, name: name, recipients: Self.descriptionCount(recipients: recipients),
          redirect: redirect, seed: random.secret(32), createdAt: transaction.now))
    }.effects
  }

  /// The number of descriptions to make: a power of two, and at least 4, so that relays do not learn how many
  /// recipients there are.
  public static func descriptionCount(recipients: Int) -> Int {
    var count = 4
    while count < min(recipients, 1 << 16) { count *= 2 }
    return count
  }

  /// A file was encrypted: its chunks are distributed over the user's relays. Returns whether there is something to
  /// upload.
  public func sealed(
    _ file: SentFile, _ form: EncryptedForm,
    chunks: [(number: Int, offset: Int64, size: UInt32, digest: [UInt8])], now: Int64
  ) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      var generator = EngineGenerator(random: self.random)
      let servers = try self.store.fileServers(of: file.user).filter(\.storesFiles).shuffled(using: &generator)
      guard !servers.isEmpty else {
        try self.fail(file, .noServers, in: transaction)
        return false
      }
      return try self.store.setSealed(
        file.number, form,
        chunks: chunks.enumerated().map { index, chunk in
          SentChunk(
            number: chunk.number, offset: chunk.offset, size: chunk.size, digest: chunk.digest,
            server: servers[index % servers.count].address.server)
        })
    }
    return Accepted(value, effects)
  }

  /// A file cannot be encrypted for now, because the disk is full. It is retried later, or fails if it is too old.
  /// Returns whether it fails.
  public func sealingFailed(_ file: SentFile, _ error: AgentError, now: Int64) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      guard try self.store.sentFile(file.number)?.status == .accepted else { return false }
      if now - file.createdAt >= self.configuration.sentFileTimeout {
        try self.fail(file, error, in: transaction)
        return true
      }
      try self.emit(.fileSendWarning(file.id, error), in: transaction)
      return false
    }
    return Accepted(value, effects)
  }

  /// The encrypted form that a chunk is of is missing or damaged. The file is encrypted again, with another key, and
  /// its chunks at relays are deleted. A description, whose text is not kept, fails, and so does a file after a day. A
  /// no-op where that was done already.
  /// Returns whether it fails.
  public func sealedFormMissing(
    _ chunk: SentChunk, of file: SentFile, now: Int64
  ) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      guard let known = try self.store.sentFile(file.number), known.status == .uploading,
        try self.store.isCurrent(chunk, of: file.number)
      else { return false }
      if case .file = known.content, now - known.createdAt < self.configuration.sentFileTimeout {
        try self.withdrawChunks(of: file.number, transaction.now)
        try self.store.unseal(file.number)
        return false
      }
      try self.fail(known, .file(.local("its encrypted form is missing")), in: transaction)
      return true
    }
    return Accepted(value, effects)
  }

  /// A relay created a chunk for its sender and these recipients; false if it is not to be sent there any more, and is
  /// deleted there.
  public func created(
    _ chunk: SentChunk, of file: SentFile, sender: EntityID, recipients: [EntityID], now: Int64
  ) throws(AgentError) -> Bool {
    try run(now) { transaction in
      let isWanted =
        try self.store.isCurrent(chunk, of: file.number)
        && self.store.setCreated(
          chunk.number, of: file.number, at: chunk.server, sender: sender, recipients: recipients)
      let isKnown =
        try isWanted
        || self.store.sentChunks(of: file.number).contains { $0.senderID == sender && $0.server == chunk.server }
      if !isKnown {
        var created = chunk
        created.senderID = sender
        try self.withdraw(created, of: file, transaction.now)
      }
      return isWanted
    }.value
  }

  /// A relay has a chunk. Returns whether it was the last one.
  public func sent(_ chunk: SentChunk, of file: SentFile, now: Int64) throws(AgentError) -> Accepted<Bool> {
    let (value, effects) = try run(now) { transaction in
      guard try self.store.isCurrent(chunk, of: file.number),
        try self.store.setSent(chunk.number, of: file.number, size: chunk.size),
        let file = try self.store.sentFile(file.number)
      else { return false }
      try self.count(
        [.uploadAttempts: 1, .uploads: 1, .uploadedKilobytes: Int64(chunk.size / 1_024)], at: chunk.server,
        of: file.user)
      try self.emit(.fileSendProgress(file.id, sent: file.sent, total: file.size), in: transaction)
      return file.status == .uploaded
    }
    return Accepted(value, effects)
  }

  /// A chunk could not be created or uploaded. It is tried again later, or elsewhere, or the file is given up.
  /// - Parameter isTemporary: whether trying again may help.
  public func sendingFailed(
    _ chunk: SentChunk, of file: SentFile, _ error: AgentError, isTemporary: Bool, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard try self.store.sentFile(file.number)?.status == .uploading,
        try self.store.isCurrent(chunk, of: file.number)
      else { return }
      try self.count([.uploadAttempts: 1, .uploadErrors: 1], at: chunk.server, of: file.user)
      if now - file.createdAt >= self.configuration.sentFileTimeout {
        return try self.fail(file, error, in: transaction)
      }
      let attempts = chunk.attempts + 1
      let servers = try self.store.fileServers(of: file.user).filter(\.storesFiles)
      let hasOthers = attempts < servers.count
      if !isTemporary, !hasOthers || !error.mayWorkElsewhere { return try self.fail(file, error, in: transaction) }
      if error.isHostError, !hasOthers { try self.emit(.fileSendWarning(file.id, error), in: transaction) }
      let notBefore = hasOthers && chunk.senderID == nil ? 0 : now + self.filePause(after: attempts)
      let movesOn = chunk.senderID == nil || attempts % max(1, self.configuration.fileAttempts) == 0
      if let next = servers.next(after: chunk.server),
        !isTemporary || movesOn && next.address.server != chunk.server
      {
        try self.withdraw(chunk, of: file, transaction.now)
        try self.store.moveSending(
          chunk.number, of: file.number, to: next.address.server, attempts: attempts, notBefore: notBefore)
      } else {
        try self.store.delaySending(chunk.number, of: file.number, attempts: attempts, notBefore: notBefore)
      }
    }.effects
  }

  /// The chunks of a file that relays have.
  public func sentChunks(
    of file: SentFile
  ) throws(AgentError) -> (form: EncryptedForm, chunks: [SentChunk])? {
    try read {
      guard let form = try self.store.encryptedForm(of: file.number) else { return nil }
      return (form, try self.store.sentChunks(of: file.number))
    }
  }

  /// The descriptions of a file were made.
  public func described(
    _ file: SentFile, sender: FileDescription, recipients: RecipientDescriptions, now: Int64
  ) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in
      guard try self.store.sentFile(file.number)?.status == .uploaded else { return }
      try self.store.finish(sentFile: file.number, .sent)
      try self.emit(.fileSent(file.id, user: file.user, sender: sender, recipients: recipients), in: transaction)
    }.effects
  }

  /// Gives a file up.
  public func failed(_ file: SentFile, _ error: AgentError, now: Int64) throws(AgentError) -> [AgentEffect] {
    try run(now) { transaction in try self.fail(file, error, in: transaction) }.effects
  }

  private func fail(_ file: SentFile, _ error: AgentError, in transaction: AgentTransaction) throws {
    guard try withdrawChunks(of: file.number, transaction.now) else { return }
    try store.finish(sentFile: file.number, .failed)
    try emit(.fileSendFailed(file.id, error), in: transaction)
  }

  // MARK: Deleting

  /// Forgets files to send; returns their numbers.
  public func deleteSentFiles(_ ids: [AgentFileID], now: Int64) throws(AgentError) -> [Int64] {
    try run(now) { transaction in try self.forgetSentFiles(ids, transaction.now) }.value
  }

  private func forgetSentFiles(_ ids: [AgentFileID], _ now: Int64) throws -> [Int64] {
    let numbers = try ids.compactMap { try store.sentFileNumber($0) }
    for number in numbers {
      try withdrawChunks(of: number, now)
      try store.forget(sentFile: number)
    }
    return numbers
  }

  /// Has the chunks deleted that relays have of a file in progress: nobody will get a description of it.
  /// - Returns: whether it is in progress.
  @discardableResult
  private func withdrawChunks(of number: Int64, _ now: Int64) throws -> Bool {
    guard let file = try store.sentFile(number), file.isInProgress else { return false }
    for chunk in try store.sentChunks(of: number) { try withdraw(chunk, of: file, now) }
    return true
  }

  /// Has a chunk deleted at its relay; no-op for one that is not known to be there. One whose creation was not answered
  /// has no known identifier, and expires at the relay.
  private func withdraw(_ chunk: SentChunk, of file: SentFile, _ now: Int64) throws {
    guard let id = chunk.senderID else { return }
    let key = ChunkKeys(seed: file.seed, chunk: chunk.number, server: chunk.server).sender
    try store.insert(
      ChunkDeletion(
        user: file.user, replica: FileReplica(server: chunk.server, id: id, key: key), createdAt: now))
  }

  /// Has the chunks deleted that relays have of a user's files in progress; returns the numbers of all files.
  func withdrawFiles(of user: UserID, _ now: Int64) throws -> UserFiles {
    let files = UserFiles(sent: try store.sentFiles(of: user), received: try store.receivedFiles(of: user))
    for number in files.sent { try withdrawChunks(of: number, now) }
    return files
  }

  /// Forgets files to send, and has their chunks deleted at relays; returns the files' numbers.
  public func deleteSentFilesAtRelays(
    _ files: [(id: AgentFileID, user: UserID, description: FileDescription)], now: Int64
  ) throws(AgentError) -> [Int64] {
    try run(now) { transaction in
      for file in files {
        for replica in file.description.chunks.lazy.flatMap(\.replicas) {
          try self.store.insert(ChunkDeletion(user: file.user, replica: replica, createdAt: transaction.now))
        }
      }
      return try self.forgetSentFiles(files.map(\.id), transaction.now)
    }.value
  }

  /// A chunk was deleted at its relay, or never will be.
  public func deleted(_ deletion: ChunkDeletion, now: Int64) throws(AgentError) {
    _ = try run(now) { _ in
      try self.count([.deleteAttempts: 1, .deletions: 1], at: deletion.replica.server, of: deletion.user)
      try self.store.removeDeletion(deletion.number)
    }
  }

  /// A chunk could not be deleted at its relay; it is tried again until the relay has forgotten it anyway.
  public func deletingFailed(
    _ deletion: ChunkDeletion, isTemporary: Bool, now: Int64
  ) throws(AgentError) {
    _ = try run(now) { _ in
      try self.count([.deleteAttempts: 1, .deleteErrors: 1], at: deletion.replica.server, of: deletion.user)
      guard isTemporary, now - deletion.createdAt < self.configuration.receivedFileTimeout else {
        return try self.store.removeDeletion(deletion.number)
      }
      let attempts = deletion.attempts + 1
      try self.store.delayDeletion(
        deletion.number, attempts: attempts, notBefore: now + self.filePause(after: attempts))
    }
  }
}

extension AgentMachine {
  /// Adds to counters of a file relay.
  func count(_ amounts: [FileStatisticsCounter: Int64], at server: XFTPServer, of user: UserID) throws {
    for (counter, amount) in amounts { try store.count(counter, by: amount, user: user, server: server) }
  }
}

extension SentFile {
  fileprivate var isInProgress: Bool {
    switch status {
    case .accepted, .uploading, .uploaded: true
    case .sent, .failed, .forgotten: false
    }
  }
}

extension AgentError {
  /// Whether another relay may take what this one refused.
  fileprivate var mayWorkElsewhere: Bool {
    guard case .fileServer(_, let problem) = self else { return false }
    return switch problem {
    case .relay(.AUTH), .relay(.QUOTA), .relay(.BLOCKED), .relay(.FILE_IO), .relay(.CMD), .relay(.NO_FILE): true
    case .relay: false
    case .network, .timeout, .noHost, .version, .unexpected: true
    }
  }
}

extension [AgentFileServer] {
  /// The relay after this one, if possible one that has other hosts; this one where there is no other.
  fileprivate func next(after server: XFTPServer) -> AgentFileServer? {
    let place = firstIndex { $0.address.server == server } ?? endIndex
    let others = dropFirst(place + 1) + prefix(place)
    return others.first { !$0.address.server.sharesHost(with: server) } ?? others.first ?? first
  }
}
