import CEd25519
import CSodium

/// Multiplication of the base point of Ed25519 by secrets: half of libsodium's time on processors with AVX-512.
enum BasePoint {
  /// 40 KB of multiples, computed on first use.
  ///
  /// Unchecked: it is written only while it is created, and never released.
  private struct Multiples: @unchecked Sendable {
    let table: OpaquePointer
  }

  /// Nil where the processor cannot use them.
  private static let multiples: Multiples? = {
    guard simplex_ed25519_is_supported() == 1 else { return nil }
    let table = OpaquePointer(
      UnsafeMutableRawPointer.allocate(byteCount: simplex_ed25519_multiples_size(), alignment: 32))
    simplex_ed25519_fill_multiples(table)
    return Multiples(table: table)
  }()

  /// Computes the encoding of the multiple, 32 bytes, by a scalar of 32 bytes that is less than the order of the group.
  /// The time does not depend on the scalar.
  static func multiply(by scalar: UnsafeRawBufferPointer, into point: UnsafeMutableRawBufferPointer) {
    if let multiples {
      simplex_ed25519_multiply_base(point.octets, scalar.octets, multiples.table)
    } else {
      // Fails for 0 only, which is never a nonce.
      precondition(crypto_scalarmult_ed25519_base_noclamp(point.octets, scalar.octets) == 0)
    }
  }
}
