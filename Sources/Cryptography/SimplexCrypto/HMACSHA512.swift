import COpenSSL

/// Message authentication codes by HMAC with SHA-512 (RFC 2104), with a key that is prepared once.
public struct HMACSHA512: Sendable {
  /// The size of a code in bytes.
  public static let codeSize = 64

  private let states: SecretStorage

  /// Prepares a key of any size.
  public init(key: RawSpan) {
    states = SecretStorage(count: KeyedSHA512.size)
    key.withUnsafeBytes { KeyedSHA512(states.memory).setKey($0) }
  }

  /// Computes the 64-byte code of a message given in parts.
  public func code(of first: RawSpan, _ second: RawSpan = RawSpan()) -> [UInt8] {
    defer { extendLifetime(states) }
    return [UInt8](filling: Self.codeSize) { code in
      first.withUnsafeBytes { first in
        second.withUnsafeBytes { second in
          withWipedScratch(count: KeyedSHA512.size) { scratch in
            let keyed = KeyedSHA512(scratch)
            scratch.copyMemory(from: UnsafeRawBufferPointer(states.memory))
            keyed.update(first)
            keyed.update(second)
            keyed.finish(into: code)
          }
        }
      }
    }
  }
}

/// A view of memory that holds the inner and outer SHA-512 states of an HMAC key. Copying the memory copies the keyed
/// state, so that the two compressions of a key are computed once.
struct KeyedSHA512 {
  static let size = 2 * MemoryLayout<SHA512_CTX>.stride
  private static let blockSize = 128

  private let inner: UnsafeMutablePointer<SHA512_CTX>
  private let outer: UnsafeMutablePointer<SHA512_CTX>

  /// A view of `memory`, of ``size`` bytes aligned to 16.
  init(_ memory: UnsafeMutableRawBufferPointer) {
    let states = memory.bindMemory(to: SHA512_CTX.self)
    inner = states.baseAddress.unsafelyUnwrapped
    outer = inner + 1
  }

  /// Starts with a key. Keys longer than a block are replaced by their hash.
  func setKey(_ key: UnsafeRawBufferPointer) {
    withWipedScratch(count: Self.blockSize) { block in
      _ = block.initializeMemory(as: UInt8.self, repeating: 0)
      if key.count <= Self.blockSize {
        block.copyMemory(from: key)
      } else {
        simplex_sha512_init(inner)
        simplex_sha512_update(inner, key.baseAddress, key.count)
        simplex_sha512_final(inner, block.octets)
      }
      start(inner, with: block, pad: 0x36)
      start(outer, with: block, pad: 0x36 ^ 0x5c)
    }
  }

  /// Absorbs the block xor `pad`; the xor stays in the block.
  private func start(_ state: UnsafeMutablePointer<SHA512_CTX>, with block: UnsafeMutableRawBufferPointer, pad: UInt8) {
    for index in block.indices { block[index] ^= pad }
    simplex_sha512_init(state)
    simplex_sha512_update(state, block.baseAddress, block.count)
  }

  /// Absorbs a part of the message.
  func update(_ part: UnsafeRawBufferPointer) {
    simplex_sha512_update(inner, part.baseAddress, part.count)
  }

  /// Writes the 64-byte code. Consumes the state.
  func finish(into code: UnsafeMutableRawBufferPointer) {
    simplex_sha512_final(inner, code.octets)
    simplex_sha512_update(outer, code.baseAddress, HMACSHA512.codeSize)
    simplex_sha512_final(outer, code.octets)
  }
}
