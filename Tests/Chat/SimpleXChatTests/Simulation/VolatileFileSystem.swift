import CSQLite
import Foundation

/// The virtual file system of SQLite that passes files to the ``VolatileDisk`` they are on, and all others to the
/// platform's.
enum VolatileFileSystem {
  /// Makes it the default; once.
  static func register() { _ = registration }

  // Registered for the life of the process, so it is never freed.
  private static let registration: Int32 = {
    guard let platform = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: platform.pointee)
    vfs.pointee.zName = UnsafePointer(strdup("volatile"))
    vfs.pointee.pNext = nil
    vfs.pointee.pAppData = UnsafeMutableRawPointer(platform)
    vfs.pointee.szOsFile = platform.pointee.szOsFile + Int32(MemoryLayout<VolatileFile>.stride)
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      guard let file, let platform = VolatileFileSystem.platform(vfs) else { return SQLITE_ERROR }
      guard let name, let disk = VolatileDisk.of(String(cString: name)) else {
        return platform.pointee.xOpen(platform, name, file, flags, outFlags)
      }
      return VolatileFile.open(file, disk, String(cString: name)) { platformFile in
        platform.pointee.xOpen(platform, name, platformFile, flags, outFlags)
      }
    }
    vfs.pointee.xDelete = { vfs, name, waits in
      guard let platform = VolatileFileSystem.platform(vfs), let name else { return SQLITE_ERROR }
      let path = String(cString: name)
      guard let disk = VolatileDisk.of(path) else { return platform.pointee.xDelete(platform, name, waits) }
      return disk.delete(path) { platform.pointee.xDelete(platform, name, waits) } ?? VolatileFile.failure
    }
    return sqlite3_vfs_register(vfs, 1)
  }()

  private static func platform(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs>? {
    vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
  }
}

/// What SQLite sees of an open file on a ``VolatileDisk``: its methods, the object behind them, and right after this
/// the memory of the platform's file.
struct VolatileFile {
  private typealias Memory = UnsafeMutablePointer<sqlite3_file>

  /// The object behind an open file.
  private final class Context {
    let disk: VolatileDisk
    let path: String

    init(_ disk: VolatileDisk, _ path: String) {
      self.disk = disk
      self.path = path
    }
  }

  private var base: sqlite3_file
  private let context: Unmanaged<Context>

  /// The result code of calls without power.
  static let failure = SQLITE_IOERR

  static func open(
    _ memory: UnsafeMutablePointer<sqlite3_file>, _ disk: VolatileDisk, _ path: String,
    _ body: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    memory.pointee.pMethods = nil
    guard disk.opened(path) else { return SQLITE_CANTOPEN }
    let platformFile = platformFile(memory)
    platformFile.pointee.pMethods = nil
    let code = body(platformFile)
    guard code == SQLITE_OK else {
      if platformFile.pointee.pMethods != nil { _ = platformFile.pointee.pMethods.pointee.xClose(platformFile) }
      disk.closed(path)
      return code
    }
    let file = VolatileFile(base: sqlite3_file(pMethods: methods), context: .passRetained(Context(disk, path)))
    UnsafeMutableRawPointer(memory).initializeMemory(as: VolatileFile.self, to: file)
    return code
  }

  private static func platformFile(_ memory: Memory) -> Memory {
    (UnsafeMutableRawPointer(memory) + MemoryLayout<VolatileFile>.stride).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func context(_ memory: Memory) -> Unmanaged<Context> {
    UnsafeMutableRawPointer(memory).assumingMemoryBound(to: VolatileFile.self).pointee.context
  }

  /// Calls a method of the platform's file.
  private static func onPlatform(
    _ memory: Memory?, _ body: (Memory, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    guard let memory else { return SQLITE_MISUSE }
    let file = platformFile(memory)
    return body(file, file.pointee.pMethods.pointee)
  }

  private static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    // Shared memory for the write-ahead log, but no mapping of the file into memory.
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { memory in
      let code = VolatileFile.onPlatform(memory) { $1.xClose($0) }
      guard let memory else { return code }
      let context = VolatileFile.context(memory)
      let opened = context.takeUnretainedValue()
      opened.disk.closed(opened.path)
      context.release()
      memory.pointee.pMethods = nil
      return code
    }
    methods.pointee.xWrite = { memory, buffer, count, offset in
      guard let memory, let buffer, count >= 0, offset >= 0 else { return SQLITE_MISUSE }
      let bytes = [UInt8](UnsafeRawBufferPointer(start: buffer, count: Int(count)))
      return VolatileFile.change(memory, at: Int(offset), bytes) { $1.xWrite($0, buffer, count, offset) }
    }
    methods.pointee.xTruncate = { memory, size in
      guard let memory, size >= 0 else { return SQLITE_MISUSE }
      return VolatileFile.change(memory, at: Int(size), nil) { $1.xTruncate($0, size) }
    }
    methods.pointee.xSync = { memory, flags in
      guard let memory else { return SQLITE_MISUSE }
      let context = VolatileFile.context(memory).takeUnretainedValue()
      guard context.disk.synchronized(context.path) else { return VolatileFile.failure }
      return VolatileFile.onPlatform(memory) { $1.xSync($0, flags) }
    }
    delegate(methods)
    return UnsafePointer(methods)
  }()

  /// Everything else is the platform's.
  private static func delegate(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xRead = { memory, buffer, count, offset in
      VolatileFile.onPlatform(memory) { $1.xRead($0, buffer, count, offset) }
    }
    methods.pointee.xFileSize = { memory, size in VolatileFile.onPlatform(memory) { $1.xFileSize($0, size) } }
    methods.pointee.xLock = { memory, level in VolatileFile.onPlatform(memory) { $1.xLock($0, level) } }
    methods.pointee.xUnlock = { memory, level in VolatileFile.onPlatform(memory) { $1.xUnlock($0, level) } }
    methods.pointee.xCheckReservedLock = { memory, result in
      VolatileFile.onPlatform(memory) { $1.xCheckReservedLock($0, result) }
    }
    methods.pointee.xFileControl = { memory, operation, argument in
      VolatileFile.onPlatform(memory) { $1.xFileControl($0, operation, argument) }
    }
    methods.pointee.xSectorSize = { memory in VolatileFile.onPlatform(memory) { $1.xSectorSize($0) } }
    methods.pointee.xDeviceCharacteristics = { memory in
      VolatileFile.onPlatform(memory) { $1.xDeviceCharacteristics($0) }
    }
    methods.pointee.xShmMap = { memory, page, size, extends, result in
      VolatileFile.onPlatform(memory) { $1.xShmMap($0, page, size, extends, result) }
    }
    methods.pointee.xShmLock = { memory, offset, count, flags in
      VolatileFile.onPlatform(memory) { $1.xShmLock($0, offset, count, flags) }
    }
    methods.pointee.xShmBarrier = { memory in
      _ = VolatileFile.onPlatform(memory) {
        $1.xShmBarrier($0)
        return SQLITE_OK
      }
    }
    methods.pointee.xShmUnmap = { memory, deletes in VolatileFile.onPlatform(memory) { $1.xShmUnmap($0, deletes) } }
  }

  /// Changes the platform's file, and remembers what was there.
  private static func change(
    _ memory: Memory, at offset: Int, _ bytes: [UInt8]?, _ body: (Memory, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    let context = context(memory).takeUnretainedValue()
    var size: sqlite3_int64 = 0
    let code = onPlatform(memory) { $1.xFileSize($0, &size) }
    guard code == SQLITE_OK else { return code }
    let count = max(0, min(Int(size), bytes.map { offset + $0.count } ?? Int(size)) - offset)
    var replaced = [UInt8](repeating: 0, count: count)
    if count > 0 {
      let code = replaced.withUnsafeMutableBytes { buffer in
        onPlatform(memory) { $1.xRead($0, buffer.baseAddress, Int32(buffer.count), Int64(offset)) }
      }
      guard code == SQLITE_OK else { return code }
    }
    return context.disk.write(context.path, at: offset, bytes, replacing: replaced, size: Int(size)) {
      onPlatform(memory, body)
    } ?? failure
  }
}
