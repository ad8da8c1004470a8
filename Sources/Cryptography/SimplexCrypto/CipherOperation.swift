import COpenSSL

/// One encryption or decryption with an AEAD of OpenSSL.
///
/// Each operation has a context of its own: creating one takes 0.15 µs with the cipher looked up before, and freeing it
/// wipes the expanded key, which a reused context would keep.
struct CipherOperation: ~Copyable {
  /// An AEAD and the sizes of its initialisation vectors.
  struct Cipher: Sendable {
    nonisolated(unsafe) let implementation: OpaquePointer  // immutable and reference counted
    let ivSizes: [Int]

    init(_ name: String, ivSizes: [Int]) {
      implementation = required(EVP_CIPHER_fetch(nil, name, nil))
      self.ivSizes = ivSizes
    }

    static let aes256GCM = Cipher("AES-256-GCM", ivSizes: [AESGCM.ratchetIVSize, AESGCM.frameIVSize])
    static let chaCha20Poly1305 = Cipher("ChaCha20-Poly1305", ivSizes: [12])
  }

  /// The direction of the operation.
  enum Direction: Int32 {
    case decrypt = 0
    case encrypt = 1
  }

  private static let keySize = 32
  private let context: OpaquePointer

  /// Starts with a key of 32 bytes and a vector of one of the cipher's sizes.
  init(_ cipher: Cipher, _ direction: Direction, key: RawSpan, iv: RawSpan) throws(CryptoError) {
    try requireLength(key.byteCount, Self.keySize, of: .key)
    guard cipher.ivSizes.contains(iv.byteCount) else {
      throw .invalidLength(of: .nonce, expected: cipher.ivSizes[0], actual: iv.byteCount)
    }
    let context = required(EVP_CIPHER_CTX_new())
    self.context = context
    required(EVP_CipherInit_ex2(context, cipher.implementation, nil, nil, direction.rawValue, nil) == 1)
    required(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.byteCount), nil) == 1)
    key.withUnsafeBytes { key in
      iv.withUnsafeBytes { iv in
        required(EVP_CipherInit_ex2(context, nil, key.octets, iv.octets, direction.rawValue, nil) == 1)
      }
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(context)
  }

  /// Adds data that is authenticated and not encrypted. Must precede ``process(_:into:)``.
  func authenticate(_ data: RawSpan) {
    data.withUnsafeBytes { update(nil, $0) }
  }

  /// Encrypts or decrypts `input` into `output`, which has the same size and may be the same memory.
  func process(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    update(output.octets, input)
  }

  private func update(_ output: UnsafeMutablePointer<UInt8>?, _ input: UnsafeRawBufferPointer) {
    // OpenSSL counts in Int32.
    let largestPart = 1 << 30
    var position = 0
    while position < input.count {
      let count = min(input.count - position, largestPart)
      var written: Int32 = 0
      let part = input.slice(position..<position + count)
      required(EVP_CipherUpdate(context, output.map { $0 + position }, &written, part.octets, Int32(count)) == 1)
      position += count
    }
  }

  /// The tag of what was encrypted.
  consuming func finishEncryption() -> AuthTag {
    var tag = AuthTag()
    var written: Int32 = 0
    tag.withUnsafeMutableBytes {
      required(EVP_CipherFinal_ex(context, $0.octets, &written) == 1)
      required(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32($0.count), $0.baseAddress) == 1)
    }
    return tag
  }

  /// Checks the tag of what was decrypted into `output`, and wipes it if it is wrong.
  consuming func finishDecryption(tag: AuthTag, of output: UnsafeMutableRawBufferPointer) throws(CryptoError) {
    var tag = tag
    var written: Int32 = 0
    let isValid = tag.withUnsafeMutableBytes {
      required(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), $0.baseAddress) == 1)
      return EVP_CipherFinal_ex(context, $0.octets, &written) == 1
    }
    if !isValid {
      ERR_clear_error()
      wipe(output)
      throw .authenticationFailed
    }
  }
}

extension CipherOperation {
  /// Encrypts a whole buffer in place.
  static func seal(
    _ cipher: Cipher, inPlace buffer: inout MutableRawSpan, key: RawSpan, iv: RawSpan, authenticating data: RawSpan
  ) throws(CryptoError) -> AuthTag {
    try buffer.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      let operation = try CipherOperation(cipher, .encrypt, key: key, iv: iv)
      operation.authenticate(data)
      operation.process(UnsafeRawBufferPointer(buffer), into: buffer)
      return operation.finishEncryption()
    }
  }

  /// Decrypts a whole buffer in place.
  static func open(
    _ cipher: Cipher, inPlace buffer: inout MutableRawSpan, tag: AuthTag, key: RawSpan, iv: RawSpan,
    authenticating data: RawSpan
  ) throws(CryptoError) {
    try buffer.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      try open(cipher, UnsafeRawBufferPointer(buffer), into: buffer, tag: tag, key: key, iv: iv, authenticating: data)
    }
  }

  /// Decrypts a whole ciphertext into `output`, of the same size; it may be the same memory.
  static func open(
    _ cipher: Cipher, _ ciphertext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, tag: AuthTag,
    key: RawSpan, iv: RawSpan, authenticating data: RawSpan
  ) throws(CryptoError) {
    let operation = try CipherOperation(cipher, .decrypt, key: key, iv: iv)
    operation.authenticate(data)
    operation.process(ciphertext, into: output)
    try operation.finishDecryption(tag: tag, of: output)
  }
}
