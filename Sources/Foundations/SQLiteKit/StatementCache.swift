/// The prepared statements of a connection by their SQL.
///
/// SQL is long and used over and over: hashing it would take longer than many a statement. Nearly all of it is
/// constant, so it is found by where it lies in memory; by its characters only where the same words lie elsewhere too.
struct StatementCache {
  /// Where the characters of a string lie; only of strings that do not hold them inside.
  private struct Place: Hashable {
    let start: UnsafeRawPointer
    let count: Int

    init?(_ text: String) {
      // Shorter ones have no place of their own.
      guard text.utf8.count > 15 else { return nil }
      let place = text.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0) }
      guard let place, let start = place.baseAddress else { return nil }
      self.start = start
      count = place.count
    }
  }

  // The texts are kept, so that nothing else can come to lie at their places.
  private var byText: [String: SQLiteStatement] = [:]
  private var byPlace: [Place: (text: String, statement: SQLiteStatement)] = [:]

  func statement(of text: String) -> SQLiteStatement? {
    if let place = Place(text), let found = byPlace[place] { return found.statement }
    return byText[text]
  }

  mutating func insert(_ statement: SQLiteStatement, of text: String) {
    byText[text] = statement
    if let place = Place(text) { byPlace[place] = (text, statement) }
  }

  /// Ends all statements, before their connection is closed.
  func finalize() {
    for statement in byText.values { statement.finalize() }
  }
}
