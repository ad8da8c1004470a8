extension SimplexLink {
  /// Whether a text has a link once its white space is removed: a link with spaces in it is not shown as one, and can
  /// be put together by who reads it.
  public static func isSpaced(in text: String) -> Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    // No link has the beginning of another one in it, so that the time is linear in the length of the text.
    var start: Int?
    for index in bytes.indices where beginnings.contains(where: { bytes[index...].starts(with: $0) }) {
      if let start, isLink(bytes[start..<index]) { return true }
      start = index
    }
    return start.map { isLink(bytes[$0...]) } ?? false
  }

  private static let beginnings = [Array("simplex:/".utf8), Array("https://".utf8)]

  /// Whether the bytes begin with a link, which ends where something is that is in no link.
  private static func isLink(_ bytes: ArraySlice<UInt8>) -> Bool {
    let excluded = Set("\"<>\\^`{|}".utf8)
    let link = bytes.prefix { (0x21...0x7e).contains($0) && !excluded.contains($0) }
    return SimplexLink(String(decoding: link, as: UTF8.self)) != nil
  }
}
