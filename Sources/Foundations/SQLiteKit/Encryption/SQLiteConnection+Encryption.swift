import CSQLite
import SimplexCrypto

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SQLiteConnection {
  /// Opens an encrypted file, in the format of SQLCipher 4, and checks the key.
  ///
  /// Throws ``SQLiteError/Kind/notADatabase`` where the file is encrypted with another key, or not encrypted.
  public convenience init(path: String, access: Access = .readWriteCreate, key: DatabaseKey) throws(SQLiteError) {
    if access == .readWriteCreate { DatabaseFile.create(path) }
    try self.init(path: path, access: access, key: key, isImmutable: false)
  }

  /// Opens an encrypted file that nobody may write meanwhile, without locks and without its logs.
  package convenience init(immutable path: String, key: DatabaseKey) throws(SQLiteError) {
    try self.init(path: path, access: .readOnly, key: key, isImmutable: true)
  }

  /// - Parameter vfs: another one than the usual for simulated disks.
  convenience init(
    path: String, access: Access, key: DatabaseKey, isImmutable: Bool, vfs: String = EncryptedVFS.name
  ) throws(SQLiteError) {
    let (name, number) = try EncryptedVFS.uri(path: path, key: key)
    let uri = isImmutable ? name + "&immutable=1" : name
    try self.init(uri: uri, access: access, vfs: vfs) { EncryptedVFS.release(number) }
    try reservePageBytes(Int32(PageCipher.reservedSize))
    try setPragma("page_size", "\(PageCipher.pageSize)")
    // Nothing in the clear beside the file, and no mapping that would go around the encryption.
    try keepTemporaryDataInMemory()
    try setPragma("mmap_size", "0")
    // Without its log a file may be shorter than its first page says (DatabaseIdentity).
    if isImmutable { try setPragma("writable_schema", "ON") }
    _ = try integerPragma("schema_version")
    if isImmutable { try setPragma("writable_schema", "OFF") }
  }

  /// Opens an encrypted file with a passphrase; derives its key first, which takes about 0.1 s.
  public convenience init(
    path: String, access: Access = .readWriteCreate, passphrase: SecretBytes
  ) throws(SQLiteError) {
    try self.init(path: path, access: access, key: try DatabaseKey(passphrase: passphrase, forFile: path))
  }

  /// Writes a copy of this database to a new file, encrypted with `key`, or in the clear where there is none.
  ///
  /// So a database is encrypted, decrypted, or given another passphrase: write the copy, then replace the file. The
  /// file must not exist yet, or be empty.
  public func export(to path: String, key: DatabaseKey?) throws(SQLiteError) {
    DatabaseFile.create(path)
    guard let key else {
      let vfs = try ErasingVFS.name(above: nil)
      try reservePageBytes(0)
      try execute("VACUUM INTO ?", "\(Self.uri(path))?vfs=\(vfs)")
      return
    }
    let (uri, number) = try EncryptedVFS.uri(path: path, key: key)
    defer { EncryptedVFS.release(number) }
    try reservePageBytes(Int32(PageCipher.reservedSize))
    try execute("VACUUM INTO ?", "\(uri)&vfs=\(EncryptedVFS.name)")
  }

  /// Asks for room at the end of each page; takes effect for a new file and for copies.
  func reservePageBytes(_ count: Int32) throws(SQLiteError) {
    var count = count
    try check(sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &count))
  }
}

extension DatabaseKey {
  /// Derives the key of the file at `path`: with the salt the file begins with, or a new one where it has no content.
  public init(passphrase: SecretBytes, forFile path: String) throws(SQLiteError) {
    var salt = [UInt8](repeating: 0, count: Self.saltSize)
    if let file = fopen(path, "rb") {
      let count = fread(&salt, 1, Self.saltSize, file)
      fclose(file)
      guard count == 0 || count == Self.saltSize else { throw SQLiteError(.notADatabase, "the file has no header") }
      if count == 0 { salt = Self.newSalt() }
    } else if errno == ENOENT {
      salt = Self.newSalt()
    } else {
      throw SQLiteError(.cannotOpen, String(cString: strerror(errno)))
    }
    do throws(CryptoError) {
      try self.init(passphrase: passphrase, salt: salt)
    } catch {
      throw SQLiteError(.other, "\(error)")
    }
  }

  /// A random salt for a new file.
  public static func newSalt() -> [UInt8] {
    var random = SystemRandom()
    return random.bytes(saltSize)
  }
}
