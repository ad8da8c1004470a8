// Links, addresses and telephone numbers in a line of markdown.

extension MarkdownLine {
  /// `[text](link)`. A text that looks like another address than the link's is not shown as a link.
  mutating func parseHyperLink(_ pieces: inout MarkdownPieces) -> Bool {
    let textEnd = index(of: UInt8(ascii: "]"), from: position + 1)
    guard textEnd > position + 1, textEnd + 1 < end, source[textEnd + 1] == UInt8(ascii: "(") else { return false }
    let linkStart = textEnd + 2
    let linkEnd = index(of: UInt8(ascii: ")"), from: linkStart)
    guard linkEnd > linkStart, linkEnd < end else { return false }
    let shown = string(position + 1, textEnd)
    let link = string(linkStart, linkEnd)
    guard !Self.looksLikeAddress(shown) || shown == link || "https://" + shown == link,
      let format = Self.format(ofLink: link, shown: shown)
    else { return false }
    pieces.append(from: position, to: linkEnd + 1, as: format)
    position = linkEnd + 1
    return true
  }

  private static func looksLikeAddress(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.isPunctuation && $0 != "-" && $0 != "_" }
  }

  private static func format(ofLink link: String, shown: String) -> Format? {
    if let simplex = SimplexLink(link) {
      return simplex.isShort ? simplex.format(showText: shown) : nil
    }
    return WebAddress(link) == nil ? nil : .hyperLink(showText: shown, linkUri: link)
  }

  /// Digits in groups of one separator each, 7 to 22 characters in all, with an optional country and area code.
  mutating func parsePhone(_ pieces: inout MarkdownPieces) -> Bool {
    var index = position
    if source[index] == UInt8(ascii: "+") {
      let digits = endOfDigits(from: index + 1)
      guard digits > index + 1 else { return false }
      index = digits
    }
    index = endOfAreaCode(from: index)
    while true {
      let start = index < end && Self.isPhoneSeparator(source[index]) ? index + 1 : index
      let digits = endOfDigits(from: start)
      if digits == start { break }
      index = digits
    }
    guard 7...22 ~= index - position else { return false }
    pieces.append(from: position, to: index, as: .phone)
    position = index
    return true
  }

  private func endOfAreaCode(from start: Int) -> Int {
    let open = start < end && Self.isPhoneSeparator(source[start]) ? start + 1 : start
    guard open < end, source[open] == UInt8(ascii: "(") else { return start }
    let digits = endOfDigits(from: open + 1)
    guard digits > open + 1, digits < end, source[digits] == UInt8(ascii: ")") else { return start }
    return digits + 1
  }

  private func endOfDigits(from start: Int) -> Int {
    var index = start
    while index < end, source[index].isASCIIDigit { index += 1 }
    return index
  }

  private static func isPhoneSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  /// A run up to the next space: an address with punctuation after it, or plain text.
  mutating func parseWord(_ pieces: inout MarkdownPieces) {
    let start = position
    var mayBeAddress = false
    while position < end, source[position] != UInt8(ascii: " ") {
      switch source[position] {
      case UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: ":"): mayBeAddress = true
      default: break
      }
      position += 1
    }
    guard mayBeAddress else { return pieces.appendPlain(start, position) }
    let addressEnd = withoutPunctuation(from: start, to: position) { $0.isPunctuation && $0 != "/" && $0 != ")" }
    guard addressEnd > start, let format = format(ofWord: start, position, addressEnd) else {
      return pieces.appendPlain(start, position)
    }
    pieces.append(from: start, to: addressEnd, as: format)
    pieces.appendPlain(addressEnd, position)
  }

  /// The format of the address that the word is. A SimpleX link has to be the whole word, because punctuation may
  /// belong to its key.
  private func format(ofWord start: Int, _ wordEnd: Int, _ addressEnd: Int) -> Format? {
    let address = source[start..<addressEnd]
    if Self.hasLinkScheme(address) {
      if let simplex = SimplexLink(string(start, wordEnd)) { return simplex.format(showText: nil) }
      return WebAddress(string(start, addressEnd)) == nil ? nil : .uri
    }
    if Self.isDomain(address) { return .uri }
    return EmailAddress.isValid(address) ? .email : nil
  }

  private static func hasLinkScheme(_ word: ArraySlice<UInt8>) -> Bool {
    schemes.contains { word.starts(with: $0) } && word.count { $0 & 0xC0 != 0x80 } >= 10
  }

  private static let schemes = ["http://", "https://", "simplex:/"].map { Array($0.utf8) }

  /// What is likely to be a domain name: letters, a dot and 2–8 letters, and perhaps 3–8 characters and a dot before.
  private static func isDomain(_ word: ArraySlice<UInt8>) -> Bool {
    let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return false }
    let name = parts[parts.count - 2]
    let topLevel = parts[parts.count - 1]
    guard 1...24 ~= name.count, 2...8 ~= topLevel.count, name.allSatisfy(\.isASCIILetter),
      topLevel.allSatisfy(\.isASCIILetter)
    else { return false }
    return parts.count == 2 || 3...8 ~= parts[0].count { $0 & 0xC0 != 0x80 }
  }
}
