extension BoxKey {
  /// The size of a command authenticator in bytes.
  public static let authenticatorSize = HashFunction.sha512.digestSize + overhead

  /// Authorizes a command so that only the owner of the other X25519 key can check it, and nobody can prove it to others: the box of
  /// the command's SHA-512 hash, with the command's correlation identifier as nonce (SMP protocol, "Deniable client authentication").
  public func authenticator(of command: RawSpan, nonce: BoxNonce) -> [UInt8] {
    seal(HashFunction.sha512.digest(of: command), nonce: nonce)
  }

  /// Whether `authenticator` authorizes the command. One of a wrong size does not.
  public func isValid(_ authenticator: RawSpan, of command: RawSpan, nonce: BoxNonce) -> Bool {
    guard authenticator.byteCount == Self.authenticatorSize else { return false }
    // A box has one form only, so comparing with our own is the check; it takes the same time whatever is wrong.
    let expected = self.authenticator(of: command, nonce: nonce)
    return constantTimeEqual(authenticator, expected.span.bytes)
  }
}
