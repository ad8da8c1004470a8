import SimplexCrypto

/// Encrypts and decrypts database pages in the file format of SQLCipher 4.
///
/// A page has 4096 bytes; the last 80 are reserved: a random vector of 16 and an HMAC-SHA-512 of 64 over ciphertext,
/// vector and page number (little-endian). The file's first 16 bytes are the salt in place of SQLite's magic text.
final class PageCipher {
  static let pageSize = 4096
  static let reservedSize = 80
  private static let vectorOffset = pageSize - reservedSize
  private static let codeOffset = vectorOffset + AESCBC.blockSize
  private static let magic = Array("SQLite format 3\0".utf8)

  private let salt: [UInt8]
  private let cipher: AESCBC
  private let code: HMACSHA512
  private var random = SystemRandom()
  /// The page that is being worked on; reused, so that reading and writing allocate nothing.
  let page: UnsafeMutableRawBufferPointer

  init(key: DatabaseKey) throws(CryptoError) {
    salt = key.salt
    cipher = try AESCBC(key: key.encryptionKey.bytes)
    code = HMACSHA512(key: key.authenticationKey.bytes)
    page = .allocate(byteCount: Self.pageSize, alignment: 16)
  }

  deinit {
    _ = page.initializeMemory(as: UInt8.self, repeating: 0)
    page.deallocate()
  }

  /// Where the ciphertext of a page begins: the first page keeps the salt in the clear.
  private func start(of number: UInt32) -> Int { number == 1 ? DatabaseKey.saltSize : 0 }

  /// Encrypts the content of `page` as the page of this number.
  func encryptPage(_ number: UInt32) -> Bool {
    let start = start(of: number)
    if start > 0 { page.copyBytes(from: salt) }
    random.fill(UnsafeMutableRawBufferPointer(rebasing: page[Self.vectorOffset..<Self.codeOffset]))
    guard
      transform(
        start,
        { (cipher, buffer, vector) throws(CryptoError) in
          try cipher.encrypt(inPlace: &buffer, iv: vector)
        })
    else { return false }
    UnsafeMutableRawBufferPointer(rebasing: page[Self.codeOffset...]).copyBytes(from: authenticationCode(number))
    return true
  }

  /// Decrypts the content of `page` as the page of this number; false where it was not encrypted with this key as
  /// this page.
  func decryptPage(_ number: UInt32) -> Bool {
    let stored = UnsafeRawBufferPointer(rebasing: page[Self.codeOffset...])
    guard constantTimeEqual(authenticationCode(number).span.bytes, stored.bytes) else { return false }
    let start = start(of: number)
    guard
      transform(
        start,
        { (cipher, buffer, vector) throws(CryptoError) in
          try cipher.decrypt(inPlace: &buffer, iv: vector)
        })
    else { return false }
    if start > 0 { page.copyBytes(from: Self.magic) }
    // SQLite's checksums in the log cover the reserved bytes too. It leaves them as they are read, and as zeros in new
    // pages: reading them as zeros makes them the same whenever a page is written and read again.
    _ = UnsafeMutableRawBufferPointer(rebasing: page[Self.vectorOffset...]).initializeMemory(
      as: UInt8.self, repeating: 0)
    return true
  }

  private func authenticationCode(_ number: UInt32) -> [UInt8] {
    let content = UnsafeRawBufferPointer(rebasing: page[start(of: number)..<Self.codeOffset])
    return withUnsafeBytes(of: number.littleEndian) { code.code(of: content.bytes, $0.bytes) }
  }

  private func transform(
    _ start: Int, _ operation: (AESCBC, inout MutableRawSpan, RawSpan) throws(CryptoError) -> Void
  ) -> Bool {
    let vector = UnsafeRawBufferPointer(rebasing: page[Self.vectorOffset..<Self.codeOffset])
    var content = UnsafeMutableRawBufferPointer(rebasing: page[start..<Self.vectorOffset]).mutableBytes
    do throws(CryptoError) {
      try operation(cipher, &content, vector.bytes)
      return true
    } catch {
      return false
    }
  }
}
