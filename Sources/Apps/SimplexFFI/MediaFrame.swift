import SimplexCrypto
import WireCodec

/// A frame of a call in the caller's memory: the media, then 28 reserved bytes that take the tag and the vector of its
/// encryption.
struct MediaFrame {
  /// The size of the reserved end: a tag and a 12-byte vector.
  static let reservedSize = AuthTag.size + AESGCM.frameIVSize

  private let memory: UnsafeMutableRawBufferPointer
  private let key: SecretBytes

  /// - Throws: an error unless the frame has the reserved bytes and the key is one.
  init(_ memory: UnsafeMutableRawPointer?, count: CInt, key: String) throws(InterfaceError) {
    guard let memory, count >= Self.reservedSize else {
      throw InterfaceError("frame has no [reserved space for] IV and/or auth tag")
    }
    guard let key = Base64URL.decode(key) else { throw InterfaceError("invalid key: \(Self.fault(of: key))") }
    guard key.count == AESGCM.keySize else { throw InterfaceError("AESCipherError CryptoError_KeySizeInvalid") }
    self.memory = UnsafeMutableRawBufferPointer(start: memory, count: Int(count))
    self.key = SecretBytes(key)
  }

  /// The fault of a text that is not base64url, in the words of the reference.
  private static func fault(of text: String) -> String {
    if text.utf8.count % 4 == 1 { return "Base64-encoded bytestring has invalid size" }
    for (offset, character) in text.utf8.enumerated() where Base64URL.decode([character, UInt8(ascii: "A")]) == nil {
      return "invalid \(character == UInt8(ascii: "=") ? "padding" : "character") at offset: \(offset)"
    }
    return "non-canonical encoding detected at offset: \(text.utf8.count - 1)"
  }

  private var media: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<(memory.count - Self.reservedSize)])
  }

  private var reserved: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[(memory.count - Self.reservedSize)...])
  }

  /// Encrypts the media in place and fills the reserved bytes.
  func encrypt() throws(InterfaceError) {
    var random = SystemRandom()
    let iv = random.bytes(AESGCM.frameIVSize)
    do {
      var span = media.mutableBytes
      let tag = try AESGCM.seal(inPlace: &span, key: key.bytes, iv: iv.span.bytes)
      reserved.copyBytes(from: tag.bytes + iv)
    } catch {
      throw InterfaceError("AESCipherError")
    }
  }

  /// Decrypts the media in place and clears the reserved bytes. A frame that is not authentic stays as it was.
  func decrypt() throws(InterfaceError) {
    let end = [UInt8](reserved)
    do {
      let tag = try AuthTag(Array(end.prefix(AuthTag.size)))
      let iv = Array(end.suffix(AESGCM.frameIVSize))
      let plain = try AESGCM.open(media.bytes, tag: tag, key: key.bytes, iv: iv.span.bytes)
      media.copyBytes(from: plain)
      reserved.initializeMemory(as: UInt8.self, repeating: 0)
    } catch {
      throw InterfaceError("AESDecryptError")
    }
  }
}

/// Encrypts a frame of a call in place.
@_cdecl("chat_encrypt_media")
public func chatEncryptMedia(
  _ controller: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ frame: UnsafeMutableRawPointer?, _ count: CInt
) -> UnsafeMutablePointer<CChar>? {
  errorText { () throws(InterfaceError) in
    try MediaFrame(frame, count: count, key: try required(key, "key")).encrypt()
  }
}

/// Decrypts a frame of a call in place.
@_cdecl("chat_decrypt_media")
public func chatDecryptMedia(
  _ key: UnsafePointer<CChar>?, _ frame: UnsafeMutableRawPointer?, _ count: CInt
) -> UnsafeMutablePointer<CChar>? {
  errorText { () throws(InterfaceError) in
    try MediaFrame(frame, count: count, key: try required(key, "key")).decrypt()
  }
}
