// The standard library has these in its regular expression module, which would add a twentieth to the C library's size.

extension StringProtocol {
  /// The first occurrence of the UTF-8 of another text, which is not empty.
  public func firstRange(ofText other: String) -> Range<Index>? {
    var start = utf8.startIndex
    while start < utf8.endIndex {
      if let end = end(ofText: other, at: start) { return start..<end }
      utf8.formIndex(after: &start)
    }
    return nil
  }

  /// Whether the UTF-8 of another text, which is not empty, occurs in this one.
  public func containsText(_ other: String) -> Bool { firstRange(ofText: other) != nil }

  private func end(ofText other: String, at start: Index) -> Index? {
    var index = start
    for byte in other.utf8 {
      guard index < utf8.endIndex, utf8[index] == byte else { return nil }
      utf8.formIndex(after: &index)
    }
    return index
  }
}
