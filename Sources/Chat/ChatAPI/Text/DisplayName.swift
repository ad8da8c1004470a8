/// Display names of people and groups: which are allowed, and how they are written in commands and text.
public enum DisplayName {
  /// The maximum number of characters (Unicode scalars) of a name.
  public static let maximumLength = 50

  /// The name nearest to `text` that is allowed: unsuitable characters are left out.
  ///
  /// A name begins with a letter, a number or a symbol. At most three punctuation characters follow each other; white
  /// space becomes a single space; there is no apostrophe, because it quotes names.
  public static func valid(_ text: String) -> String {
    var name = String.UnicodeScalarView()
    var length = 0
    var previous: Unicode.Scalar?
    var punctuationCount = 0
    for scalar in text.unicodeScalars where isAllowed(scalar, after: previous, punctuationCount) {
      if scalar.isPunctuation {
        punctuationCount += 1
      } else if !scalar.isSpace {
        punctuationCount = 0
      }
      let added = scalar.isSpace ? " " : scalar
      previous = added
      if length < maximumLength { name.append(added) }
      length += 1
    }
    while let last = name.last, last.isSpace { name.removeLast() }
    return String(name)
  }

  /// Whether the text is a valid name without changes.
  public static func isValid(_ text: String) -> Bool {
    !text.isEmpty && valid(text) == text
  }

  /// The name as it is shown in text: in apostrophes where it has a space or ends in punctuation.
  public static func quoted(_ name: String) -> String {
    let needsQuotes =
      name.unicodeScalars.contains { $0.isSpace } || name.unicodeScalars.last?.isPunctuation == true
    return needsQuotes ? "'\(name)'" : name
  }

  private static func isAllowed(
    _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, _ punctuationCount: Int
  ) -> Bool {
    if scalar == "'" { return false }
    let canStart = scalar.isLetter || scalar.isNumber || scalar.isSymbol
    guard let previous else { return canStart && scalar > " " }
    if previous.isSpace { return canStart || (punctuationCount == 0 && scalar.isPunctuation) }
    if previous.isPunctuation {
      return canStart || scalar.isSpace || (punctuationCount < 3 && scalar.isPunctuation)
    }
    return canStart || scalar.isSpace || scalar.isMark || scalar.isPunctuation
  }
}
