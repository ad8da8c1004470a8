import FileAccess
import SQLiteKit
import SimplexCrypto

/// The two databases of a profile of the reference app.
///
/// They are only read: what has to be recovered from its journal, or has a damaged index, is copied, and the copy is
/// repaired. Copies take long where databases are large, so there is none of a database that was closed as it should.
struct SourceFiles {
  let prefix: String
  /// Beside whose databases the copies are.
  let target: String

  /// The parts of the names after the prefix.
  static let suffixes = ["_chat.db", "_agent.db"]
  /// What SQLite may have left beside a database.
  private static let companions = ["-journal", "-wal"]

  var chat: String { prefix + Self.suffixes[0] }
  var agent: String { prefix + Self.suffixes[1] }
  var chatCopy: String { copy(of: Self.suffixes[0]) }
  var agentCopy: String { copy(of: Self.suffixes[1]) }
  /// Both databases.
  var all: [String] { Self.suffixes.map { prefix + $0 } }

  /// No database of any prefix has such a name.
  private func copy(of suffix: String) -> String { DatabaseReplacement.source(target + suffix) }

  /// What the files were like at a time.
  struct State: Equatable {
    /// Of each database: the stamps and first pages of its file and of those that SQLite has beside it.
    fileprivate var files: [String: [Part]] = [:]

    fileprivate struct Part: Equatable {
      var stamp: [Int64]?
      var start: [UInt8] = []
    }
  }

  /// The state of the files before they are read; see ``verify(_:)``.
  /// - Throws: `missing`, `link`, `file`.
  func begin() throws(ProfileImportError) -> State {
    for file in all {
      guard DatabaseFile.hasContent(file) else { throw .missing(file: file) }
      // Its journal is beside the file that it names.
      if PathStatus.isLink(file) { throw .link(file: file, target: RealPath(file).text) }
    }
    return try state()
  }

  /// Whether a database can be read as it is: nothing has to be moved into it from a journal or a log.
  func isWhole(_ file: String) -> Bool { Self.companions.allSatisfy { !DatabaseFile.hasContent(file + $0) } }

  /// Copies a database with what SQLite has beside it, and returns the path of the copy.
  /// - Parameter state: that of the files before they were read.
  /// - Throws: `inUse` where a file changed since, `file`.
  func copy(_ file: String, _ state: State) throws(ProfileImportError) -> String {
    let copy = file == chat ? chatCopy : agentCopy
    for companion in [""] + Self.companions where DatabaseFile.exists(file + companion) {
      try Self.copy(file + companion, to: copy + companion)
    }
    try verify(state)
    return copy
  }

  /// Throws `inUse` unless the files are as they were before.
  func verify(_ before: State) throws(ProfileImportError) {
    let now = try state()
    for file in all where now.files[file] != before.files[file] { throw .inUse(file: file) }
  }

  /// What `body` returns; `inUse` instead of its error where the files are not as they were, and so may have been read
  /// in the middle of a change.
  func reading<Value>(
    _ before: State, _ body: () throws(ProfileImportError) -> Value
  ) throws(ProfileImportError) -> Value {
    do throws(ProfileImportError) { return try body() } catch {
      try verify(before)
      throw error
    }
  }

  /// Removes the copies.
  func removeCopies() {
    for suffix in Self.suffixes { DatabaseFile.remove(copy(of: suffix)) }
  }

  /// SHA-256 of the agent's database with its journal: two profiles with the same value have the same keys.
  func fingerprint() throws(ProfileImportError) -> String {
    var digest: [UInt8] = []
    for companion in [""] + Self.companions where DatabaseFile.exists(agent + companion) {
      digest += try Self.digest(agent + companion)
    }
    return hex(HashFunction.sha256.digest(of: digest))
  }

  /// The sizes and times of all files, with the first page of each, in which SQLite counts changes.
  private func state() throws(ProfileImportError) -> State {
    var state = State()
    for database in all {
      for companion in [""] + Self.companions {
        let path = database + companion
        var part = State.Part(stamp: DatabaseFile.stamp(path))
        if part.stamp != nil { part.start = try Self.start(of: path) }
        state.files[database, default: []].append(part)
      }
    }
    return state
  }

  /// The first page of a file.
  private static func start(of path: String) throws(ProfileImportError) -> [UInt8] {
    var page: [UInt8] = []
    try reading(path) { (file) throws(FileError) in
      let start = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
      defer { start.deallocate() }
      page = Array(start.prefix(try file.read(start, at: 0)))
    }
    return page
  }

  private static func reading(
    _ path: String, _ body: (borrowing FileDescriptor) throws(FileError) -> Void
  ) throws(ProfileImportError) {
    do throws(FileError) { try body(try FileDescriptor(path, .reading)) } catch { throw .file(error.description) }
  }

  private static func forEachBlock(
    _ path: String, _ body: (UnsafeRawBufferPointer) throws(FileError) -> Void
  ) throws(ProfileImportError) {
    try reading(path) { (file) throws(FileError) in
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
      defer { block.deallocate() }
      while true {
        let count = try file.read(block)
        guard count > 0 else { return }
        try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
      }
    }
  }

  private static func copy(_ path: String, to target: String) throws(ProfileImportError) {
    DatabaseFile.remove(target)
    DatabaseFile.create(target)
    try forEachBlock(path) { (block) throws(FileError) in
      // Blocks are large, and the copy needs not be durable.
      try FileDescriptor(target, .appending).write(block)
    }
  }

  private static func digest(_ path: String) throws(ProfileImportError) -> [UInt8] {
    // A chain of the digests of blocks needs no more memory than one block.
    var digest: [UInt8] = []
    try forEachBlock(path) { block in
      digest = HashFunction.sha256.digest(of: digest + HashFunction.sha256.digest(of: Array(block)))
    }
    return digest
  }
}

/// Bytes in lowercase hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}
