import CEd25519
import CSodium

/// A public key of Ed25519, prepared for checking many signatures: a check takes a third of the time that it takes with
/// the key alone, at a cost of 5 KB of memory.
///
/// It accepts exactly the signatures that the key accepts. Keys, messages and signatures are public: the time of a
/// check depends on them.
public final class SignatureTable: Sendable {
  /// The key.
  public let key: Ed25519.PublicKey
  private let memory: TableMemory

  /// Prepares a key, which takes as long as two checks with the table, most of the time of a check without it.
  public init(_ key: Ed25519.PublicKey) {
    self.key = key
    memory = key.rawBytes.withUnsafeBytes { TableMemory(.key, of: $0) }
  }

  /// Whether `signature` is the key's signature of `message`; false for a wrong size.
  public func isValid(_ signature: RawSpan, of message: RawSpan) -> Bool {
    isValid(signature, of: message, message.extracting(first: 0))
  }

  /// Whether `signature` is the key's signature of a message in two parts; false for a wrong size.
  public func isValid(_ signature: RawSpan, of head: RawSpan, _ tail: RawSpan) -> Bool {
    guard signature.byteCount == Ed25519.signatureSize else { return false }
    return memory.isFilled
      && key.rawBytes.withUnsafeBytes { key in
        signature.withUnsafeBytes { signature in
          head.withUnsafeBytes { head in
            tail.withUnsafeBytes { memory.table.isValid(signature, of: head, $0, by: key) }
          }
        }
      }
  }
}

extension Ed25519 {
  /// Checks a signature with a table that is used once.
  static func isValidByTable(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Table.Kind.key.size, alignment: Table.alignment) { memory in
      guard let address = memory.baseAddress else { return false }
      let table = Table(kind: .key, pointer: OpaquePointer(address))
      return table.fill(with: publicKey)
        && table.isValid(signature, of: message, message.slice(0..<0), by: publicKey)
    }
  }
}

/// The code that computes with tables.
private enum TablePath {
  case vector, scalar

  /// The fastest one of this processor. Both accept the same signatures.
  static let current: TablePath = simplex_ed25519_is_supported() == 1 ? .vector : .scalar
}

/// The multiples of a point, in memory that it does not own.
private struct Table {
  enum Kind {
    case key, base

    var width: Int32 {
      switch self {
      case .key: Int32(SIMPLEX_ED25519_KEY_WIDTH)
      case .base: Int32(SIMPLEX_ED25519_BASE_WIDTH)
      }
    }

    var size: Int { simplex_ed25519_table_size(width) }
  }

  static let alignment = 32

  let kind: Kind
  let pointer: OpaquePointer

  /// False where the bytes are not a point with which signatures can be checked.
  func fill(with point: UnsafeRawBufferPointer) -> Bool {
    switch TablePath.current {
    case .vector: simplex_ed25519_fill_table(pointer, kind.width, point.octets) == 1
    case .scalar: simplex_ed25519_scalar_fill_table(pointer, kind.width, point.octets) == 1
    }
  }

  func isValid(
    _ signature: UnsafeRawBufferPointer, of head: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer,
    by key: UnsafeRawBufferPointer
  ) -> Bool {
    let base = TableMemory.base.table
    let point = signature.slice(0..<32)
    return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 16) { scratch in
      let (digest, reduced) = (scratch.slice(0..<64), scratch.slice(64..<96))
      var hash = IncrementalHash(.sha512)
      hash.update(RawSpan(_unsafeBytes: point))
      hash.update(RawSpan(_unsafeBytes: key))
      hash.update(RawSpan(_unsafeBytes: head))
      hash.update(RawSpan(_unsafeBytes: tail))
      hash.finish(into: digest)
      crypto_core_ed25519_scalar_reduce(reduced.octets, digest.octets)
      let scalar = signature.slice(32..<64)
      return switch TablePath.current {
      case .vector:
        simplex_ed25519_is_valid(point.octets, scalar.octets, reduced.octets, pointer, base.pointer) == 1
      case .scalar:
        simplex_ed25519_scalar_is_valid(point.octets, scalar.octets, reduced.octets, pointer, base.pointer) == 1
      }
    }
  }
}

/// Memory with a table in it.
///
/// Unchecked: it is written only while it is created.
private final class TableMemory: @unchecked Sendable {
  /// The multiples of the base point.
  static let base: TableMemory = {
    // y = 4/5, with an even x (RFC 8032, 5.1).
    let point = [0x58] + [UInt8](repeating: 0x66, count: 31)
    return point.withUnsafeBytes { TableMemory(.base, of: $0) }
  }()

  let table: Table
  /// Whether the point can be used.
  let isFilled: Bool
  private let memory: UnsafeMutableRawPointer

  init(_ kind: Table.Kind, of point: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: kind.size, alignment: Table.alignment)
    table = Table(kind: kind, pointer: OpaquePointer(memory))
    isFilled = table.fill(with: point)
  }

  deinit { memory.deallocate() }
}
