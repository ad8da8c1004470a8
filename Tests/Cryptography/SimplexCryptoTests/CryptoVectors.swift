import SimplexCrypto
import SimplexTesting
import Testing

/// The golden data of this layer.
let cryptoVectors = Result { try Vectors.load("crypto.json") }

/// The cases of one section of the golden data, as test arguments. An unreadable file has no cases, which swift-testing
/// reports.
func cases(_ section: String) -> [Golden] {
  (try? cryptoVectors.get().elements(section)) ?? []
}

extension Golden {
  /// The secret of the hexadecimal string in a member.
  func secret(_ name: String) throws -> SecretBytes { SecretBytes(try hex(name)) }

  /// The message of a case: hexadecimal, or the pattern with the length that another member tells.
  func message(_ name: String = "message", count: String = "messageLen") throws -> [UInt8] {
    guard try string(name) == "pattern" else { return try hex(name) }
    return (0..<(try int(count))).map { UInt8((7 * $0 + 3) % 256) }
  }

  /// Checks bytes against the member, which holds them or their hash.
  func expect(_ bytes: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try string(name)
    let actual =
      expected.hasPrefix("sha256:") ? "sha256:" + HashFunction.sha256.digest(of: bytes).hex : bytes.hex
    #expect(actual == expected, sourceLocation: sourceLocation)
  }
}

/// Bytes of hexadecimal digits in which white space is ignored.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = [UInt8](hex: text.filter { !$0.isWhitespace }) else {
    Issue.record("not hexadecimal: \(text)")
    return []
  }
  return bytes
}

extension [UInt8] {
  /// A copy with one bit changed.
  func flippingBit(_ bit: Int) -> [UInt8] {
    var copy = self
    copy[bit / 8] ^= 1 << UInt8(bit % 8)
    return copy
  }
}
