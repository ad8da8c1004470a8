/// The printed table and the JSON file of the figures.
enum Table {
  static func printHeader() {
    printColumns("benchmark", value: "value", goal: "goal", reference: "reference", rest: "")
  }

  static func printRow(_ figure: Figure) {
    let verdict =
      switch figure.meetsGoal {
      case true?: "ok"
      case false?: "MISSED"
      case nil: ""
      }
    printColumns(
      "\(figure.suite): \(figure.name)", value: "\(format(figure.value)) \(figure.unit)",
      goal: figure.goal.map(format) ?? "",
      reference: figure.reference.map(format) ?? "",
      rest: [verdict, figure.note].filter { !$0.isEmpty }.joined(separator: "  "))
  }

  private static func printColumns(_ name: String, value: String, goal: String, reference: String, rest: String) {
    print(pad(name, 52) + padLeft(value, 16) + padLeft(goal, 12) + padLeft(reference, 12) + "  " + rest)
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func padLeft(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  /// Three significant digits or more, with thousands separated.
  static func format(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
    if value.magnitude >= 100 {
      var digits = String(Int64(value.rounded()))
      var grouped = ""
      while digits.count > 3 {
        grouped = "," + digits.suffix(3) + grouped
        digits.removeLast(3)
      }
      return digits + grouped
    }
    let scale: Double = value.magnitude >= 10 ? 10 : value.magnitude >= 1 ? 100 : 10_000
    return "\((value * scale).rounded() / scale)"
  }

  static func json(_ figures: [Figure]) -> String {
    let rows = figures.map { figure in
      var members = [
        "\"suite\": \(quote(figure.suite))", "\"name\": \(quote(figure.name))", "\"value\": \(figure.value)",
        "\"unit\": \(quote(figure.unit))", "\"lessIsBetter\": \(figure.lessIsBetter)",
      ]
      if let goal = figure.goal { members.append("\"goal\": \(goal)") }
      if let reference = figure.reference { members.append("\"reference\": \(reference)") }
      return "  { " + members.joined(separator: ", ") + " }"
    }
    return "[\n" + rows.joined(separator: ",\n") + "\n]\n"
  }

  private static func quote(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
