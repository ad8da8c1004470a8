import CSQLite

extension SQLiteConnection {
  /// Adds the SQL function `contains_folded(text, words)`: whether a text contains other text whatever the case of
  /// letters is, in any alphabet. SQLite's own functions know the case of ASCII letters only.
  ///
  /// The second argument has to be in lower case (`String.lowercased()`). Where an argument is no text the answer is 0.
  public func addTextSearch() throws(SQLiteError) {
    // SQLITE_DETERMINISTIC and SQLITE_DIRECTONLY; not imported in every version of the headers.
    let flags = SQLITE_UTF8 | 0x800 | 0x80000
    try check(
      sqlite3_create_function_v2(
        database, "contains_folded", 2, flags, nil,
        { context, count, values in
          guard count == 2, let values else { return sqlite3_result_int(context, 0) }
          let found = FoldedSearch.contains(FoldedSearch.text(values[0]), FoldedSearch.text(values[1]))
          sqlite3_result_int(context, found ? 1 : 0)
        }, nil, nil, nil))
  }
}

/// Search that ignores case, on the bytes of UTF-8.
enum FoldedSearch {
  static func text(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else { return nil }
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  static func contains(_ text: UnsafeBufferPointer<UInt8>?, _ words: UnsafeBufferPointer<UInt8>?) -> Bool {
    guard let text, let words else { return false }
    if text.allSatisfy({ $0 < 0x80 }) { return find(words, in: text, lowered) }
    var folded = String(decoding: text, as: UTF8.self).lowercased()
    return folded.withUTF8 { find(words, in: $0) { $0 } }
  }

  @inline(__always)
  private static func find(
    _ words: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, _ fold: (UInt8) -> UInt8
  ) -> Bool {
    guard let first = words.first else { return true }
    guard words.count <= text.count else { return false }
    for start in 0...(text.count - words.count) where fold(text[start]) == first {
      var length = 1
      while length < words.count, fold(text[start + length]) == words[length] { length += 1 }
      if length == words.count { return true }
    }
    return false
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
}
