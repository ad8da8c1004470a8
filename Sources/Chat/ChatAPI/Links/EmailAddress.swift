/// Recognizes e-mail addresses (RFC 5322 `addr-spec` without comments and folding white space).
enum EmailAddress {
  /// Whether all the bytes are one address: at most 64 bytes, `@`, a domain or an address in brackets.
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    guard let localEnd = endOfLocalPart(text), localEnd < text.endIndex, text[localEnd] == UInt8(ascii: "@"),
      localEnd - text.startIndex <= 64, text.count <= 254
    else { return false }
    let domain = text[(localEnd + 1)...]
    return isDomain(domain) || isLiteral(domain)
  }

  /// Atoms or quoted strings with dots between them.
  private static func endOfLocalPart(_ text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex
    while true {
      guard let next = endOfAtom(text, index) ?? endOfQuoted(text, index) else { return nil }
      index = next
      guard index < text.endIndex, text[index] == UInt8(ascii: ".") else { return index }
      index += 1
    }
  }

  private static let atomCharacters = ASCIISet("!#$%&'*+/=?^_`{|}~-").andAlphanumerics

  private static func endOfAtom(_ text: ArraySlice<UInt8>, _ start: Int) -> Int? {
    let end = text[start...].firstIndex { !atomCharacters.contains($0) } ?? text.endIndex
    return end > start ? end : nil
  }

  private static func endOfQuoted(_ text: ArraySlice<UInt8>, _ start: Int) -> Int? {
    guard start < text.endIndex, text[start] == UInt8(ascii: "\"") else { return nil }
    var index = start + 1
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      case ...UInt8(ascii: " "), 127...: return nil
      default: index += 1
      }
    }
    return nil
  }

  /// Labels of letters, digits and inner hyphens; one dot may follow the last.
  private static func isDomain(_ text: ArraySlice<UInt8>) -> Bool {
    let name = text.last == UInt8(ascii: ".") ? text.dropLast() : text
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return name.count <= 253
      && labels.allSatisfy { label in
        label.count <= 63 && label.first?.isASCIIAlphanumeric == true && label.last?.isASCIIAlphanumeric == true
          && label.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
      }
  }

  private static func isLiteral(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count >= 2, text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else { return false }
    return text.dropFirst().dropLast().allSatisfy { 33...126 ~= $0 && !(91...93 ~= $0) }
  }
}
