/// Words that somebody may have meant by a misspelled one.
enum NearestWord {
  /// The word that is nearest to a typed one: it differs by at most two letters, by one if the typed one has two to
  /// four. Nil where there is none; case does not count.
  static func of(_ typed: some StringProtocol, in words: some Sequence<String>) -> String? {
    guard (2..<40).contains(typed.count) else { return nil }
    let limit = typed.count > 4 ? 2 : 1
    let letters = Array(typed.lowercased())
    return words.map { (word: $0, distance: distance(letters, Array($0.lowercased()))) }
      .filter { $0.distance <= limit }.min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
  }

  /// The number of letters to add, remove, replace or exchange with the next one (Damerau and Levenshtein).
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    guard abs(a.count - b.count) <= 2 else { return .max }
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
