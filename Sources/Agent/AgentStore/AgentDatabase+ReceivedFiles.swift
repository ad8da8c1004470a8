import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec
import XFTPProtocol

extension SQLiteRow {
  fileprivate func receivedFile(from start: Int = 0) throws(SQLiteError) -> ReceivedFile {
    let description = FileDescription(
      party: .recipient, size: try integer(start + 13), digest: try bytes(start + 11), key: try boxKey(start + 9),
      nonce: try nonce(start + 10), chunkSize: UInt32(clamping: try integer(start + 12)), chunks: [],
      redirect: try redirect(start + 7))
    var file = ReceivedFile(
      id: AgentFileID(try bytes(start + 1)), user: UserID(rawValue: try integer(start + 2)),
      destination: try localFile(start + 3), isApproved: try bool(start + 6), description: description,
      createdAt: try integer(start + 16))
    file.number = try integer(start)
    file.received = try integer(start + 14)
    file.status = try value(start + 15)
    return file
  }

  fileprivate func receivedChunk() throws(SQLiteError) -> ReceivedChunk {
    let stored = try bytes(3)
    let replicas = try readStored { () throws(WireError) in try FileReplica.allCodec.decode(stored) }
    var chunk = ReceivedChunk(
      chunk: FileChunk(
        number: Int(clamping: try integer(0)), size: UInt32(clamping: try integer(1)), digest: try bytes(2),
        replicas: replicas),
      replica: Int(clamping: try integer(4)))
    chunk.attempts = try integer(5)
    return chunk
  }
}

extension FileReplica {
  /// The stored form of replicas, up to the end of the input.
  fileprivate static let allCodec = Codec<[FileReplica]>(
    decode: { (reader) throws(WireError) -> [FileReplica] in
      var replicas: [FileReplica] = []
      while !reader.isAtEnd { replicas.append(try codec.decode(&reader)) }
      return replicas
    },
    encode: { (replicas, writer) throws(WireError) in
      for replica in replicas { try codec.encode(replica, &writer) }
    })

  private static let codec = Codec<FileReplica>.record(
    Field("server", \.server, XFTPServer.codec), Field("id", \.id, EntityID.codec),
    Field("key", \.key, AuthorizationPrivateKey.textCodec.inLarge),
    build: { FileReplica(server: $0, id: $1, key: $2) })
}

extension AgentDatabase {
  /// Stores a file to receive, with its chunks.
  public func insert(_ file: ReceivedFile) throws(SQLiteError) {
    let (description, encryption) = (file.description, file.destination.encryption)
    try database.execute(
      AgentSQL.insertReceivedFile, file.id.bytes, file.user.rawValue, file.destination.path, encryption?.key.secret,
      encryption?.nonce.bytes, file.isApproved, description.redirect?.size, description.redirect?.digest,
      description.key.secret, description.nonce.bytes, description.digest, Int64(description.chunkSize),
      description.size, file.createdAt)
    try insert(description.chunks, of: database.lastInsertedRow)
  }

  private func insert(_ chunks: [FileChunk], of file: Int64) throws(SQLiteError) {
    for chunk in chunks {
      guard let first = chunk.replicas.first else { throw SQLiteError(.other, "a chunk without replicas") }
      let replicas = try stored { () throws(WireError) in try FileReplica.allCodec.encode(chunk.replicas) }
      try database.execute(
        AgentSQL.insertReceivedChunk, file, chunk.number, Int64(chunk.size), chunk.digest, replicas,
        try number(of: first.server))
    }
  }

  /// The number of a file to receive.
  public func receivedFileNumber(_ id: AgentFileID) throws(SQLiteError) -> Int64? {
    try database.first(AgentSQL.receivedFileNumber, id.bytes) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// A file to receive that is not finished.
  public func receivedFile(_ number: Int64) throws(SQLiteError) -> ReceivedFile? {
    try database.first(AgentSQL.receivedFile, number) { (row) throws(SQLiteError) in try row.receivedFile() }
  }

  /// The next files to decrypt.
  public func filesToOpen(limit: Int) throws(SQLiteError) -> [ReceivedFile] {
    try database.all(AgentSQL.filesToOpen, limit) { (row) throws(SQLiteError) -> ReceivedFile? in
      do throws(SQLiteError) { return try row.receivedFile() } catch {
        note(.receivedFile(try row.integer(0)), error.description)
        return nil
      }
    }.compactMap { $0 }
  }

  /// Files that are not finished.
  public func openReceivedFiles() throws(SQLiteError) -> [AgentFileID] {
    try database.all("SELECT id FROM received_files WHERE status < 2") { (row) throws(SQLiteError) in
      AgentFileID(try row.bytes(0))
    }
  }

  /// The numbers and sizes of a file's chunks, in order.
  public func receivedChunks(of file: Int64) throws(SQLiteError) -> [(number: Int, size: Int64)] {
    try database.all(AgentSQL.receivedChunks, file) { (row) throws(SQLiteError) in
      (number: Int(clamping: try row.integer(0)), size: try row.integer(1))
    }
  }

  /// Has chunks of a complete file received again.
  /// - Returns: false where none of them is one that was received; true also where the file is not complete (no-op).
  public func setMissing(_ chunks: [(number: Int, size: Int64)], of file: Int64) throws(SQLiteError) -> Bool {
    guard try receivedFile(file)?.status == .opening else { return true }
    var bytes: Int64 = 0
    for chunk in chunks where try database.execute(AgentSQL.setMissing, file, chunk.number) == 1 { bytes += chunk.size }
    guard bytes > 0 else { return false }
    try database.execute(AgentSQL.setReceiving, file, bytes)
    return true
  }

  /// The relays that chunks are to be received from.
  public func fileServersToReceiveFrom() throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.serversToReceiveFrom) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// The next chunks to receive from a relay, in the order of ``chunksToSend(to:limit:now:)``.
  public func chunksToReceive(
    from server: Int64, limit: Int, now: Int64
  ) throws(SQLiteError) -> [Due<(chunk: ReceivedChunk, file: ReceivedFile)>] {
    try database.all(AgentSQL.chunksToReceive, server, now, limit) {
      (row) throws(SQLiteError) -> Due<(chunk: ReceivedChunk, file: ReceivedFile)>? in
      do throws(SQLiteError) {
        return Due(
          work: (chunk: try row.receivedChunk(), file: try row.receivedFile(from: AgentSQL.receivedChunkColumnCount)),
          notBefore: try row.integer(6))
      } catch {
        note(.receivedFile(try row.integer(AgentSQL.receivedChunkColumnCount)), error.description)
        return nil
      }
    }.compactMap { $0 }
  }

  /// Stores that a chunk is there; false if that was known, or the file is gone.
  public func setReceived(_ chunk: Int, of file: Int64, size: UInt32) throws(SQLiteError) -> Bool {
    guard try database.execute(AgentSQL.setReceived, file, chunk) == 1 else { return false }
    try database.execute(AgentSQL.addReceived, file, Int64(size))
    try database.execute(AgentSQL.setOpening, file)
    return true
  }

  /// Notes failures, and when a chunk is tried again.
  public func delayReceiving(
    _ chunk: Int, of file: Int64, attempts: Int64, notBefore: Int64
  ) throws(SQLiteError) {
    try database.execute(AgentSQL.delayReceiving, file, chunk, attempts, notBefore)
  }

  /// Receives a chunk from another of its replicas.
  public func moveReceiving(
    _ chunk: Int, of file: Int64, toReplica index: Int, at server: XFTPServer
  ) throws(SQLiteError) {
    try database.execute(AgentSQL.moveReceiving, file, chunk, index, try number(of: server))
  }

  /// Continues with the file that a redirect leads to; false if the file is gone.
  public func followRedirect(of file: Int64, to description: FileDescription) throws(SQLiteError) -> Bool {
    let count = try database.execute(
      AgentSQL.followRedirect, file, description.key.secret, description.nonce.bytes, description.digest,
      Int64(description.chunkSize), description.size)
    guard count == 1 else { return false }
    try database.execute(AgentSQL.deleteReceivedChunks, file)
    try insert(description.chunks, of: file)
    return true
  }

  /// Ends the work on a file: its chunks and secrets are removed, its identifier stays known.
  public func finish(receivedFile file: Int64, _ status: ReceivedFile.Status) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteReceivedChunks, file)
    try database.execute(AgentSQL.finishReceivedFile, file, status.rawValue)
  }

  /// Removes a file, at once if it is at its destination, otherwise when its temporary files are removed.
  public func forget(receivedFile file: Int64) throws(SQLiteError) {
    if try database.execute(AgentSQL.forgetReceivedFile, file) == 0 { try finish(receivedFile: file, .forgotten) }
  }
}
