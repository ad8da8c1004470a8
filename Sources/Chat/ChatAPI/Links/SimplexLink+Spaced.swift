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

  /// What is in links, and often behind one in a text.
  private static let punctuation = Set(".,;:!?'()*[]$".utf8)
  /// How often the end of a link is looked for at each side of what follows it.
  private static let endings = 16

  /// Whether the bytes begin with a link.
  private static func isLink(_ bytes: ArraySlice<UInt8>) -> Bool {
    let excluded = Set("\"<>\\^`{|}".utf8)
    let link = bytes.prefix { (0x21...0x7e).contains($0) && !excluded.contains($0) }
    guard let hash = link.firstIndex(of: UInt8(ascii: "#")) else { return false }
    let ends = link.indices[hash...].filter { punctuation.contains(link[$0]) && !punctuation.contains(link[$0 - 1]) }
    return ([link.endIndex] + ends.prefix(endings) + ends.suffix(endings)).contains { end in
      SimplexLink(String(decoding: link[..<end], as: UTF8.self)) != nil
    }
  }
}
