import AgentCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec
import XFTPProtocol

extension SQLiteRow {
  fileprivate func chunkDeletion() throws(SQLiteError) -> ChunkDeletion {
    var deletion = ChunkDeletion(
      user: UserID(rawValue: try integer(1)),
      replica: FileReplica(server: try fileServer(2), id: EntityID(try bytes(3)), key: try authorizationKey(4)),
      createdAt: try integer(5))
    deletion.number = try integer(0)
    deletion.attempts = try integer(6)
    return deletion
  }
}

extension AgentDatabase {
  /// Replaces the file relays of a user.
  public func setFileServers(_ servers: [AgentFileServer], for user: UserID) throws(SQLiteError) {
    try database.execute("DELETE FROM user_file_servers WHERE user = ?", user.rawValue)
    for (position, server) in servers.enumerated() {
      let address = try stored { () throws(WireError) in
        try ServerWithAuth<XFTPScheme>.textCodec.text(server.address)
      }
      try database.execute(
        AgentSQL.insertUserFileServer, user.rawValue, position, address, server.storesFiles)
    }
  }

  /// The file relays of a user.
  public func fileServers(of user: UserID) throws(SQLiteError) -> [AgentFileServer] {
    try database.all(AgentSQL.userFileServers, user.rawValue) { (row) throws(SQLiteError) in
      let text = try row.text(0)
      let address = try readStored { () throws(WireError) in
        try ServerWithAuth<XFTPScheme>.textCodec.decode(text: text)
      }
      return AgentFileServer(address, storesFiles: try row.bool(1))
    }
  }

  /// The number of a file relay, which gets one at its first use.
  public func number(of server: XFTPServer) throws(SQLiteError) -> Int64 {
    let address = try stored { () throws(WireError) in try XFTPServer.codec.encode(server) }
    let known = try database.first(AgentSQL.fileServerNumber, address) { (row) throws(SQLiteError) in
      try row.integer(0)
    }
    if let known { return known }
    try database.execute(AgentSQL.insertFileServer, address)
    return database.lastInsertedRow
  }

  // MARK: Deleting at relays

  /// Adds a chunk to delete, unless it is there.
  public func insert(_ deletion: ChunkDeletion) throws(SQLiteError) {
    let server = try number(of: deletion.replica.server)
    try database.execute(
      AgentSQL.insertChunkDeletion, deletion.user.rawValue, server, deletion.replica.id.bytes,
      deletion.replica.key.stored, deletion.createdAt)
  }

  /// The relays at which there are chunks to delete.
  public func fileServersToDeleteAt() throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.serversToDeleteAt) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// The next chunks to delete at a relay, in the order of their times.
  public func chunksToDelete(at server: Int64, limit: Int) throws(SQLiteError) -> [Due<ChunkDeletion>] {
    try database.all(AgentSQL.chunksToDelete, server, limit) { (row) throws(SQLiteError) -> Due<ChunkDeletion>? in
      do throws(SQLiteError) { return Due(work: try row.chunkDeletion(), notBefore: try row.integer(7)) } catch {
        note(.chunkDeletion(try row.integer(0)), error.description)
        return nil
      }
    }.compactMap { $0 }
  }

  /// Notes failures, and when a deletion is tried again.
  public func delayDeletion(_ number: Int64, attempts: Int64, notBefore: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.delayDeletion, number, attempts, notBefore)
  }

  /// Removes a deletion.
  public func removeDeletion(_ number: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.deleteChunkDeletion, number)
  }

  // MARK: Removing

  /// Some of the files whose temporary files are to be removed.
  public func forgottenFiles(limit: Int) throws(SQLiteError) -> [ForgottenFile] {
    try database.all(AgentSQL.forgottenFiles, limit) { (row) throws(SQLiteError) in
      ForgottenFile(
        isSent: try row.bool(0), number: try row.integer(1), id: AgentFileID(try row.bytes(2)),
        destination: try row.optionalText(3))
    }
  }

  /// Removes a file of which nothing is left.
  public func remove(_ file: ForgottenFile) throws(SQLiteError) {
    try database.execute(file.isSent ? AgentSQL.removeSentFile : AgentSQL.removeReceivedFile, file.number)
  }

  // MARK: Users

  /// The numbers of a user's files to send.
  public func sentFiles(of user: UserID) throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.sentFilesOfUser, user.rawValue) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// The numbers of a user's files to receive.
  public func receivedFiles(of user: UserID) throws(SQLiteError) -> [Int64] {
    try database.all(AgentSQL.receivedFilesOfUser, user.rawValue) { (row) throws(SQLiteError) in try row.integer(0) }
  }

  /// Forgets the files of a user, and the user's relays. What is to be deleted at relays stays.
  func removeFiles(of user: UserID) throws(SQLiteError) {
    for file in try sentFiles(of: user) { try forget(sentFile: file) }
    for file in try receivedFiles(of: user) { try forget(receivedFile: file) }
    try database.execute("DELETE FROM user_file_servers WHERE user = ?", user.rawValue)
  }
}

extension SQLiteRow {
  func fileServer(_ column: Int) throws(SQLiteError) -> XFTPServer {
    let address = try bytes(column)
    return try readStored { () throws(WireError) in try XFTPServer.codec.decode(address) }
  }

  func nonce(_ column: Int) throws(SQLiteError) -> BoxNonce {
    let bytes = try bytes(column)
    return BoxNonce(fitting: bytes.span.bytes)
  }

  /// A file of this device in three columns: path, key and nonce.
  func localFile(_ column: Int) throws(SQLiteError) -> LocalFile {
    let path = try text(column)
    guard !isNull(column + 1) else { return LocalFile(path: path) }
    return LocalFile(
      path: path, encryption: LocalFile.Encryption(key: try boxKey(column + 1), nonce: try nonce(column + 2)))
  }

  /// What a redirect announces in two columns: size and digest.
  func redirect(_ column: Int) throws(SQLiteError) -> FileRedirect? {
    isNull(column) ? nil : FileRedirect(size: try integer(column), digest: try bytes(column + 1))
  }
}
