// Character classes by Unicode general category. Names and markdown are defined in these terms, so that every
// implementation agrees on where a name ends.

extension Unicode.Scalar {
  /// White space: the ASCII control characters for it, and the category Zs.
  var isSpace: Bool {
    switch value {
    case 0x20, 0x09...0x0D, 0xA0: true
    case ..<0x377: false
    default: properties.generalCategory == .spaceSeparator
    }
  }

  /// One of the seven punctuation categories (`P*`).
  var isPunctuation: Bool {
    if isASCII { return Self.asciiPunctuation.contains(UInt8(value)) }
    switch properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation:
      return true
    default: return false
    }
  }

  /// One of the letter categories (`L*`).
  var isLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  /// One of the number categories (`N*`).
  var isNumber: Bool {
    switch properties.generalCategory {
    case .decimalNumber, .letterNumber, .otherNumber: true
    default: false
    }
  }

  /// One of the symbol categories (`S*`): emoji, currency, mathematical and modifier symbols.
  var isSymbol: Bool {
    switch properties.generalCategory {
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: true
    default: false
    }
  }

  /// One of the combining mark categories (`M*`).
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  private static let asciiPunctuation = ASCIISet("!\"#%&'()*,-./:;?@[\\]_{}")
}

/// A set of ASCII characters, tested without a search.
struct ASCIISet: Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// The set of the characters in the text.
  init(_ characters: StaticString) {
    characters.withUTF8Buffer { bytes in
      for byte in bytes { insert(byte) }
    }
  }

  /// The same set with letters and digits.
  var andAlphanumerics: ASCIISet {
    var set = self
    for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { set.insert(byte) }
    for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { set.insert(byte) }
    for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { set.insert(byte) }
    return set
  }

  private mutating func insert(_ byte: UInt8) {
    if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
  }

  func contains(_ byte: UInt8) -> Bool {
    if byte < 64 { return low >> UInt64(byte) & 1 != 0 }
    return byte < 128 && high >> UInt64(byte - 64) & 1 != 0
  }
}

extension UInt8 {
  var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  var isASCIILetter: Bool {
    let lower = self | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
  }
  var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
  var isHexDigit: Bool {
    isASCIIDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "f"))
  }
}

extension Array where Element == UInt8 {
  /// The scalar that starts at `index` and the index after it; the replacement character where the bytes are no UTF-8.
  func scalar(at index: Int) -> (scalar: Unicode.Scalar, next: Int) {
    let first = self[index]
    let (length, bits): (Int, UInt32) =
      switch first {
      case ..<0x80: (1, UInt32(first))
      case 0xC2..<0xE0: (2, UInt32(first & 0x1F))
      case 0xE0..<0xF0: (3, UInt32(first & 0x0F))
      case 0xF0..<0xF5: (4, UInt32(first & 0x07))
      default: (0, 0)
      }
    guard length > 0, index + length <= count else { return ("\u{FFFD}", index + 1) }
    var value = bits
    for byte in self[(index + 1)..<(index + length)] { value = value << 6 | UInt32(byte & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", index + length)
  }

  /// The scalar that ends before `index` and where it starts; not before `lowerBound`.
  func scalar(before index: Int, notBefore lowerBound: Int) -> (scalar: Unicode.Scalar, start: Int) {
    var start = index - 1
    while start > lowerBound, self[start] & 0xC0 == 0x80 { start -= 1 }
    return (scalar(at: start).scalar, start)
  }
}
