/// The components of a URI (RFC 3986 section 3), each as in the text (percent-encoding kept).
///
/// Writing the components restores the text that was read, so that a link survives unchanged.
public struct URIReference: Hashable, Sendable {
  /// `simplex` of `simplex:/contact#/?v=2`; nil for a relative reference.
  public var scheme: String?
  /// The part after `//`: user information, host and port.
  public var authority: String?
  /// The path; may be empty.
  public var path: String
  /// The part after the first `?` before any `#`.
  public var query: String?
  /// The part after the first `#`.
  public var fragment: String?

  public init(
    scheme: String? = nil, authority: String? = nil, path: String = "", query: String? = nil, fragment: String? = nil
  ) {
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.query = query
    self.fragment = fragment
  }

  /// The text up to a space, a line break or the end; any such text has components.
  public static let codec = Codec<URIReference>(
    decode: { (reader) throws(WireError) -> URIReference in
      let start = reader.offset
      guard let text = String(validating: reader.span { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }) else {
        throw WireError(.expected("UTF-8 text"), offset: start)
      }
      return URIReference(splitting: text)
    },
    encode: { (uri, writer) throws(WireError) in writer.append(uri.description) })

  /// The components of `text`.
  public init(splitting text: String) {
    var rest = Substring(text)
    fragment = Self.cut(&rest, at: "#")
    query = Self.cut(&rest, at: "?")
    if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
      scheme = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      let afterSlashes = rest.dropFirst(2)
      let slash = afterSlashes.firstIndex(of: "/") ?? afterSlashes.endIndex
      authority = String(afterSlashes[..<slash])
      rest = afterSlashes[slash...]
    }
    path = String(rest)
  }

  /// Removes the part after the first `separator`, and the separator, from the text and returns the part.
  private static func cut(_ text: inout Substring, at separator: Character) -> String? {
    guard let index = text.firstIndex(of: separator) else { return nil }
    defer { text = text[..<index] }
    return String(text[text.index(after: index)...])
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.first, first.isASCII, first.isLetter else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
  }
}

extension URIReference: CustomStringConvertible {
  /// The URI as text.
  public var description: String {
    var text = scheme.map { $0 + ":" } ?? ""
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }
}
