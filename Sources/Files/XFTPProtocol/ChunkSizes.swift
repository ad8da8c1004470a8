/// The sizes of chunks: relays accept no others. Source: xftp.md, "Sending file".
public enum ChunkSizes {
  /// 64 KB.
  public static let smallest: UInt32 = 64 << 10
  /// 256 KB.
  public static let small: UInt32 = 256 << 10
  /// 1 MB.
  public static let medium: UInt32 = 1 << 20
  /// 4 MB.
  public static let large: UInt32 = 4 << 20

  /// All of them, in ascending order.
  public static let all = [smallest, small, medium, large]

  /// The size of the smallest chunk that holds `size` bytes; nil where none is large enough.
  public static func single(for size: Int64) -> UInt32? { all.first { Int64($0) >= size } }

  /// The sizes of the chunks for an encrypted form of at least `size` bytes, the larger ones first. The form is padded
  /// to their sum. Empty for sizes below 1.
  ///
  /// Two sizes are used, according to the size of the file. A remainder of more than three quarters of the larger
  /// one is padded to it.
  public static func prepare(for size: Int64) -> [UInt32] {
    guard size > 0 else { return [] }
    let (smaller, larger): (UInt32, UInt32) =
      if size > threeQuarters(of: large) {
        (medium, large)
      } else if size > threeQuarters(of: medium) {
        (small, medium)
      } else {
        (smallest, small)
      }
    let (count, rest) = size.quotientAndRemainder(dividingBy: Int64(larger))
    let sizes = [UInt32](repeating: larger, count: Int(count))
    if rest == 0 { return sizes }
    if rest > threeQuarters(of: larger) { return sizes + [larger] }
    let restCount = (rest + Int64(smaller) - 1) / Int64(smaller)
    return sizes + [UInt32](repeating: smaller, count: Int(restCount))
  }

  private static func threeQuarters(of size: UInt32) -> Int64 { Int64(size) * 3 / 4 }
}
