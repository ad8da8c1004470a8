import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec
import XFTPProtocol

extension SQLiteRow {
  fileprivate func sentFile(from start: Int = 0) throws(SQLiteError) -> SentFile {
    let content: SentFile.Content =
      if let text = try optionalBytes(start + 6) {
        .description(text)
      } else if isNull(start + 3) {
        .description([])
      } else {
        .file(try localFile(start + 3))
      }
    var file = SentFile(
      id: AgentFileID(try bytes(start + 1)), user: UserID(rawValue: try integer(start + 2)), content: content,
      name: try text(start + 7), recipients: Int(clamping: try integer(start + 8)),
      redirect: try redirect(start + 9), seed: try secret(start + 11), createdAt: try integer(start + 15))
    file.number = try integer(start)
    file.size = try integer(start + 12)
    file.sent = try integer(start + 13)
    file.status = try value(start + 14)
    return file
  }

  fileprivate func sentChunk() throws(SQLiteError) -> SentChunk {
    var chunk = SentChunk(
      number: Int(clamping: try integer(0)), offset: try integer(1), size: UInt32(clamping: try integer(2)),
      digest: try bytes(3), server: try fileServer(4))
    chunk.senderID = try optionalBytes(5).map { EntityID($0) }
    let ids = try bytes(6)
    chunk.recipientIDs = try readStored { () throws(WireError) in try EntityID.allCodec.decode(ids) }
    chunk.attempts = try integer(7)
    return chunk
  }
}

extension EntityID {
  /// Identifiers up to the end of the input.
  fileprivate static let allCodec = Codec<[EntityID]>(
    decode: { (reader) throws(WireError) -> [EntityID] in
      var ids: [EntityID] = []
      while !reader.isAtEnd { ids.append(try codec.decode(&reader)) }
      return ids
    },
    encode: { (ids, writer) throws(WireError) in for id in ids { try codec.encode(id, &writer) } })
}

extension AgentDatabase {
  /// Stores a file to send.
  public func insert(_ file: SentFile) throws(SQLiteError) {
    var source: LocalFile?
    var text: [UInt8]?
    switch file.content {
    case .file(let file): source = file
    case .description(let bytes): text = bytes
    }
    try database.execute(
      AgentSQL.insertSentFile, file.id.bytes, file.user.rawValue, source?.path, source?.encryption?.key.secret,
      source?.encryption?.nonce.bytes, text, file.name, file.recipients, file.redirect?.size, file.redirect?.digest,
      file.seed, file.createdAt)
  }

  /// The number of a file to send.
  public func sentFileNumber(_ id: AgentFileID) throws(SQLiteError) -> Int64? {
    try database.first(AgentSQL.sentFileNumber, id.bytes) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// A file to send.
  public func sentFile(_ number: Int64) throws(SQLiteError) -> SentFile? {
    try database.first(AgentSQL.sentFile, number) { (row) throws(SQLiteError) in try row.sentFile() }
  }

  /// The next files to encrypt.
  public func filesToSeal(limit: Int) throws(SQLiteError) -> [SentFile] {
    try database.all(AgentSQL.filesToSeal, limit) { (row) throws(SQLiteError) in try sentFile(row) }.compactMap { $0 }
  }

  /// The next files whose descriptions are to be made.
  public func filesToDescribe(limit: Int) throws(SQLiteError) -> [SentFile] {
    try database.all(AgentSQL.filesToDescribe, limit) { (row) throws(SQLiteError) in try sentFile(row) }
      .compactMap { $0 }
  }

  /// The file of a row; nil, and noted, where it cannot be read.
  private func sentFile(_ row: borrowing SQLiteRow) throws(SQLiteError) -> SentFile? {
    do throws(SQLiteError) { return try row.sentFile() } catch {
      note(.sentFile(try row.integer(0)), error.description)
      return nil
    }
  }

  /// Files that are not finished.
  public func openSentFiles() throws(SQLiteError) -> [AgentFileID] {
    try database.all("SELECT id FROM sent_files WHERE status < 3") { (row) throws(SQLiteError) in
      AgentFileID(try row.bytes(0))
    }
  }

  /// The encrypted form of a file, once it was made.
  public func encryptedForm(of file: Int64) throws(SQLiteError) -> EncryptedForm? {
    try database.first(AgentSQL.encryptedForm, file) { (row) throws(SQLiteError) in
      EncryptedForm(
        key: try row.boxKey(0), nonce: try row.nonce(1), digest: try row.bytes(2), size: try row.integer(3))
    }
  }

  /// Stores that a file was encrypted, and its chunks; false if it is not to be encrypted any more.
  public func setSealed(
    _ file: Int64, _ form: EncryptedForm, chunks: [SentChunk]
  ) throws(SQLiteError) -> Bool {
    let count = try database.execute(
      AgentSQL.setSealed, file, form.key.secret, form.nonce.bytes, form.digest, form.size)
    guard count == 1 else { return false }
    for chunk in chunks {
      try database.execute(
        AgentSQL.insertSentChunk, file, chunk.number, chunk.offset, Int64(chunk.size), chunk.digest,
        try number(of: chunk.server))
    }
    return true
  }

  /// Has a file encrypted again that is being uploaded; no-op for another one.
  public func unseal(_ file: Int64) throws(SQLiteError) {
    guard try database.execute(AgentSQL.unseal, file) == 1 else { return }
    try database.execute(AgentSQL.deleteSentChunks, file)
  }

  /// Whether a chunk is one of the present encrypted form: each form has a key of its own, and so other digests.
  public func isCurrent(_ chunk: SentChunk, of file: Int64) throws(SQLiteError) -> Bool {
    try database.first(AgentSQL.sentChunkIsCurrent, file, Int64(chunk.number), chunk.digest) {
      (row) throws(SQLiteError) in try row.integer(0)
    } != nil
  }

  /// The chunks of a file, in order.
  public func sentChunks(of file: Int64) throws(SQLiteError) -> [SentChunk] {
    try database.all(AgentSQL.sentChunks, file) { (row) throws(SQLiteError) in try row.sentChunk() }
  }

  /// The relays that chunks are to be sent to.
  public func fileServersToSendTo() throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.serversToSendTo) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// The next chunks to send to a relay: those that may begin, of the files first of which the least is left, and then
  /// the others in the order of their times.
  public func chunksToSend(
    to server: Int64, limit: Int, now: Int64
  ) throws(SQLiteError) -> [Due<(chunk: SentChunk, file: SentFile)>] {
    try database.all(AgentSQL.chunksToSend, server, now, limit) {
      (row) throws(SQLiteError) -> Due<(chunk: SentChunk, file: SentFile)>? in
      do throws(SQLiteError) {
        let chunk = try row.sentChunk()
        let notBefore = try row.integer(8)
        return Due(
          work: (chunk: chunk, file: try row.sentFile(from: AgentSQL.sentChunkColumnCount)), notBefore: notBefore)
      } catch {
        note(.sentFile(try row.integer(AgentSQL.sentChunkColumnCount)), error.description)
        return nil
      }
    }.compactMap { $0 }
  }

  /// Stores the identifiers that a relay gave a chunk; false if the chunk is not to be sent there any more.
  public func setCreated(
    _ chunk: Int, of file: Int64, at server: XFTPServer, sender: EntityID, recipients: [EntityID]
  ) throws(SQLiteError) -> Bool {
    let ids = try stored { () throws(WireError) in try EntityID.allCodec.encode(recipients) }
    return try database.execute(AgentSQL.setCreated, file, chunk, sender.bytes, ids, try number(of: server)) == 1
  }

  /// Stores that a relay has a chunk; false if that was known, or the file is gone.
  public func setSent(_ chunk: Int, of file: Int64, size: UInt32) throws(SQLiteError) -> Bool {
    guard try database.execute(AgentSQL.setSent, file, chunk) == 1 else { return false }
    try database.execute(AgentSQL.addSent, file, Int64(size))
    try database.execute(AgentSQL.setUploaded, file)
    return true
  }

  /// Notes failures, and when a chunk is tried again.
  public func delaySending(
    _ chunk: Int, of file: Int64, attempts: Int64, notBefore: Int64
  ) throws(SQLiteError) {
    try database.execute(AgentSQL.delaySending, file, chunk, attempts, notBefore)
  }

  /// Sends a chunk to another relay, or creates it there again.
  public func moveSending(
    _ chunk: Int, of file: Int64, to server: XFTPServer, attempts: Int64, notBefore: Int64
  ) throws(SQLiteError) {
    try database.execute(AgentSQL.moveSending, file, chunk, try number(of: server), attempts, notBefore)
  }

  /// Ends the work on a file: its chunks and secrets are removed, its identifier stays known.
  public func finish(sentFile file: Int64, _ status: SentFile.Status) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteSentChunks, file)
    try database.execute(AgentSQL.finishSentFile, file, status.rawValue)
  }

  /// Removes a file, at once if its work has ended, otherwise when its temporary files are removed.
  public func forget(sentFile file: Int64) throws(SQLiteError) {
    if try database.execute(AgentSQL.forgetSentFile, file) == 0 { try finish(sentFile: file, .forgotten) }
  }
}
