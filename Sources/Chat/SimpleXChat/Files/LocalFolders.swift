import ChatAPI
import ChatLogic
import FileAccess
import SQLiteKit
import SimplexCrypto

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The folders of this process for files.
struct LocalFolders: Sendable {
  /// Where files of chats are; stored paths are relative to it. Nil where they are absolute.
  var files: String?
  /// Where files are made; nil for the system's folder.
  var temporary: String?

  /// The path of a file that is stored under this path.
  func path(_ stored: String) -> String {
    guard let files, !stored.hasPrefix("/") else { return stored }
    return "\(files)/\(stored)"
  }

  /// A path as it is stored where it has to be valid after the folder was moved: relative to it, if the file is in it.
  /// Names that differ only in their composition (`é`) are of two folders on Linux.
  func storedPath(_ path: String) -> String {
    guard let files, path.utf8.starts(with: "\(files)/".utf8) else { return path }
    return String(Substring(path.utf8.dropFirst(files.utf8.count + 1)))
  }

  /// A file of this device, with its key.
  /// - Throws: `fileInternal` where the key cannot be read.
  func localFile(_ file: CryptoFile) throws(ChatError) -> LocalFile {
    do throws(CryptoError) {
      return LocalFile(
        path: path(file.filePath),
        encryption: try file.cryptoArgs.map { (args) throws(CryptoError) in
          try LocalFile.Encryption(fileKey: args.fileKey, fileNonce: args.fileNonce)
        })
    } catch {
      throw .error(errorType: .fileInternal(message: "the key of \(file.filePath) cannot be read"))
    }
  }

  private static func kind(of path: String) -> mode_t? {
    var found = stat()
    return stat(path, &found) == 0 ? found.st_mode & S_IFMT : nil
  }

  /// The size of the content of a file, in bytes.
  /// - Throws: `fileNotFound` where there is no such file.
  func contentSize(of file: CryptoFile) throws(ChatError) -> Int64 {
    let local = try localFile(file)
    guard PathStatus.exists(local.path) else { throw .error(errorType: .fileNotFound(message: file.filePath)) }
    do throws(CryptoError) {
      return try LocalFileReader(local).contentSize
    } catch {
      throw .error(errorType: .fileNotFound(message: file.filePath))
    }
  }

  // MARK: Received files

  /// Creates an empty file for one that is received, and returns its path as it is stored.
  ///
  /// A process that is killed before it has stored the path leaves the empty file. It is used again where it is in the
  /// folder of files, which no other profile uses, or where the user names it.
  /// - Parameters:
  ///   - name: the name that its sender gave it.
  ///   - wanted: a folder, or the path of a file that does not exist yet; nil for the folder of files.
  ///   - isStored: whether a file has this place.
  /// - Throws: `fileAlreadyExists`; `fileWrite` where it cannot be created.
  func createReceived(
    _ name: String, at wanted: String? = nil, isStored: (_ place: String) -> Bool
  ) throws(ChatError) -> String {
    // Set before the first file is created.
    _ = Self.beginning
    let name = FileRules.receivedName(name)
    if let wanted = wanted.map(chosenPath) {
      if Self.kind(of: wanted) == S_IFDIR { return try Self.createUnique(name, in: wanted) }
      guard try Self.create(wanted) || Self.isLeft(wanted) && !isStored(wanted) else {
        throw .error(errorType: .fileAlreadyExists(filePath: wanted))
      }
      return wanted
    }
    guard let files else { return try Self.createUnique(name, in: downloads) }
    let path = try Self.createUnique(name, in: files) { path in
      Self.isLeft(path) && !isStored(path) && !isStored(FileRules.name(ofPath: path))
    }
    return FileRules.name(ofPath: path)
  }

  /// A path that the user chose, as it is stored: one from the current folder would be one in the folder of files.
  private func chosenPath(_ path: String) -> String { files == nil ? path : DatabaseFile.absolute(path) }

  /// Before this process created a file for a received one or a copy, in seconds since 1970; the times of files are
  /// some milliseconds late.
  private static let beginning: Double = {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - 0.1
  }()

  /// Whether an earlier process may have created this empty file for a received one.
  private static func isLeft(_ path: String) -> Bool {
    #if canImport(Darwin)
      // Its file systems take names for equal that differ in case or composition; the database compares bytes, so the
      // file may be another one's.
      return false
    #else
      return PathStatus.isEmptyFile(path, changedBefore: beginning)
    #endif
  }

  /// Creates an empty file in a folder, with a number in its name where the name is taken. However many files have the
  /// name, few names are tried.
  private static func createUnique(
    _ name: String, in folder: String, isFree: (_ path: String) -> Bool = { _ in false }
  ) throws(ChatError) -> String {
    var number = 0
    return try createUnique(name, in: folder, from: &number, isFree: isFree)
  }

  /// - Parameter number: the first number that is tried; afterwards the one that comes next.
  private static func createUnique(
    _ name: String, in folder: String, from number: inout Int, isFree: (_ path: String) -> Bool = { _ in false }
  ) throws(ChatError) -> String {
    let folder = folder.hasSuffix("/") && folder.count > 1 ? String(folder.dropLast()) : folder
    var random = SystemRandomNumberGenerator()
    for attempt in 0..<StepLimit.triedNames.rawValue {
      if attempt >= FileRules.orderedNumbers {
        number = FileRules.randomNumber(afterAttempt: attempt, using: &random)
      }
      let path = "\(folder)/\(FileRules.numbered(name, number))"
      number += 1
      if try create(path) || isFree(path) { return path }
    }
    throw .error(errorType: .fileWrite(filePath: "\(folder)/\(name)", message: "too many files of this name"))
  }

  /// - Returns: false where there is something of this name.
  private static func create(_ path: String) throws(ChatError) -> Bool {
    do throws(FileAccess.FileError) {
      _ = try FileDescriptor(path, .creating)
      return true
    } catch {
      if error.code == EEXIST { return false }
      throw .error(errorType: .fileWrite(filePath: path, message: String(cString: strerror(error.code))))
    }
  }

  /// Where files go if there is no folder for them.
  private var downloads: String {
    if let home = getenv("HOME") {
      let folder = String(cString: home) + "/Downloads"
      if Self.kind(of: folder) == S_IFDIR { return folder }
    }
    if let temporary { return temporary }
    return getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// Removes a file.
  /// - Returns: 0 where it is gone, or there was none; else the error of the system.
  @discardableResult
  func remove(_ stored: String) -> Int32 { Self.unlinked(path(stored)) }

  /// Removes a file of the folder of files. Others, which the user chose, stay.
  /// - Returns: 0 where it is gone, there was none or it stays; else the error of the system.
  @discardableResult
  func removeOwned(_ stored: String) -> Int32 {
    guard let files, !stored.isEmpty, !stored.utf8.contains(UInt8(ascii: "/")), stored != ".", stored != ".." else {
      return 0
    }
    return Self.unlinked("\(files)/\(stored)")
  }

  /// The error of a file that cannot be removed.
  /// - Parameter code: the error of the system.
  static func removalFailure(_ path: String, code: Int32) -> ChatError {
    .error(
      errorType: .fileWrite(filePath: path, message: "cannot be removed: \(String(cString: strerror(code)))"))
  }

  private static func unlinked(_ path: String) -> Int32 {
    unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR ? 0 : errno
  }

  // MARK: Copies

  /// Creates empty files in the folder of files for copies, and returns their places; with numbers in the names where
  /// those are taken. Where one cannot be created, none is left.
  func createCopies(named names: [String]) throws(ChatError) -> [String] {
    guard let files else { throw .error(errorType: .internalError(message: "there is no folder of files")) }
    // So that no received file takes the place of a copy that is still empty.
    _ = Self.beginning
    // Many files may have one name.
    var numbers: [String: Int] = [:]
    var places: [String] = []
    do throws(ChatError) {
      for name in names.map(FileRules.receivedName) {
        let path = try Self.createUnique(name, in: files, from: &numbers[name, default: 0])
        places.append(FileRules.name(ofPath: path))
      }
      return places
    } catch {
      for place in places { remove(place) }
      throw error
    }
  }

  /// Copies a file to a place in the folder of files, and returns it as it is stored.
  /// - Parameter encryption: what the copy is encrypted with.
  func copy(
    _ file: CryptoFile, to place: String, encryption: LocalFile.Encryption?
  ) throws(ChatError) -> CryptoFile {
    let (source, path) = (try localFile(file), path(place))
    do throws(CryptoError) {
      var reader = try LocalFileReader(source)
      var writer = try LocalFileWriter(LocalFile(path: path, encryption: encryption))
      var part = [UInt8](repeating: 0, count: 1 << 18)
      var count = -1
      while count != 0 {
        var span = part.mutableSpan
        var bytes = span.mutableBytes
        count = try reader.read(into: &bytes)
        if count > 0 { try writer.write(part.span.bytes.extracting(0..<count)) }
      }
      try writer.finish()
    } catch {
      throw .error(errorType: .internalError(message: "\(error)"))
    }
    return CryptoFile(
      filePath: place,
      cryptoArgs: encryption.map { CryptoFileArgs(fileKey: $0.fileKey, fileNonce: $0.fileNonce) })
  }
}

extension CryptoFileArgs {
  /// A key and nonce for a new file.
  static func random() -> CryptoFileArgs {
    var random = SystemRandom()
    let encryption = LocalFile.Encryption(using: &random)
    return CryptoFileArgs(fileKey: encryption.fileKey, fileNonce: encryption.fileNonce)
  }
}
