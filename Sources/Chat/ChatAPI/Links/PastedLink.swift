/// A link, or the address of a server, as people paste it: programs that show texts break lines, add characters that
/// are not seen, and put brackets or punctuation around it.
public enum PastedLink {
  /// The text without what is not part of a link: white space and characters that are not seen, anywhere, and brackets,
  /// quotation marks and punctuation around it. A text that has no scheme of links or servers is returned as it is.
  public static func cleaned(_ text: String) -> String {
    let seen = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isUnseen }))
    let scalars = Substring(seen).unicodeScalars.drop { openings.contains($0) }
    guard schemes.contains(where: { Substring(scalars).hasPrefix($0) }) else { return text }
    var link = scalars
    while let last = link.last, isClosing(last, in: link) { link = link.dropLast() }
    return String(Substring(link))
  }

  /// Why a cleaned text cannot be a link: the first character that no link has, with its number and name. Nil where all
  /// its characters may be in a link.
  public static func foreignCharacter(in text: String) -> String? {
    let found = cleaned(text).unicodeScalars.first { !(0x21...0x7e).contains($0.value) || excluded.contains($0) }
    guard let found else { return nil }
    let digits = String(found.value, radix: 16, uppercase: true)
    let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let name = found.properties.name.map { " \($0)" } ?? ""
    return "\u{201C}\(found)\u{201D} (\(number)\(name))"
  }

  /// The address of a server as it was pasted; nil where it is none.
  public static func server(_ text: String) -> String? {
    [text, cleaned(text)].first { (try? ServerAddress(parsing: $0)) != nil }
  }

  /// The addresses of servers in a text of several: each begins with its scheme, whatever separates them.
  public static func addresses(in text: String) -> [String] {
    let seen = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isUnseen }))
    let starts = seen.indices.filter { index in schemes.contains { seen[index...].hasPrefix($0) } }
    return zip(starts, starts.dropFirst() + [seen.endIndex]).map { cleaned(String(seen[$0..<$1])) }
  }

  /// Whether a text begins as a link or the address of a server does, after brackets and what is not seen.
  public static func isLink(_ text: String) -> Bool {
    let scalars = text.unicodeScalars.lazy.filter { !$0.isUnseen && !openings.contains($0) }.prefix(10)
    let start = String(String.UnicodeScalarView(scalars))
    return schemes.contains { start.hasPrefix($0) }
  }

  private static let schemes = ["simplex:/", "https://", "http://", "smp://", "xftp://", "ntf://"]
  private static let openings = Set("<([{\"'`*«»“”„‘’‚‹›".unicodeScalars)
  private static let closings = Set(">)}\"'`*«»“”„‘’‚‹›.,;:!?…".unicodeScalars)
  private static let excluded = Set("\"<>\\^`{|}".unicodeScalars)

  /// A bracket may end an IPv6 address, where it was opened.
  private static func isClosing(_ scalar: Unicode.Scalar, in link: Substring.UnicodeScalarView) -> Bool {
    closings.contains(scalar) || scalar == "]" && link.count { $0 == "[" } < link.count { $0 == "]" }
  }
}

extension Unicode.Scalar {
  /// Whether nothing is seen of the character: white space, controls, characters of format such as zero-width ones and
  /// soft hyphens, and others that are shown as nothing.
  fileprivate var isUnseen: Bool {
    if properties.isWhitespace || properties.isDefaultIgnorableCodePoint { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    default: self == "\u{2800}"
    }
  }
}
