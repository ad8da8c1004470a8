import CSQLite

/// What SQLite sees of an open encrypted file: its methods, the object behind them, and right after this the memory of
/// the platform's file.
struct OpenFile {
  private var base: sqlite3_file
  private let file: Unmanaged<EncryptedFile>

  /// Makes `memory`, of the size that the VFS asks for, an open file.
  static func initialize(_ memory: UnsafeMutablePointer<sqlite3_file>, _ file: EncryptedFile) {
    UnsafeMutableRawPointer(memory).initializeMemory(
      as: OpenFile.self, to: OpenFile(base: sqlite3_file(pMethods: methods), file: .passRetained(file)))
  }

  /// The platform's file inside the memory of an open file.
  static func platformFile(_ memory: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(memory) + MemoryLayout<OpenFile>.stride).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// The file with the bytes as they are stored: of an encrypted file the platform's, otherwise the file itself.
  static func stored(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
    file.pointee.pMethods == methods ? platformFile(file) : file
  }

  private static func of(_ memory: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<EncryptedFile> {
    UnsafeMutableRawPointer(memory).assumingMemoryBound(to: OpenFile.self).pointee.file
  }

  /// The methods of every encrypted file; made once, for the life of the process. Version 2: shared memory for the
  /// write-ahead log, but no mapping of the file into memory.
  private static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { memory in
      guard let memory else { return SQLITE_MISUSE }
      let platformFile = OpenFile.platformFile(memory)
      let code = platformFile.pointee.pMethods.pointee.xClose(platformFile)
      OpenFile.of(memory).release()
      memory.pointee.pMethods = nil
      return code
    }
    methods.pointee.xRead = { memory, buffer, count, offset in
      guard let memory, let buffer, count >= 0, offset >= 0 else { return SQLITE_MISUSE }
      let target = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
      return OpenFile.of(memory).takeUnretainedValue().read(target, at: offset)
    }
    methods.pointee.xWrite = { memory, buffer, count, offset in
      guard let memory, let buffer, count >= 0, offset >= 0 else { return SQLITE_MISUSE }
      let source = UnsafeRawBufferPointer(start: buffer, count: Int(count))
      return OpenFile.of(memory).takeUnretainedValue().write(source, at: offset)
    }
    delegate(methods)
    return UnsafePointer(methods)
  }()

  /// Everything that is the same for an encrypted file.
  private static func delegate(_ methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xTruncate = { memory, size in OpenFile.onPlatform(memory) { $1.xTruncate($0, size) } }
    methods.pointee.xSync = { memory, flags in OpenFile.onPlatform(memory) { $1.xSync($0, flags) } }
    methods.pointee.xFileSize = { memory, size in OpenFile.onPlatform(memory) { $1.xFileSize($0, size) } }
    methods.pointee.xLock = { memory, level in OpenFile.onPlatform(memory) { $1.xLock($0, level) } }
    methods.pointee.xUnlock = { memory, level in OpenFile.onPlatform(memory) { $1.xUnlock($0, level) } }
    methods.pointee.xCheckReservedLock = { memory, result in
      OpenFile.onPlatform(memory) { $1.xCheckReservedLock($0, result) }
    }
    methods.pointee.xFileControl = { memory, operation, argument in
      OpenFile.onPlatform(memory) { $1.xFileControl($0, operation, argument) }
    }
    methods.pointee.xSectorSize = { memory in OpenFile.onPlatform(memory) { $1.xSectorSize($0) } }
    methods.pointee.xDeviceCharacteristics = { memory in OpenFile.onPlatform(memory) { $1.xDeviceCharacteristics($0) } }
    methods.pointee.xShmMap = { memory, region, size, extend, address in
      OpenFile.onPlatform(memory) { $1.xShmMap($0, region, size, extend, address) }
    }
    methods.pointee.xShmLock = { memory, offset, count, flags in
      OpenFile.onPlatform(memory) { $1.xShmLock($0, offset, count, flags) }
    }
    methods.pointee.xShmBarrier = { memory in
      _ = OpenFile.onPlatform(memory) {
        $1.xShmBarrier($0)
        return SQLITE_OK
      }
    }
    methods.pointee.xShmUnmap = { memory, delete in OpenFile.onPlatform(memory) { $1.xShmUnmap($0, delete) } }
  }

  private static func onPlatform(
    _ memory: UnsafeMutablePointer<sqlite3_file>?,
    _ operation: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    guard let memory else { return SQLITE_MISUSE }
    let platformFile = platformFile(memory)
    return operation(platformFile, platformFile.pointee.pMethods.pointee)
  }
}
