#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI
import FileAccess
import SimplexCrypto
import Synchronization

/// Encrypted files of this device. The texts of errors are those that callers of the reference know.
enum EncryptedFiles {
  private static let partSize = 1 << 16

  /// Writes the content with a new key.
  static func write(_ content: UnsafeRawBufferPointer, to path: String) throws(InterfaceError) -> LocalFile.Encryption {
    let encryption = newEncryption()
    try replace(LocalFile(path: path, encryption: encryption)) { (draft) throws(CryptoError) in
      var writer = try LocalFileWriter(draft)
      try writer.write(content.bytes)
      try writer.finish()
    }
    return encryption
  }

  /// The content after a five-byte prefix, as the C interface has it, in memory from `malloc`.
  static func read(_ path: String, _ encryption: LocalFile.Encryption) throws(InterfaceError) -> UnsafeMutableRawPointer
  {
    var reader = try open(path, encryption)
    guard let size = UInt32(exactly: reader.contentSize) else { throw InterfaceError("\(path): the file is too large") }
    guard let memory = malloc(Int(size) + 5) else { throw InterfaceError("\(path): not enough memory") }
    memory.storeBytes(of: 0, as: UInt8.self)
    memory.storeBytes(of: size, toByteOffset: 1, as: UInt32.self)
    do throws(CryptoError) {
      var content = UnsafeMutableRawBufferPointer(start: memory + 5, count: Int(size)).mutableBytes
      _ = try reader.read(into: &content)
    } catch {
      free(memory)
      throw InterfaceError(text(of: error, path))
    }
    return memory
  }

  /// Writes an encrypted copy of a file, with a new key.
  static func encrypt(_ source: String, to target: String) throws(InterfaceError) -> LocalFile.Encryption {
    try refuseSameFile(source, target)
    let encryption = newEncryption()
    try copy(LocalFile(path: source), to: LocalFile(path: target, encryption: encryption))
    return encryption
  }

  /// Writes a decrypted copy of a file. Where it is not authentic, the target stays as it was.
  static func decrypt(_ source: String, _ encryption: LocalFile.Encryption, to target: String) throws(InterfaceError) {
    try refuseSameFile(source, target)
    try copy(LocalFile(path: source, encryption: encryption), to: LocalFile(path: target))
  }

  /// The key and nonce in the texts that C passes.
  static func encryption(key: String, nonce: String) throws(InterfaceError) -> LocalFile.Encryption {
    do { return try LocalFile.Encryption(fileKey: key, fileNonce: nonce) } catch {
      throw InterfaceError("invalid file key or nonce")
    }
  }

  private static func newEncryption() -> LocalFile.Encryption {
    var random = SystemRandom()
    return LocalFile.Encryption(using: &random)
  }

  private static func open(_ path: String, _ encryption: LocalFile.Encryption?) throws(InterfaceError)
    -> LocalFileReader
  {
    try requireFile(path)
    do throws(CryptoError) { return try LocalFileReader(LocalFile(path: path, encryption: encryption)) } catch {
      throw InterfaceError(error == .authenticationFailed ? "FTCEInvalidFileSize" : text(of: error, path))
    }
  }

  /// Refuses folders, pipes and devices: opening a pipe could wait forever, and their sizes say nothing.
  private static func requireFile(_ path: String) throws(InterfaceError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    let reason = status.st_mode & S_IFMT == S_IFDIR ? "is a directory" : "not a regular file"
    throw InterfaceError("\(path): openBinaryFile: inappropriate type (\(reason))")
  }

  private static func copy(_ source: LocalFile, to target: LocalFile) throws(InterfaceError) {
    var reader = try open(source.path, source.encryption)
    try replace(target, reading: source.path) { (draft) throws(CryptoError) in
      var writer = try LocalFileWriter(draft)
      var part = [UInt8](repeating: 0, count: partSize)
      repeat {
        if reader.remaining < part.count { part.removeLast(part.count - Int(reader.remaining)) }
        var span = part.mutableSpan
        var bytes = span.mutableBytes
        _ = try reader.read(into: &bytes)
        try writer.write(inPlace: &bytes)
      } while reader.remaining > 0
      try writer.finish()
    }
  }

  /// Writes a file beside the target, and gives it the target's name when it is whole and durable; if anything fails
  /// before, the target stays as it was. So nothing that is not authentic ever has its name.
  /// - Parameter source: the file that errors are about, where it is not the target.
  private static func replace(
    _ file: LocalFile, reading source: String? = nil, _ write: (LocalFile) throws(CryptoError) -> Void
  ) throws(InterfaceError) {
    let target = file.path
    try requireFile(target)
    let path = try place(of: target)
    let draft = draft(of: path)
    do throws(CryptoError) { try write(LocalFile(path: draft, encryption: file.encryption)) } catch {
      unlink(draft)
      if case .file(.open, _) = error { throw InterfaceError(text(of: error, target)) }
      throw InterfaceError(text(of: error, source ?? target))
    }
    do throws(FileAccess.FileError) {
      let file = try FileDescriptor(draft, .reading)
      var replaced = stat()
      if stat(path, &replaced) == 0 { try file.setPermissions(UInt16(truncatingIfNeeded: replaced.st_mode & 0o777)) }
      try file.sync()
      try WholeFile.move(draft, to: path)
    } catch {
      unlink(draft)
      throw InterfaceError(text(of: .file(operation: .write, code: error.code), target))
    }
  }

  /// The path of a file, or the one at which it would be created, behind symbolic links: they stay links.
  private static func place(of target: String) throws(InterfaceError) -> String {
    guard isLink(target) else { return target }
    let place = RealPath(target).text
    if isLink(place) { throw InterfaceError(text(of: .file(operation: .open, code: ELOOP), target)) }
    return place
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The path of a draft in the folder of a file; its name is short enough for any file system.
  private static func draft(of path: String) -> String {
    var random = SystemRandom()
    let name = random.bytes(8).map { String($0, radix: 16) }.joined(separator: "-")
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    removeStaleDrafts(in: folder)
    return "\(folder)\(draftPrefix)\(name).new"
  }

  private static let draftPrefix = ".simplex-draft-"
  /// The age in seconds from which nobody is writing a draft any more.
  private static let staleAge = 600
  /// The folders whose stale drafts this process has removed.
  private static let cleanFolders = Mutex<Set<String>>([])

  /// Removes what a process left that was killed while it wrote a file, which may be decrypted content: once in each
  /// folder, when the process first writes there.
  private static func removeStaleDrafts(in folder: String) {
    guard cleanFolders.withLock({ $0.insert(folder).inserted }) else { return }
    for name in Folder.names(in: folder.isEmpty ? "." : folder) ?? [] where name.hasPrefix(draftPrefix) {
      var found = stat()
      guard lstat(folder + name, &found) == 0, time(nil) - modificationSeconds(found) >= staleAge else { continue }
      unlink(folder + name)
    }
  }

  private static func modificationSeconds(_ found: stat) -> Int {
    #if canImport(Darwin)
      found.st_mtimespec.tv_sec
    #else
      found.st_mtim.tv_sec
    #endif
  }

  /// A file that becomes its own copy would lose its content, or its key.
  private static func refuseSameFile(_ source: String, _ target: String) throws(InterfaceError) {
    var first = stat()
    var second = stat()
    guard stat(source, &first) == 0, stat(target, &second) == 0 else { return }
    if first.st_dev == second.st_dev, first.st_ino == second.st_ino {
      throw InterfaceError("\(target): is the file to be read")
    }
  }

  private static func text(of error: CryptoError, _ path: String) -> String {
    switch error {
    case .authenticationFailed: "FTCEInvalidAuthTag"
    case .file(_, ENOENT): "\(path): openBinaryFile: does not exist (No such file or directory)"
    case .file(_, EACCES): "\(path): openBinaryFile: permission denied (Permission denied)"
    case .file(_, let code): "\(path): openBinaryFile: failed (\(String(cString: strerror(code))))"
    case .unexpectedSize: "FTCEFileIOError \"\(path): unexpected end of file\""
    default: "\(path): \(error)"
    }
  }
}

extension WriteFileResult {
  init(_ operation: () throws(InterfaceError) -> LocalFile.Encryption) {
    do {
      let encryption = try operation()
      self = .result(cryptoArgs: CryptoFileArgs(fileKey: encryption.fileKey, fileNonce: encryption.fileNonce))
    } catch {
      self = .error(writeError: error.text)
    }
  }
}
