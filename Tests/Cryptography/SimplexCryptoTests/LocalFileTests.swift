import Foundation
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Files")
struct LocalFileTests {
  /// A path for a new file that is removed afterwards.
  private func withPath<R>(_ body: (String) throws -> R) throws -> R {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("simplex-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url.path)
  }

  @Test(arguments: cases("cryptoFile"))
  func encryptedFile(_ golden: Golden) throws {
    let arguments = try golden.member("cryptoArgs")
    let encryption = try LocalFile.Encryption(
      fileKey: arguments.string("fileKey"), fileNonce: arguments.string("fileNonce"))
    #expect(encryption.key.secret == (try golden.secret("key")))
    #expect(encryption.fileKey == (try arguments.string("fileKey")))
    #expect(encryption.fileNonce == (try arguments.string("fileNonce")))
    let message = try golden.message()
    try withPath { path in
      let file = LocalFile(path: path, encryption: encryption)
      try file.write(message)
      let stored = try LocalFile(path: path).contents()
      try golden.expect(stored, "file")
      #expect(stored.count == (try golden.int("fileLen")))
      #expect(try file.contents() == message)

      try LocalFile(path: path).write(stored.flippingBit(stored.count * 8 - 1))
      #expect(throws: CryptoError.authenticationFailed) { try file.contents() }
      try LocalFile(path: path).write(Array(stored.dropLast()))
      #expect(throws: CryptoError.authenticationFailed) { try file.contents() }
      try LocalFile(path: path).write(Array(stored.prefix(15)))
      #expect(throws: CryptoError.authenticationFailed) { try file.contents() }
    }
  }

  @Test(arguments: [1, 7, 64, 1000])
  func partsOfAnySize(size: Int) throws {
    var random = InsecureSeededRandom(seed: UInt64(size))
    let content = random.bytes(5000)
    let encryption = LocalFile.Encryption(using: &random)
    try withPath { path in
      let file = LocalFile(path: path, encryption: encryption)
      var writer = try LocalFileWriter(file)
      for start in stride(from: 0, to: content.count, by: size) {
        let part = Array(content[start...].prefix(size))
        try writer.write(part.span.bytes)
      }
      try writer.finish()

      var reader = try LocalFileReader(file)
      #expect(reader.contentSize == 5000)
      var collected: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: size)
      while true {
        let count = try buffer.inPlace { try reader.read(into: &$0) }
        if count == 0 { break }
        collected += buffer.prefix(count)
      }
      #expect(reader.remaining == 0)
      #expect(collected == content)
    }
  }

  @Test func plainFile() throws {
    try withPath { path in
      let file = LocalFile(path: path)
      try file.write([1, 2, 3])
      #expect(try file.contents() == [1, 2, 3])
      try file.write([])
      #expect(try file.contents() == [])
    }
  }

  @Test func missingFilesAndFoldersAreErrors() throws {
    try withPath { path in
      #expect(throws: CryptoError.file(operation: .open, code: ENOENT)) { try LocalFile(path: path).contents() }
      #expect(throws: CryptoError.file(operation: .open, code: ENOENT)) { try LocalFile(path: path + "/x").write([1]) }
    }
    #expect(throws: CryptoError.file(operation: .read, code: EISDIR)) { try LocalFile(path: "/").contents() }
  }

  @Test(arguments: [("", ""), ("AAAA", "AAAA"), ("*", "*"), (String(repeating: "A", count: 43), "AAAA")])
  func badArguments(key: String, nonce: String) {
    #expect(throws: CryptoError.invalidText) { try LocalFile.Encryption(fileKey: key, fileNonce: nonce) }
  }
}

@Suite("Files sent over XFTP")
struct XFTPFileTests {
  @Test(arguments: cases("xftpFile"), [1000, 65536, 17, 200_000])
  func encryptedForm(_ golden: Golden, partSize: Int) throws {
    let key = try BoxKey(golden.secret("key"))
    let nonce = try BoxNonce(golden.hex("nonce"))
    let header = try golden.hex("fileHeader")
    let content = try golden.message("content", count: "contentLen")
    let size = Int64(try golden.int("encryptedSize"))

    let sealed = try seal(content, header: header, size: size, key: key, nonce: nonce, partSize: partSize)
    #expect(sealed.prefix(256) == (try golden.hex("encryptedFirst256"))[...])
    #expect(sealed.suffix(64) == (try golden.hex("encryptedLast64"))[...])
    #expect(HashFunction.sha512.digest(of: sealed).hex == (try golden.string("encryptedSha512")))

    #expect(try open(sealed, key: key, nonce: nonce, partSize: partSize) == header + content)
    #expect(throws: CryptoError.authenticationFailed) {
      try open(sealed.flippingBit(sealed.count * 8 - 1), key: key, nonce: nonce, partSize: partSize)
    }
    #expect(throws: CryptoError.authenticationFailed) {
      try open(sealed.flippingBit(100), key: key, nonce: nonce, partSize: partSize)
    }
    #expect(throws: CryptoError.unexpectedSize(expected: size, actual: size - 1)) {
      try open(Array(sealed.dropLast()), size: size, key: key, nonce: nonce, partSize: partSize)
    }
  }

  private func seal(
    _ content: [UInt8], header: [UInt8], size: Int64, key: BoxKey, nonce: BoxNonce, partSize: Int
  ) throws -> [UInt8] {
    var sealer = try XFTPFileSealer(
      key: key, nonce: nonce, header: header, contentSize: Int64(content.count), encryptedSize: size)
    var rest = content[...]
    var sealed: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: partSize)
    while sealer.remaining > 0 {
      let count = buffer.inPlace { output in
        sealer.read(into: &output) { part in
          part.withUnsafeMutableBytes { $0.copyBytes(from: rest.prefix($0.count)) }
          rest = rest.dropFirst(part.byteCount)
        }
      }
      sealed += buffer.prefix(count)
    }
    #expect(rest.isEmpty)
    return sealed
  }

  private func open(
    _ sealed: [UInt8], size: Int64? = nil, key: BoxKey, nonce: BoxNonce, partSize: Int
  ) throws -> [UInt8] {
    var opener = try XFTPFileOpener(key: key, nonce: nonce, encryptedSize: size ?? Int64(sealed.count))
    var text: [UInt8] = []
    for start in stride(from: 0, to: sealed.count, by: partSize) {
      var part = Array(sealed[start...].prefix(partSize))
      let range = try part.inPlace { try opener.open(inPlace: &$0) }
      text += part[range]
    }
    try opener.finish()
    return text
  }

  @Test func sizesAreChecked() throws {
    var random = InsecureSeededRandom(seed: 5)
    let key = BoxKey(using: &random)
    let nonce = BoxNonce(using: &random)
    #expect(throws: CryptoError.messageTooLong(limit: 98)) {
      try check { try XFTPFileSealer(key: key, nonce: nonce, header: [1, 2], contentSize: 99, encryptedSize: 124) }
    }
    #expect(throws: CryptoError.messageTooLong(limit: 98)) {
      try check { try XFTPFileSealer(key: key, nonce: nonce, header: [1, 2], contentSize: -1, encryptedSize: 124) }
    }
    for size: Int64 in [23, 0, -1, .min] {
      #expect(throws: CryptoError.invalidPadding) {
        var opener = try XFTPFileOpener(key: key, nonce: nonce, encryptedSize: size)
        var part: [UInt8] = [0]
        try part.inPlace { _ = try opener.open(inPlace: &$0) }
      }
      #expect(throws: CryptoError.self) {
        try check { try XFTPFileSealer(key: key, nonce: nonce, header: [], contentSize: 0, encryptedSize: size) }
      }
    }
    let exact = try seal([1, 2, 3], header: [9], size: 28, key: key, nonce: nonce, partSize: 5)
    #expect(try open(exact, key: key, nonce: nonce, partSize: 3) == [9, 1, 2, 3])
    #expect(throws: CryptoError.unexpectedSize(expected: 28, actual: 29)) {
      try open(exact + [0], size: 28, key: key, nonce: nonce, partSize: 29)
    }
    // A text that claims to be longer than its form, and one of negative length.
    for length: Int64 in [5, -1, .max] {
      let prefix = withUnsafeBytes(of: length.bigEndian) { [UInt8]($0) }
      let box = key.seal(prefix + [1, 2, 3, 4], nonce: nonce, tag: .last)
      #expect(throws: CryptoError.invalidPadding) { try open(box, key: key, nonce: nonce, partSize: 3) }
    }
  }

  private func check(_ make: () throws -> XFTPFileSealer) throws { _ = try make() }
}
