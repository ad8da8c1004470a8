import COpenSSL

/// An OpenSSL key object, for the curve-448 algorithms. OpenSSL keeps private keys in memory that it wipes when it
/// frees them.
struct EVPKey: ~Copyable {
  /// The curve-448 algorithms by OpenSSL's names.
  enum Kind: String {
    case x448 = "X448"
    case ed448 = "ED448"
  }

  private let key: OpaquePointer

  /// Creates the key pair of a private key of the right size. Without the public key OpenSSL computes it at once, which
  /// takes as long as a Diffie–Hellman operation.
  init(_ kind: Kind, privateKey: UnsafeRawBufferPointer, knownPublicKey: [UInt8]? = nil) {
    if let knownPublicKey {
      key = required(simplex_evp_pkey_of_pair(kind.rawValue, privateKey.octets, knownPublicKey, privateKey.count))
    } else {
      key = required(EVP_PKEY_new_raw_private_key_ex(nil, kind.rawValue, nil, privateKey.octets, privateKey.count))
    }
  }

  /// Makes a public key of the right size.
  init(_ kind: Kind, publicKey: UnsafeRawBufferPointer) {
    key = required(EVP_PKEY_new_raw_public_key_ex(nil, kind.rawValue, nil, publicKey.octets, publicKey.count))
  }

  deinit {
    EVP_PKEY_free(key)
  }

  /// Copies the raw public key.
  func copyPublicKey(into output: UnsafeMutableRawBufferPointer) {
    var count = output.count
    required(EVP_PKEY_get_raw_public_key(key, output.octets, &count) == 1 && count == output.count)
  }

  /// Writes the Diffie–Hellman secret, or returns false if it would be zero.
  func derive(with peer: borrowing EVPKey, into output: UnsafeMutableRawBufferPointer) -> Bool {
    let context = required(EVP_PKEY_CTX_new_from_pkey(nil, key, nil))
    defer { EVP_PKEY_CTX_free(context) }
    required(EVP_PKEY_derive_init(context) == 1)
    required(EVP_PKEY_derive_set_peer_ex(context, peer.key, 0) == 1)
    var count = output.count
    let derived = EVP_PKEY_derive(context, output.octets, &count) == 1
    if !derived { ERR_clear_error() }
    return derived
  }

  /// Signs a message.
  func sign(_ message: UnsafeRawBufferPointer, into signature: UnsafeMutableRawBufferPointer) {
    let context = required(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    required(EVP_DigestSignInit(context, nil, nil, nil, key) == 1)
    var count = signature.count
    required(EVP_DigestSign(context, signature.octets, &count, message.octets, message.count) == 1)
  }

  /// Checks a signature.
  func isValid(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
    let context = required(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    required(EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1)
    let isValid = EVP_DigestVerify(context, signature.octets, signature.count, message.octets, message.count) == 1
    if !isValid { ERR_clear_error() }
    return isValid
  }
}

/// Unwraps a result that OpenSSL omits only when memory is exhausted or the library lacks an algorithm, which outside
/// data cannot cause.
func required<T>(_ value: T?, function: StaticString = #function) -> T {
  guard let value else { preconditionFailure("OpenSSL failed in \(function)") }
  return value
}

/// Traps unless a call succeeded that fails only when memory is exhausted or the library lacks an algorithm.
func required(_ success: Bool, function: StaticString = #function) {
  precondition(success, "OpenSSL failed in \(function)")
}
