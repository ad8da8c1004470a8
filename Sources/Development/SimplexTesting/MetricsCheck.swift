import Foundation

/// The rules of `promtool check metrics` that figures without units of time can violate.
public enum MetricsCheck {
  /// The faults of a text with metrics, a sentence each.
  public static func problems(in text: String) -> [String] {
    var problems: [String] = []
    var types: [String: String] = [:]
    var helped: Set<String> = []
    var series: Set<Substring> = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if line.hasPrefix("# HELP ") {
        if !helped.insert(words[2]).inserted { problems.append("\(words[2]) is described twice") }
      } else if line.hasPrefix("# TYPE ") {
        types[words[2]] = words[3]
      } else if let end = line.lastIndex(of: " ") {
        if !series.insert(line[..<end]).inserted { problems.append("\(line[..<end]) is there twice") }
        if Double(line[line.index(after: end)...]) == nil { problems.append("no number: \(line)") }
        let name = String(line.prefix { $0 != "{" && $0 != " " })
        if types[name] == nil || !helped.contains(name) { problems.append("\(name) has no description") }
      }
    }
    for (name, type) in types {
      if (type == "counter") != name.hasSuffix("_total") { problems.append("\(name) is a \(type)") }
      if ["_count", "_sum", "_bucket"].contains(where: name.hasSuffix) {
        problems.append("\(name) has a reserved end")
      }
      if name.contains(where: { $0 == ":" || $0.isUppercase }) { problems.append("\(name) has reserved characters") }
      let parts = Set(name.split(separator: "_"))
      if !parts.isDisjoint(with: ["counter", "gauge", "s", "ms", "sec", "b", "kb", "mb", "gb", "m", "h", "d"]) {
        problems.append("\(name) has a type or an abbreviated unit")
      }
    }
    return problems
  }

  /// The names that the dashboard and the alerts of `deploy` use and that a text does not have.
  public static func missing(in text: String, prefix: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/monitoring")
    var missing: [String] = []
    for file in ["dashboard.json", "relays.rules.yml"] {
      let content = try String(contentsOf: root.appending(path: file).standardizedFileURL, encoding: .utf8)
      for word in content.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" })
      where word.hasPrefix(prefix) && !text.contains("# TYPE \(word) ") {
        missing.append("\(word) in \(file)")
      }
    }
    return missing
  }

  /// The output of `promtool check metrics`; nil where it is not on the path.
  public static func promtool(_ text: String) throws -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let program = folders.map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let program else { return nil }
    let file = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID().uuidString)")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = ["check", "metrics"]
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return printed
  }
}
