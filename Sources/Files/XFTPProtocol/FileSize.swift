import WireCodec

/// The text form of sizes in file descriptions: the largest of the units `gb`, `mb`, `kb` that expresses the size as a
/// whole number, or bytes without a unit; `0gb` for 0.
public enum FileSize {
  /// The largest file that clients send by default, in bytes.
  public static let softLimit: Int64 = 1 << 30
  /// The largest file that can be sent at all, in bytes.
  public static let hardLimit: Int64 = 5 << 30

  /// Sizes of files.
  public static let codec: Codec<Int64> = text(of: Int64.self)
  /// Sizes of chunks.
  public static let chunkCodec: Codec<UInt32> = text(of: UInt32.self)

  private static func text<Size: FixedWidthInteger & Sendable & SendableMetatype>(of type: Size.Type) -> Codec<Size> {
    Codec(
      decode: { (reader) throws(WireError) -> Size in
        let start = reader.offset
        let number = try Codec<UInt64>.decimal.decode(&reader)
        let unit: UInt64 = reader.take("gb") ? 1 << 30 : reader.take("mb") ? 1 << 20 : reader.take("kb") ? 1 << 10 : 1
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow, let size = Size(exactly: bytes) else {
          throw WireError(.expected("a size up to \(Size.max)"), offset: start)
        }
        return size
      },
      encode: { (size, writer) throws(WireError) in
        guard size >= 0 else { throw writer.failure(.expected("a size")) }
        let units: [(StaticString, Int)] = [("gb", 30), ("mb", 20), ("kb", 10)]
        for (unit, bits) in units {
          let (number, rest) = UInt64(size).quotientAndRemainder(dividingBy: 1 << bits)
          if rest == 0 {
            writer.append(String(number))
            writer.append(literal: unit)
            return
          }
        }
        writer.append(String(size))
      })
  }
}
