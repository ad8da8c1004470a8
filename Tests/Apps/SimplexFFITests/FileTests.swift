import ChatAPI
import Foundation
import SimplexFFI
import Testing

@Suite struct FileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What the buffer of `chat_read_file` holds.
  private enum Content: Equatable {
    case bytes([UInt8])
    case error(String)
  }

  private func read(_ path: String?, _ arguments: CryptoFileArgs) throws -> Content {
    let buffer = try #require(chatReadFile(path, arguments.fileKey, arguments.fileNonce))
    defer { free(buffer) }
    guard buffer.load(as: UInt8.self) == 0 else {
      return .error(String(cString: (buffer + 1).assumingMemoryBound(to: CChar.self)))
    }
    let count = buffer.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
    return .bytes([UInt8](UnsafeRawBufferPointer(start: buffer + 5, count: Int(count))))
  }

  private func arguments(_ json: String) throws -> CryptoFileArgs {
    guard case .result(let arguments) = try WriteFileResult(jsonText: json) else { throw Failure(json) }
    return arguments
  }

  private struct Failure: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  @Test(arguments: ["test", "тест", "👍"], [0, 1, 65_536, 200_001])
  func whatIsWrittenCanBeRead(_ name: String, _ count: Int) throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = folder.file(name)
    let buffer = CBuffer(content)
    let arguments = try arguments(try taken(chatWriteFile(nil, path, buffer.memory, CInt(count))))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == count + 16)
    #expect(try read(path, arguments) == .bytes(content))
    let plain = folder.file("plain")
    #expect(try taken(chatDecryptFile(path, arguments.fileKey, arguments.fileNonce, plain)) == "")
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: plain))) == content)
    let again = folder.file("again")
    let others = try self.arguments(try taken(chatEncryptFile(nil, plain, again)))
    #expect(others != arguments)
    #expect(try read(again, others) == .bytes(content))
  }

  /// Copies are made part by part, also of the last one.
  @Test(arguments: [(1 << 25) - 1, (1 << 25) + 65_537])
  func largeFiles(_ size: Int) throws {
    let (plain, encrypted, again) = (folder.file("plain"), folder.file("encrypted"), folder.file("again"))
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: plain))
    #expect(truncate(plain, off_t(size)) == 0)
    let key = try arguments(try taken(chatEncryptFile(nil, plain, encrypted)))
    #expect(try attributes(encrypted).size == UInt64(size + 16))
    #expect(try taken(chatDecryptFile(encrypted, key.fileKey, key.fileNonce, again)) == "")
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: again)) == Data(contentsOf: URL(fileURLWithPath: plain)))
    guard case .bytes(let content) = try read(encrypted, key) else { throw Failure("not read") }
    #expect(content.count == size && content.prefix(4) == [1, 2, 3, 0])
  }

  private func attributes(_ path: String) throws -> (size: UInt64, type: FileAttributeType?) {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return ((attributes[.size] as? NSNumber)?.uint64Value ?? 0, attributes[.type] as? FileAttributeType)
  }

  /// Paths that are no files: nothing waits, nothing is written, and the reason is told.
  @Test func hostilePaths() throws {
    let plain = folder.file("plain")
    try Data(repeating: 1, count: 100).write(to: URL(fileURLWithPath: plain))
    let encrypted = folder.file("encrypted")
    let key = try arguments(try taken(chatEncryptFile(nil, plain, encrypted)))
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let loop = folder.file("loop")
    #expect(symlink(loop, loop) == 0)
    let content = CBuffer([1, 2, 3])
    let paths = [
      "", "/", folder.file(""), folder.file("."), pipe, loop, "/dev/zero", folder.file("missing/file"),
      folder.file("plain/below"), folder.file(String(repeating: "x", count: 300)),
      "/" + String(repeating: "x/", count: 5_000),
    ]
    for path in paths {
      let name = "\(path.prefix(100))"
      guard case .error = try read(path, key) else { throw Failure("read \(name)") }
      #expect(try !taken(chatDecryptFile(path, key.fileKey, key.fileNonce, folder.file("to"))).isEmpty, "\(name)")
      #expect(try !taken(chatDecryptFile(encrypted, key.fileKey, key.fileNonce, path)).isEmpty, "\(name)")
      for result in [
        try taken(chatWriteFile(nil, path, content.memory, 3)),
        try taken(chatEncryptFile(nil, path, folder.file("to"))),
        try taken(chatEncryptFile(nil, plain, path)),
      ] {
        guard case .error = try WriteFileResult(jsonText: result) else { throw Failure("wrote \(name)") }
      }
      #expect(!FileManager.default.fileExists(atPath: folder.file("to")), "\(name)")
    }
    #expect(try attributes(pipe).type != .typeRegular)
    #expect(try Data(contentsOf: URL(fileURLWithPath: plain)).count == 100)
    // The same file under another name.
    let link = folder.file("link")
    #expect(symlink(plain, link) == 0)
    guard case .error = try WriteFileResult(jsonText: try taken(chatEncryptFile(nil, plain, link))) else {
      throw Failure("encrypted onto itself")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: plain)) == Data(repeating: 1, count: 100))
  }

  @Test func filesThatAreNotThere() throws {
    let path = folder.file("missing_file")
    let encrypted = try taken(chatEncryptFile(nil, path, folder.file("to")))
    #expect(try WriteFileResult(jsonText: encrypted) == .error(writeError: missing(path)))
    #expect(!FileManager.default.fileExists(atPath: folder.file("to")))
    let key = CryptoFileArgs(
      fileKey: Data(repeating: 1, count: 32).base64EncodedString(),
      fileNonce: Data(repeating: 1, count: 24).base64EncodedString())
    #expect(try read(path, key) == .error(missing(path)))
    #expect(try taken(chatDecryptFile(path, key.fileKey, key.fileNonce, folder.file("to"))) == missing(path))
  }

  private func missing(_ path: String) -> String {
    "\(path): openBinaryFile: does not exist (No such file or directory)"
  }

  @Test func changedFilesAreRefusedAndLeaveNothing() throws {
    let path = folder.file("file")
    let buffer = CBuffer([UInt8](repeating: 7, count: 100_000))
    let arguments = try arguments(try taken(chatWriteFile(nil, path, buffer.memory, 100_000)))
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    content[99_999] ^= 1
    try content.write(to: URL(fileURLWithPath: path))
    #expect(try read(path, arguments) == .error("FTCEInvalidAuthTag"))
    let plain = folder.file("plain")
    #expect(try taken(chatDecryptFile(path, arguments.fileKey, arguments.fileNonce, plain)) == "FTCEInvalidAuthTag")
    #expect(!FileManager.default.fileExists(atPath: plain))
    try Data(repeating: 0, count: 15).write(to: URL(fileURLWithPath: path))
    #expect(try read(path, arguments) == .error("FTCEInvalidFileSize"))
  }

  /// What was there stays until the new content is whole; no draft is left, and a link goes on leading to the file.
  @Test func whatFailsLeavesTheTargetAsItWas() throws {
    let (path, target, link) = (folder.file("file"), folder.file("target"), folder.file("link"))
    let buffer = CBuffer([UInt8](repeating: 7, count: 100_000))
    let arguments = try arguments(try taken(chatWriteFile(nil, path, buffer.memory, 100_000)))
    let before = Data([1, 2, 3])
    try before.write(to: URL(fileURLWithPath: target))
    #expect(chmod(target, 0o640) == 0 && symlink(target, link) == 0)
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    content[99_999] ^= 1
    try content.write(to: URL(fileURLWithPath: path))
    for place in [target, link] {
      #expect(try taken(chatDecryptFile(path, arguments.fileKey, arguments.fileNonce, place)) == "FTCEInvalidAuthTag")
      #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == before)
    }
    // A file that cannot get its name, like one that does not fit on the disk.
    let long = folder.file(String(repeating: "x", count: 300))
    guard case .error = try WriteFileResult(jsonText: try taken(chatWriteFile(nil, long, buffer.memory, 3))) else {
      throw Failure("written")
    }
    content[99_999] ^= 1
    try content.write(to: URL(fileURLWithPath: path))
    #expect(try taken(chatDecryptFile(path, arguments.fileKey, arguments.fileNonce, link)) == "")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(repeating: 7, count: 100_000))
    #expect(try attributes(link).type == .typeSymbolicLink)
    let rights = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
    #expect(rights == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["file", "link", "target"])
  }

  /// What a process left that was killed while it decrypted a file is removed by the next one that writes there.
  @Test func draftsOfKilledProcessesAreRemoved() throws {
    let buffer = CBuffer([7])
    let (stale, fresh) = (folder.file(".simplex-draft-1.new"), folder.file(".simplex-draft-2.new"))
    for draft in [stale, fresh] { try Data([1]).write(to: URL(fileURLWithPath: draft)) }
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: stale)
    _ = try taken(chatWriteFile(nil, folder.file("file"), buffer.memory, 1))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [".simplex-draft-2.new", "file"])
  }

  @Test func aFileIsNotEncryptedOntoItself() throws {
    let path = folder.file("file")
    try Data(repeating: 1, count: 10).write(to: URL(fileURLWithPath: path))
    let result = try WriteFileResult(jsonText: try taken(chatEncryptFile(nil, path, path)))
    guard case .error = result else { return #expect(Bool(false), "\(result)") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 1, count: 10))
  }

  @Test func misusedPointers() throws {
    let key = CryptoFileArgs(fileKey: "wrong", fileNonce: "wrong")
    #expect(try read(folder.file("file"), key) == .error("invalid file key or nonce"))
    #expect(try taken(chatDecryptFile(nil, nil, nil, nil)) == "key is null")
    for json in [
      try taken(chatWriteFile(nil, nil, nil, 0)), try taken(chatWriteFile(nil, folder.file("file"), nil, 5)),
      try taken(chatWriteFile(nil, folder.file("file"), nil, -1)), try taken(chatEncryptFile(nil, nil, nil)),
    ] {
      guard case .error = try WriteFileResult(jsonText: json) else {
        #expect(Bool(false), "\(json)")
        continue
      }
    }
  }
}
