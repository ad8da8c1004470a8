import CSQLite
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The virtual file system through which encrypted databases are opened: it hands files to ``EncryptedFile`` and
/// everything else to the platform's own VFS.
///
/// A key reaches it by a number in the file's URI, so that no key is ever part of a text.
enum EncryptedVFS {
  static let name = "simplex-encrypted"
  private static let keyParameter = "simplex-key"

  /// Keys of the databases that are being opened or open, by their numbers.
  private static let keys = Mutex<(next: Int64, byNumber: [Int64: KeyInUse])>((1, [:]))

  /// Registers the VFS once.
  private static let registration = register(name, above: sqlite3_vfs_find(nil))

  /// Registers a VFS that encrypts the files of `platform`; another one than the platform's is for simulated disks.
  static func register(_ name: String, above platform: UnsafeMutablePointer<sqlite3_vfs>?) -> Int32 {
    guard let platform else { return SQLITE_ERROR }
    // Registered for the life of the process, so neither is ever freed.
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: platform.pointee)
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.pNext = nil
    vfs.pointee.pAppData = UnsafeMutableRawPointer(platform)
    vfs.pointee.szOsFile = platform.pointee.szOsFile + Int32(MemoryLayout<OpenFile>.stride)
    vfs.pointee.xOpen = open
    return sqlite3_vfs_register(vfs, 0)
  }

  /// The URI to open `path` with, and the number to release when the connection is closed.
  static func uri(path: String, key: DatabaseKey) throws(SQLiteError) -> (uri: String, number: Int64) {
    guard registration == SQLITE_OK else { throw SQLiteError(code: registration, database: nil) }
    let number = keys.withLock { keys in
      defer { keys.next += 1 }
      keys.byNumber[keys.next] = KeyInUse(key)
      return keys.next
    }
    return ("\(SQLiteConnection.uri(path))?\(keyParameter)=\(number)", number)
  }

  static func release(_ number: Int64) {
    keys.withLock { keys in _ = keys.byNumber.removeValue(forKey: number) }
  }

  // MARK: Opening

  private static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, sqlite3_filename?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { vfs, name, file, flags, outFlags in
      guard let file, let platform = vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self) else {
        return SQLITE_ERROR
      }
      file.pointee.pMethods = nil
      // Temporary files would hold content in the clear; connections keep them in memory instead.
      guard let name, let kind = EncryptedVFS.kind(flags),
        let key = EncryptedVFS.key(name, kind), let cipher = try? PageCipher(key: key.key)
      else {
        return SQLITE_CANTOPEN
      }
      let platformFile = OpenFile.platformFile(file)
      platformFile.pointee.pMethods = nil
      let code = platform.pointee.xOpen(platform, name, platformFile, flags, outFlags)
      guard code == SQLITE_OK else {
        if platformFile.pointee.pMethods != nil { _ = platformFile.pointee.pMethods.pointee.xClose(platformFile) }
        return code
      }
      let path = String(cString: name)
      OpenFile.initialize(
        file, EncryptedFile(kind: kind, path: path, key: key, cipher: cipher, platformFile: platformFile))
      return SQLITE_OK
    }

  private static func kind(_ flags: Int32) -> EncryptedFile.Kind? {
    if flags & SQLITE_OPEN_MAIN_DB != 0 { return .database }
    if flags & SQLITE_OPEN_WAL != 0 { return .writeAheadLog }
    if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 { return .rollbackJournal }
    return nil
  }

  private static func key(_ name: sqlite3_filename, _ kind: EncryptedFile.Kind) -> KeyInUse? {
    let database = kind == .database ? name : sqlite3_filename_database(name)
    let number = sqlite3_uri_int64(database, keyParameter, 0)
    return keys.withLock { $0.byNumber[number] }
  }
}

/// The key of a connection, and whether something in its files was written with it.
final class KeyInUse: Sendable {
  let key: DatabaseKey
  private let proof = Atomic(false)

  init(_ key: DatabaseKey) { self.key = key }

  /// Whether a page of the database or of its log was authentic: then one that is not was torn or changed, and the key
  /// is right.
  var isProven: Bool { proof.load(ordering: .relaxed) }

  func prove() { proof.store(true, ordering: .relaxed) }
}
