import SimplexCrypto
import WireCodec

extension SecretBytes {
  /// The concatenation of all parts.
  init(joining parts: [SecretBytes]) {
    self.init(count: parts.reduce(0) { $0 + $1.count }) { output in
      output.withUnsafeMutableBytes { output in
        var position = 0
        for part in parts {
          part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: output[position...]).copyMemory(from: $0) }
          position += part.count
        }
      }
    }
  }

  /// A copy of a range of the bytes, which has to lie inside.
  func slice(_ range: Range<Int>) -> SecretBytes { SecretBytes(copying: bytes.extracting(range)) }
}

extension Codec where Value == SecretBytes {
  /// Exactly `count` secret bytes.
  static func secret(_ count: Int) -> Codec {
    Codec(
      decode: { (reader) throws(WireError) -> SecretBytes in SecretBytes(copying: try reader.span(count)) },
      encode: { (secret, writer) throws(WireError) in
        guard secret.count == count else { throw writer.failure(.expected("\(count) secret bytes")) }
        writer.append(secret.bytes)
      })
  }

  /// Exactly `count` secret bytes after a length of the type `Length`.
  static func secret<Length: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & SendableMetatype>(
    _ count: Int, after: Length.Type
  ) -> Codec {
    let fixed = Codec.secret(count)
    return Codec(
      decode: { (reader) throws(WireError) -> SecretBytes in
        guard try reader.integer(Length.self) == count else {
          throw WireError(.expected("\(count) secret bytes"), offset: reader.offset - MemoryLayout<Length>.size)
        }
        return try fixed.decode(&reader)
      },
      encode: { (secret, writer) throws(WireError) in
        writer.append(integer: Length(truncatingIfNeeded: count))
        try fixed.encode(secret, &writer)
      })
  }
}
