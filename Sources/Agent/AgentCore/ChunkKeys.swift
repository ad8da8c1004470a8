import SMPProtocol
import SimplexCrypto
import XFTPProtocol

/// The keys of a chunk at a relay, for its sender and its recipients. They are derived from a secret that is stored
/// with the file when the file is accepted: no key is used that is not stored, and thousands take no room.
public struct ChunkKeys: Sendable {
  private let seed: SecretBytes
  private let purpose: String

  /// The keys of the chunk with a number; others at each relay, which could otherwise see that it is the same chunk.
  public init(seed: SecretBytes, chunk: Int, server: XFTPServer) {
    self.seed = seed
    purpose = "SimplexFileChunk \(chunk) \(server) "
  }

  /// That of the sender.
  public var sender: AuthorizationPrivateKey { key(0) }

  /// That of a recipient, from 0 on.
  public func recipient(_ index: Int) -> AuthorizationPrivateKey { key(index + 1) }

  /// Those of recipients.
  public func recipients(_ range: Range<Int>) -> [AuthorizationPrivateKey] { range.map { recipient($0) } }

  private func key(_ index: Int) -> AuthorizationPrivateKey {
    var source = DerivedBytes(seed: seed, purpose: purpose + "\(index)")
    return .ed25519(Ed25519.PrivateKey(using: &source))
  }
}

/// Takes the place of randomness: what is derived from a secret for a purpose. For one key.
private struct DerivedBytes: RandomSource {
  let seed: SecretBytes
  let purpose: String

  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    let info = Array(purpose.utf8)
    let bytes = HKDF.derive(from: seed.bytes, info: info.span.bytes, count: buffer.count)
    bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
  }
}
