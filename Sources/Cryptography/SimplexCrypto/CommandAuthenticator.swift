extension BoxKey {
  /// The size of a command authenticator in bytes.
  public static let authenticatorSize = HashFunction.sha512.digestSize + overhead

  /// Authorizes a command so that only the owner of the other X25519 key can check it, and nobody can prove it to
  /// others: the box of the command's SHA-512 hash, with the command's correlation identifier as nonce (SMP protocol,
  /// "Deniable client authentication").
  public func authenticator(of command: RawSpan, nonce: BoxNonce) -> [UInt8] {
    seal(HashFunction.sha512.digest(of: command), nonce: nonce)
  }

  /// Whether `authenticator` authorizes the command with this SHA-512 hash; false for one of a wrong size.
  public func isValid(_ authenticator: RawSpan, ofDigest digest: RawSpan, nonce: BoxNonce) -> Bool {
    // A box has only one form, so it is checked by comparing it with our own, in constant time.
    authenticator.byteCount == Self.authenticatorSize
      && constantTimeEqual(authenticator, seal(digest, nonce: nonce).span.bytes)
  }

  /// Whether `authenticator` authorizes the command; false for one of a wrong size.
  public func isValid(_ authenticator: RawSpan, of command: RawSpan, nonce: BoxNonce) -> Bool {
    isValid(authenticator, ofDigest: HashFunction.sha512.digest(of: command).span.bytes, nonce: nonce)
  }
}
