import CSQLite
import Foundation

/// The virtual file system through which SQLite uses a ``SimulatedDisk``. One connection at a time uses a database, so
/// locks are not simulated.
package enum SimulatedVFS {
  /// The name to open databases with; the VFS is registered at first use.
  package static let name: String = {
    // Registered for the life of the process, so nothing is ever freed.
    guard let platform = sqlite3_vfs_find(nil) else { return "missing" }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: platform.pointee)
    vfs.pointee.iVersion = 2
    vfs.pointee.zName = UnsafePointer(strdup("simulated-disk"))
    vfs.pointee.pNext = nil
    vfs.pointee.szOsFile = Int32(MemoryLayout<OpenSimulatedFile>.stride)
    vfs.pointee.xOpen = open
    vfs.pointee.xDelete = { _, path, _ in
      guard let path, let (disk, name) = SimulatedDisk.find(String(cString: path)) else { return SQLITE_IOERR }
      guard disk.files[name] != nil else { return SQLITE_IOERR | 23 << 8 }  // SQLITE_IOERR_DELETE_NOENT
      return disk.remove(name) == nil ? SQLITE_OK : SQLITE_IOERR | 10 << 8
    }
    vfs.pointee.xAccess = { _, path, _, result in
      guard let path, let (disk, name) = SimulatedDisk.find(String(cString: path)) else { return SQLITE_IOERR }
      result?.pointee = disk.exists(name) ? 1 : 0
      return SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, path, size, result in
      guard let path, let result, strlen(path) < Int(size) else { return SQLITE_CANTOPEN }
      strcpy(result, path)
      return SQLITE_OK
    }
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? "simulated-disk" : "missing"
  }()

  private static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, sqlite3_filename?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { _, path, file, flags, outFlags in
      guard let file else { return SQLITE_ERROR }
      file.pointee.pMethods = nil
      // Temporary files are no matter of power failures.
      guard let path, let (disk, name) = SimulatedDisk.find(String(cString: path)) else { return SQLITE_CANTOPEN }
      guard case .success(let opened) = disk.open(name) else { return SQLITE_CANTOPEN }
      outFlags?.pointee = flags
      OpenSimulatedFile.initialize(file, OpenFileState(disk: disk, name: name, file: opened))
      return SQLITE_OK
    }
}

/// A file that SQLite has open.
final class OpenFileState {
  let disk: SimulatedDisk
  let name: String
  let file: SimulatedFile

  init(disk: SimulatedDisk, name: String, file: SimulatedFile) {
    (self.disk, self.name, self.file) = (disk, name, file)
  }

  fileprivate func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    if disk.read() != nil { return SQLITE_IOERR | 1 << 8 }
    let count = min(buffer.count, max(0, file.content.count - offset))
    file.content.withUnsafeBytes { content in
      if count > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: content[offset..<offset + count])) }
    }
    guard count < buffer.count else { return SQLITE_OK }
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ
  }

  fileprivate func code(_ error: DiskError?, _ other: Int32) -> Int32 {
    guard let error else { return SQLITE_OK }
    return error.fault == .inputOutput ? SQLITE_IOERR | other << 8 : SQLITE_FULL
  }
}

/// What SQLite sees of an open file: its methods, and the object behind them.
private struct OpenSimulatedFile {
  private var base: sqlite3_file
  private let state: Unmanaged<OpenFileState>

  static func initialize(_ memory: UnsafeMutablePointer<sqlite3_file>, _ state: OpenFileState) {
    UnsafeMutableRawPointer(memory).initializeMemory(
      as: OpenSimulatedFile.self,
      to: OpenSimulatedFile(base: sqlite3_file(pMethods: methods), state: .passRetained(state)))
  }

  private static func unmanaged(_ memory: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<OpenFileState> {
    UnsafeMutableRawPointer(memory).assumingMemoryBound(to: OpenSimulatedFile.self).pointee.state
  }

  private static func with(
    _ memory: UnsafeMutablePointer<sqlite3_file>?, _ operation: (OpenFileState) -> Int32
  ) -> Int32 {
    guard let memory else { return SQLITE_MISUSE }
    return operation(unmanaged(memory).takeUnretainedValue())
  }

  /// Made once, for the life of the process.
  private static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    addFileMethods(methods)
    methods.pointee.xLock = { _, _ in SQLITE_OK }
    methods.pointee.xUnlock = { _, _ in SQLITE_OK }
    methods.pointee.xCheckReservedLock = { _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in 4_096 }
    // As SQLite assumes of the platform's files: writes leave the bytes beside them as they are.
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.pointee.xShmMap = { memory, region, size, extends, address in
      OpenSimulatedFile.with(memory) { state in
        address?.pointee = state.disk.sharedMemory(
          of: state.name, region: Int(region), size: Int(size), extends: extends != 0)
        return SQLITE_OK
      }
    }
    methods.pointee.xShmLock = { _, _, _, _ in SQLITE_OK }
    methods.pointee.xShmBarrier = { _ in }
    methods.pointee.xShmUnmap = { memory, _ in
      OpenSimulatedFile.with(memory) { state in
        state.disk.releaseSharedMemory(of: state.name)
        return SQLITE_OK
      }
    }
    return UnsafePointer(methods)
  }()

  private static func addFileMethods(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xClose = { memory in
      guard let memory else { return SQLITE_MISUSE }
      OpenSimulatedFile.unmanaged(memory).release()
      memory.pointee.pMethods = nil
      return SQLITE_OK
    }
    methods.pointee.xRead = { memory, buffer, count, offset in
      OpenSimulatedFile.with(memory) {
        $0.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), at: Int(offset))
      }
    }
    methods.pointee.xWrite = { memory, buffer, count, offset in
      OpenSimulatedFile.with(memory) { state in
        let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
        return state.code(state.disk.write(bytes, to: state.file, at: Int(offset)), 3)
      }
    }
    methods.pointee.xTruncate = { memory, size in
      OpenSimulatedFile.with(memory) { $0.code($0.disk.resize($0.file, to: Int(size)), 6) }
    }
    methods.pointee.xSync = { memory, _ in
      // Not "full", which SQLite does not expect here.
      OpenSimulatedFile.with(memory) { $0.disk.flush($0.file) == nil ? SQLITE_OK : SQLITE_IOERR | 4 << 8 }
    }
    methods.pointee.xFileSize = { memory, size in
      OpenSimulatedFile.with(memory) {
        size?.pointee = Int64($0.file.content.count)
        return SQLITE_OK
      }
    }
  }
}
