import CSodium

/// The source of keys, nonces and identifiers. Injected everywhere, so that simulations and tests can be replayed.
public protocol RandomSource {
  /// Overwrites the whole buffer with random bytes.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer)
}

extension RandomSource {
  /// `count` random bytes that are not secret: identifiers, nonces, salts.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](filling: count) { fill($0) }
  }

  /// A secret of `count` random bytes.
  public mutating func secret(_ count: Int) -> SecretBytes {
    SecretBytes(count: count) { $0.withUnsafeMutableBytes { fill($0) } }
  }

  /// A uniformly distributed number, for jitter and shuffling.
  public mutating func next() -> UInt64 {
    var value: UInt64 = 0
    withUnsafeMutableBytes(of: &value) { fill($0) }
    return value
  }
}

/// The operating system's cryptographically secure generator, through libsodium.
public struct SystemRandom: RandomSource, Sendable {
  /// The generator, which has no state of its own.
  public init() {}

  /// Overwrites the whole buffer with random bytes.
  public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    prepareSodium()
    if let base = buffer.baseAddress { randombytes_buf(base, buffer.count) }
  }
}

/// A generator that repeats its sequence for the same seed: **for tests and simulations only, never for real keys.**
///
/// The sequence is the ChaCha20 key stream whose key is the seed; it does not depend on the sizes of the requests.
public struct InsecureSeededRandom: RandomSource, Sendable {
  private static let blockSize = 64
  private let key: [UInt8]
  private var position: UInt64 = 0

  /// Starts the sequence of `seed`.
  public init(seed: UInt64) {
    key = [UInt8](filling: 32) { key in
      _ = key.initializeMemory(as: UInt8.self, repeating: 0)
      key.storeBytes(of: seed.littleEndian, as: UInt64.self)
    }
  }

  /// Overwrites the whole buffer with the next bytes of the sequence.
  public mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    prepareSodium()
    var rest = buffer
    let used = Int(position % UInt64(Self.blockSize))
    if used > 0 {
      let count = min(rest.count, Self.blockSize - used)
      withUnsafeTemporaryAllocation(byteCount: Self.blockSize, alignment: 16) { block in
        keyStream(block)
        rest.copyMemory(from: UnsafeRawBufferPointer(block.slice(used..<used + count)))
      }
      position += UInt64(count)
      rest = rest.slice(count..<rest.count)
    }
    keyStream(rest)
    position += UInt64(rest.count)
  }

  /// Writes the key stream from the start of the block that `position` is in.
  private func keyStream(_ output: UnsafeMutableRawBufferPointer) {
    wipe(output)
    let nonce: UInt64 = 0
    withUnsafeBytes(of: nonce) { nonce in
      _ = crypto_stream_chacha20_xor_ic(
        output.octets, output.octets, UInt64(output.count), nonce.octets, position / UInt64(Self.blockSize), key)
    }
  }
}
