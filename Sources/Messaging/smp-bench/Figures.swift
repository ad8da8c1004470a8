/// Measured figures, in the order in which they are printed.
struct Figures {
  private var rows: [(name: String, value: Double, unit: String)] = []

  mutating func add(_ name: String, _ value: Double, unit: String) { rows.append((name, value, unit)) }

  /// Adds a number of operations in a time as a rate.
  mutating func add(_ name: String, _ count: Int, in time: Duration) {
    add(name, Double(count) / max(time.inSeconds, 1e-9), unit: "/s")
  }

  /// One line for each figure.
  var text: String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { row in
      row.name + String(repeating: " ", count: width - row.name.count + 2) + "\(rounded(row.value)) \(row.unit)"
    }.joined(separator: "\n")
  }

  /// An object with a member for each figure.
  var json: String {
    "{" + rows.map { "\"\($0.name) (\($0.unit))\":\(rounded($0.value))" }.joined(separator: ",") + "}"
  }

  private func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}

extension Duration {
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
