import AgentStore
import ChatAPI
import ChatStore
import ProfileImport
import SQLiteKit
import SimplexCrypto

// The passphrase of the databases.

extension ChatController {
  /// Changes the key of both databases, or removes it. Nothing changes unless both could be written with it, and after
  /// a crash both have the old key or both the new one. No copy with the old key stays behind.
  ///
  /// The databases are closed then, and open with the next controller; the key can be changed again before.
  func encrypt(_ config: DBEncryptionConfig) async throws(ChatError) {
    guard config.currentKey != config.newKey else { return }
    try await withLifecycleLock { () async throws(ChatError) in
      guard !isRunning else { throw .error(errorType: .chatNotStopped) }
      for file in options.replacement.files where !DatabaseFile.exists(file) {
        throw .errorDatabase(databaseError: .errorNoFile(dbFile: file))
      }
      guard agent != nil || session.isStoreChanged else { throw Self.notOpen }
      let new = config.newKey.isEmpty ? nil : SecretBytes(Array(config.newKey.utf8))
      if agent == nil {
        try takeLease()
        defer { releaseLease() }
        try finishReplacement()
        try Self.check(config.currentKey, isEncrypted: DatabaseFile.mayBeEncrypted(options.chatDatabase))
        // Writing the copy finds out whether the key is right.
        try exportFiles(config.currentKey.isEmpty ? nil : SecretBytes(Array(config.currentKey.utf8)), to: new)
      } else {
        try Self.check(config.currentKey, isEncrypted: secret != nil)
        guard isCurrent(config.currentKey) else {
          throw .errorDatabase(databaseError: .errorExport(sqliteError: .errorNotADatabase))
        }
        try await closeAndExport(to: new)
      }
      passphrase = config.keepKey == true ? new : nil
    }
  }

  /// Throws where a key is given for unencrypted databases, or none for encrypted ones.
  private static func check(_ key: String, isEncrypted: Bool) throws(ChatError) {
    if isEncrypted && key.isEmpty { throw .errorDatabase(databaseError: .errorEncrypted) }
    if !isEncrypted && !key.isEmpty { throw .errorDatabase(databaseError: .errorPlaintext) }
  }

  private func closeAndExport(to new: SecretBytes?) async throws(ChatError) {
    let current = secret
    await shutDown()
    do throws(ChatError) { try exportFiles(current, to: new) } catch {
      if !options.replacement.isCommitted {
        session.isStoreChanged = false
        try await open(with: current)
      } else {
        // The next opening, which may be another controller's, finishes it.
        secret = nil
        releaseLease()
      }
      throw error
    }
    secret = nil
    releaseLease()
  }

  private func exportFiles(_ current: SecretBytes?, to new: SecretBytes?) throws(ChatError) {
    let replacement = options.replacement
    do throws(ChatError) {
      for file in replacement.files { try export(file, current, to: new) }
      // With what is left of an import: it is unencrypted, or has an earlier key.
      do throws(SQLiteKit.SQLiteError) { try replacement.commit(.remove(copies: ProfileImport.importedSuffix)) } catch {
        // Once it is committed the next opening finishes it.
        guard !replacement.isCommitted else { throw .error(errorType: .exception(message: error.message)) }
        throw .errorDatabase(databaseError: .errorExport(sqliteError: ChatAPI.SQLiteError(error)))
      }
    } catch {
      if !replacement.isCommitted { replacement.discard() }
      throw error
    }
  }

  /// Finishes a replacement of the files that was interrupted after it was committed: its new files are the databases.
  /// To be called while the lease is held, before new files are written; no-op while the databases are open.
  func finishReplacement() throws(ChatError) {
    guard agent == nil else { return }
    do throws(SQLiteKit.SQLiteError) { try options.replacement.recover() } catch {
      throw .errorDatabase(databaseError: .errorExport(sqliteError: ChatAPI.SQLiteError(error)))
    }
  }

  /// Writes a copy with the new key, and reads it whole.
  private func export(_ file: String, _ current: SecretBytes?, to new: SecretBytes?) throws(ChatError) {
    let copy = DatabaseReplacement.new(file)
    DatabaseFile.remove(copy)
    let key: DatabaseKey?
    do throws(SQLiteKit.SQLiteError) {
      let connection = try SQLiteConnection(path: file, secret: current)
      key = try new.map { (secret) throws(SQLiteKit.SQLiteError) in
        try DatabaseKey(passphrase: secret, forFile: copy)
      }
      try connection.export(to: copy, key: key)
    } catch {
      throw .errorDatabase(databaseError: .errorExport(sqliteError: ChatAPI.SQLiteError(error)))
    }
    do throws(SQLiteKit.SQLiteError) {
      _ = try DatabaseIdentity.read(copy, key: key, checksIntegrity: true)
    } catch {
      throw .errorDatabase(databaseError: .errorOpen(sqliteError: ChatAPI.SQLiteError(error)))
    }
  }

  /// Tries a key. The files of a running chat are open with the key that is known.
  func test(_ key: String) async throws(ChatError) {
    for file in options.replacement.files where !DatabaseFile.exists(file) {
      throw .errorDatabase(databaseError: .errorNoFile(dbFile: file))
    }
    if agent != nil || life.isParked {
      guard isCurrent(key) else {
        throw .errorDatabase(databaseError: .errorOpen(sqliteError: .errorNotADatabase))
      }
      return
    }
    try await withLifecycleLock { () async throws(ChatError) in
      let heldLease = life.holdsLease
      try takeLease()
      defer { if !heldLease { releaseLease() } }
      for file in options.replacement.files {
        do throws(SQLiteKit.SQLiteError) {
          let passphrase = key.isEmpty ? nil : SecretBytes(Array(key.utf8))
          _ = try SQLiteConnection(path: file, access: .readWrite, secret: passphrase).integerPragma("schema_version")
        } catch {
          throw .errorDatabase(databaseError: .errorOpen(sqliteError: ChatAPI.SQLiteError(error)))
        }
      }
    }
  }

  /// Whether it is the key that the databases are open with.
  private func isCurrent(_ key: String) -> Bool {
    key.isEmpty ? secret == nil : secret == SecretBytes(Array(key.utf8))
  }
}

extension SQLiteConnection {
  /// Opens a file with a passphrase, or an unencrypted one.
  convenience init(
    path: String, access: Access = .readWriteCreate, secret: SecretBytes?
  ) throws(SQLiteKit.SQLiteError) {
    if let secret {
      try self.init(path: path, access: access, passphrase: secret)
    } else {
      try self.init(path: path, access: access)
    }
  }
}
