import CSQLite
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Virtual file systems for unencrypted databases. Each wraps another one, overwrites the gaps (``PageGap``) of pages
/// that are written to a database file, and passes on everything else.
enum ErasingVFS {
  /// A registered VFS; SQLite has a pointer to its first member.
  private struct Registered {
    var base: sqlite3_vfs
    let platform: UnsafeMutablePointer<sqlite3_vfs>
  }

  /// Two connections may be opened at the same time.
  private static let registration = Mutex(())

  /// The name of the VFS above another one, which is registered at first use; above the default where it is nil.
  static func name(above platform: String?) throws(SQLiteError) -> String {
    guard let platform = sqlite3_vfs_find(platform), let platformName = platform.pointee.zName else {
      throw SQLiteError(.cannotOpen, "no such file system: \(platform ?? "the default")")
    }
    let name = "simplex-erasing-" + String(cString: platformName)
    let code = registration.withLock { _ in
      sqlite3_vfs_find(name) == nil ? register(name, above: platform) : SQLITE_OK
    }
    guard code == SQLITE_OK else { throw SQLiteError(code: code, database: nil) }
    return name
  }

  private static func register(_ name: String, above platform: UnsafeMutablePointer<sqlite3_vfs>) -> Int32 {
    // Registered for the life of the process, so it is never freed.
    let vfs = UnsafeMutablePointer<Registered>.allocate(capacity: 1)
    vfs.initialize(to: Registered(base: platform.pointee, platform: platform))
    vfs.pointee.base.zName = UnsafePointer(strdup(name))
    vfs.pointee.base.pNext = nil
    vfs.pointee.base.xOpen = { vfs, name, file, flags, outFlags in
      guard let vfs, let file else { return SQLITE_MISUSE }
      let platform = UnsafeRawPointer(vfs).assumingMemoryBound(to: Registered.self).pointee.platform
      let code = platform.pointee.xOpen(platform, name, file, flags, outFlags)
      if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0 { ErasingMethods.insert(above: file) }
      return code
    }
    return UnsafeMutableRawPointer(vfs).withMemoryRebound(to: sqlite3_vfs.self, capacity: 1) {
      sqlite3_vfs_register($0, 0)
    }
  }
}

/// The methods of a database file in the clear: those of its own VFS, except that gaps are overwritten in what is
/// written.
private struct ErasingMethods {
  private typealias File = UnsafeMutablePointer<sqlite3_file>

  private var base: sqlite3_io_methods
  private let platform: UnsafePointer<sqlite3_io_methods>

  /// For each table of methods that a VFS uses the one above it. There are a few, which are never freed.
  private static let tables = Mutex<[UInt: UInt]>([:])

  /// Replaces the methods of an open file.
  static func insert(above file: UnsafeMutablePointer<sqlite3_file>) {
    guard let platform = file.pointee.pMethods else { return }
    let address = tables.withLock { tables in
      if let known = tables[UInt(bitPattern: platform)] { return known }
      let methods = UnsafeMutablePointer<ErasingMethods>.allocate(capacity: 1)
      methods.initialize(to: ErasingMethods(base: platform.pointee, platform: platform))
      methods.pointee.base.xWrite = { file, buffer, count, offset in
        guard let file, let buffer, count >= 0, offset >= 0 else { return SQLITE_MISUSE }
        return ErasingMethods.write(UnsafeRawBufferPointer(start: buffer, count: Int(count)), to: file, at: offset)
      }
      tables[UInt(bitPattern: platform)] = UInt(bitPattern: methods)
      return UInt(bitPattern: methods)
    }
    file.pointee.pMethods = UnsafePointer(bitPattern: address)
  }

  private static func write(_ page: UnsafeRawBufferPointer, to file: File, at offset: Int64) -> Int32 {
    let methods = UnsafeRawPointer(file.pointee.pMethods).assumingMemoryBound(to: ErasingMethods.self).pointee.platform
      .pointee
    // The database may have another page size than this, but then this is no page.
    guard page.count > 0, offset % Int64(page.count) == 0,
      let gap = PageGap.content(of: page, isFirst: offset == 0), mayErase(page, of: file, methods, at: offset)
    else { return methods.xWrite(file, page.baseAddress, Int32(page.count), offset) }
    return withUnsafeTemporaryAllocation(byteCount: page.count, alignment: 16) { copy in
      copy.copyMemory(from: page)
      PageGap.erase(gap, in: copy)
      return methods.xWrite(file, copy.baseAddress, Int32(copy.count), offset)
    }
  }

  /// Whether a page with the form of a b-tree page is one for certain.
  private static func mayErase(
    _ page: UnsafeRawBufferPointer, of file: File, _ methods: sqlite3_io_methods, at offset: Int64
  ) -> Bool {
    var size: Int64 = 0
    guard methods.xFileSize(file, &size) == SQLITE_OK, size / Int64(page.count) < PageGap.pageLimit else {
      return false
    }
    if offset == 0 { return page[PageGap.pointerMapField].allSatisfy { $0 == 0 } }
    return withUnsafeTemporaryAllocation(byteCount: PageGap.pointerMapField.upperBound, alignment: 16) { head in
      // Bytes beyond the end of the file are read as zeros.
      let code = methods.xRead(file, head.baseAddress, Int32(head.count), 0)
      guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else { return false }
      // In a new file others may be written before the first page, where they do not fit into the cache; nothing says
      // then whether it has pointer maps.
      if head[0] == 0 { return !PageGap.mayBePointerMap(page, number: offset / Int64(page.count) + 1) }
      return head[PageGap.pointerMapField].allSatisfy { $0 == 0 }
    }
  }
}
