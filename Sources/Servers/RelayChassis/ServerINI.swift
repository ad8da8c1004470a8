/// The settings of a relay in an ini file: sections in brackets, `key = value` or `key: value`, comments after `#`
/// or `;`.
public struct ServerINI: Sendable {
  private var values: [String: [String: String]] = [:]
  /// What is set again, without effect.
  public private(set) var repeated: [(section: String, key: String)] = []
  /// What is set, in the order of the file.
  public private(set) var names: [(section: String, key: String)] = []

  /// Reads the text.
  /// - Throws: ``RelayError/configuration(_:)`` with the number of the first line that is not a setting.
  public init(_ text: String) throws(RelayError) {
    var section = ""
    // Some editors begin files with a byte order mark.
    let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    // A line end of two characters is one `Character`.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
        continue
      }
      guard let mark = line.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
        throw .configuration("line \(index + 1) is neither a section nor a setting (key = value)")
      }
      let key = String(line[..<mark].trimmed)
      // If a setting occurs several times, the first one counts, as in the reference server.
      guard values[section]?[key] == nil else {
        repeated.append((section, key))
        continue
      }
      values[section, default: [:]][key] = String(line[line.index(after: mark)...].trimmed)
      names.append((section, key))
    }
  }

  /// A setting as text; nil where it is not set.
  public func text(_ section: String, _ key: String) -> String? { values[section]?[key] }

  /// A setting that is `on` or `off`.
  public func isOn(_ section: String, _ key: String, default value: Bool) throws(RelayError) -> Bool {
    switch text(section, key) {
    case nil: return value
    case "on": return true
    case "off": return false
    case let other?: throw .configuration("[\(section)] \(key) is \(other), not on or off")
    }
  }

  /// A setting that is a whole number within a range.
  public func number(
    _ section: String, _ key: String, default value: Int64, in range: ClosedRange<Int64>
  ) throws(RelayError) -> Int64 {
    guard let text = text(section, key) else { return value }
    guard let number = Int64(text), range.contains(number) else {
      throw .configuration(
        "[\(section)] \(key) is \(text), not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return self[startIndex..<startIndex]
    }
    return self[first...last]
  }
}
