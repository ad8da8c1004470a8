extension SimplexLink {
  /// Whether a text contains a link when its white space is ignored. A link with spaces in it is not shown as a link,
  /// but its readers can put it together.
  public static func occursIgnoringSpaces(in text: String) -> Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    // Each part from one beginning to the next is parsed once, so the time is linear in the length of the text.
    var start: Int?
    for index in bytes.indices where beginnings.contains(where: { bytes[index...].starts(with: $0) }) {
      if let start, isLink(bytes[start..<index]) { return true }
      start = index
    }
    return start.map { isLink(bytes[$0...]) } ?? false
  }

  private static let beginnings = [Array("simplex:/".utf8), Array("https://".utf8)]

  /// Whether the bytes before the first character that no link contains are a link.
  private static func isLink(_ bytes: ArraySlice<UInt8>) -> Bool {
    let excluded = Set("\"<>\\^`{|}".utf8)
    let link = bytes.prefix { (0x21...0x7e).contains($0) && !excluded.contains($0) }
    return SimplexLink(String(decoding: link, as: UTF8.self)) != nil
  }
}
