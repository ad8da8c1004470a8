import CEd25519
import CSodium
import Foundation
import SimplexCrypto
import SimplexTesting
import Testing

/// The ways to compute with Ed25519: programs use the vector unit where there is one, else the scalar path to check and
/// the library to sign. The portable path is the vector path with a simulated vector unit, so that its steps are tested
/// on every machine.
enum SignaturePath: CaseIterable {
  case library, portable, scalar, vector

  /// Those of this processor.
  static var available: [SignaturePath] {
    allCases.filter { $0 != .vector || simplex_ed25519_is_supported() == 1 }
  }

  /// Those of our own code. The versions of the library do not agree about all signatures: that of its development
  /// branch leaves parts of small order and longer encodings of R out of account.
  static var own: [SignaturePath] { available.filter { $0 != .library } }

  /// Whether a signature is valid; false for wrong sizes.
  func isValid(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
    guard signature.count == 64, key.count == 32 else { return false }
    guard self != .library else {
      return crypto_sign_ed25519_verify_detached(signature, message, UInt64(message.count), key) == 0
    }
    var digest = HashFunction.sha512.digest(of: (signature[..<32] + key + message).span.bytes)
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_core_ed25519_scalar_reduce(&hash, &digest)
    return isValid(point: Array(signature[..<32]), scalar: Array(signature[32...]), hash: hash, key: key)
  }

  /// Whether the point is the multiple of the base point by the scalar, minus the multiple of the key by the hash.
  func isValid(point: [UInt8], scalar: [UInt8], hash: [UInt8], key: [UInt8]) -> Bool {
    let table = Table(simplex_ed25519_table_size(Int32(SIMPLEX_ED25519_KEY_WIDTH)))
    guard let base, let check, fill(table.pointer, Int32(SIMPLEX_ED25519_KEY_WIDTH), key) == 1 else { return false }
    return check(point, scalar, hash, table.pointer, base) == 1
  }

  /// Fills a table; 0 where the point cannot be used.
  func fill(_ table: OpaquePointer?, _ width: Int32, _ point: [UInt8]) -> Int32 {
    switch self {
    case .library: 0
    case .portable: simplex_ed25519_portable_fill_table(table, width, point)
    case .scalar: simplex_ed25519_scalar_fill_table(table, width, point)
    case .vector: simplex_ed25519_fill_table(table, width, point)
    }
  }

  private typealias Check = (
    UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, OpaquePointer, OpaquePointer
  ) -> Int32

  private var check: Check? {
    switch self {
    case .library: nil
    case .portable: { simplex_ed25519_portable_is_valid($0, $1, $2, $3, $4) }
    case .scalar: { simplex_ed25519_scalar_is_valid($0, $1, $2, $3, $4) }
    case .vector: { simplex_ed25519_is_valid($0, $1, $2, $3, $4) }
    }
  }

  /// The table of the base point, filled once.
  private var base: OpaquePointer? {
    switch self {
    case .library: nil
    case .portable: Self.portableBase.pointer
    case .scalar: Self.scalarBase.pointer
    case .vector: Self.vectorBase.pointer
    }
  }

  private static let portableBase = baseTable(.portable)
  private static let scalarBase = baseTable(.scalar)
  private static let vectorBase = baseTable(.vector)

  private static func baseTable(_ path: SignaturePath) -> Table {
    let width = Int32(SIMPLEX_ED25519_BASE_WIDTH)
    let table = Table(simplex_ed25519_table_size(width))
    #expect(path.fill(table.pointer, width, [0x58] + [UInt8](repeating: 0x66, count: 31)) == 1)
    return table
  }

  /// Whether the path multiplies the base point by secrets, for signing.
  var multipliesBase: Bool { self != .scalar }

  /// The multiple of the base point; nil where the path does not compute it.
  func multiple(by scalar: [UInt8]) -> [UInt8]? {
    var point = [UInt8](repeating: 0, count: 32)
    guard self != .library, multipliesBase else {
      return self == .library && crypto_scalarmult_ed25519_base_noclamp(&point, scalar) == 0 ? point : nil
    }
    let table = Table(simplex_ed25519_multiples_size())
    if self == .vector {
      simplex_ed25519_fill_multiples(table.pointer)
      simplex_ed25519_multiply_base(&point, scalar, table.pointer)
    } else {
      simplex_ed25519_portable_fill_multiples(table.pointer)
      simplex_ed25519_portable_multiply_base(&point, scalar, table.pointer)
    }
    return point
  }

  /// Unchecked: it is written only before it is shared.
  private final class Table: @unchecked Sendable {
    let pointer: OpaquePointer
    private let memory: UnsafeMutableRawPointer

    init(_ size: Int) {
      memory = .allocate(byteCount: size, alignment: 32)
      pointer = OpaquePointer(memory)
    }

    deinit { memory.deallocate() }
  }
}

@Suite struct SignaturePathTests {
  private struct Vector {
    let name: String
    /// Whether versions of the library differ.
    let isDisputed: Bool
    let key, message, signature: [UInt8]
    let isValid: Bool

    init(_ line: Substring) throws {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(fields.count == 6)
      name = fields[0] + " " + fields[1]
      isDisputed = fields[0] == "edge"
      (key, message, signature) = (hex(fields[2]), hex(fields[3]), hex(fields[4]))
      isValid = fields[5] == "valid"
    }
  }

  private static func vectors() throws -> [Vector] {
    try String(contentsOf: Vectors.folder.appending(path: "ed25519.tsv"), encoding: .utf8)
      .split(separator: "\n").dropFirst().map(Vector.init)
  }

  /// Wycheproof's signatures, and the cases in which implementations are known to differ.
  @Test(arguments: SignaturePath.available) func knownSignatures(_ path: SignaturePath) throws {
    let vectors = try Self.vectors()
    #expect(vectors.count == 161 && vectors.count(where: \.isValid) > 80)
    for vector in vectors where path != .library || !vector.isDisputed {
      #expect(path.isValid(vector.signature, of: vector.message, by: vector.key) == vector.isValid, "\(vector.name)")
    }
  }

  /// The same through the functions that programs call, with a table of the key and without.
  @Test func knownSignaturesAsProgramsCheckThem() throws {
    for vector in try Self.vectors() {
      let key = try Ed25519.PublicKey(rawBytes: vector.key.span.bytes)
      let (signature, message) = (vector.signature.span.bytes, vector.message.span.bytes)
      #expect(key.isValid(signature, of: message) == vector.isValid, "\(vector.name)")
      #expect(SignatureTable(key).isValid(signature, of: message) == vector.isValid, "\(vector.name)")
    }
  }

  /// Multiples for signing: random scalars, and those with digits at the edges.
  @Test(arguments: propertySeeds(2)) func multiplesAgree(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var scalars = (0..<40).map { _ in random.bytes(31) + [random.bytes(1)[0] & 0x0f] }
    for byte: UInt8 in [0x01, 0x07, 0x08, 0x77, 0x78, 0x80, 0x87, 0x88, 0x8f, 0xf7, 0xf8, 0xff] {
      scalars.append([UInt8](repeating: byte, count: 31) + [0x0f])
      scalars.append([byte] + [UInt8](repeating: 0, count: 31))
      scalars.append([UInt8](repeating: 0, count: 31) + [0x10])
    }
    for scalar in scalars {
      let expected = try #require(SignaturePath.library.multiple(by: scalar))
      for path in SignaturePath.available where path.multipliesBase {
        #expect(path.multiple(by: scalar) == expected, "\(path) \(scalar)")
      }
    }
    // Zero, which is never a nonce, gives the neutral point.
    for path in SignaturePath.available where path != .library && path.multipliesBase {
      #expect(path.multiple(by: [UInt8](repeating: 0, count: 32)) == [1] + [UInt8](repeating: 0, count: 31))
    }
  }
}
