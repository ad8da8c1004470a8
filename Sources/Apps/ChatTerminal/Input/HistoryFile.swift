import FileAccess

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The lines that were typed, in a file that only its owner can read: one on each line, with `\n` for the ends of lines
/// inside and `\\` for backslashes.
///
/// Commands that can hold a passphrase are left out.
struct HistoryFile: Sendable {
  private static let limit = 500
  /// A larger file is truncated to its last lines.
  private static let largestSize = 1 << 20
  private static let secretCommands = [
    "/db ", "/_db ", "/hide ", "/_hide ", "/unhide ", "/_unhide ", "/user ", "/_user ",
  ]

  let path: String

  /// The lines, oldest first; none if the file cannot be read.
  func lines() -> [String] {
    guard let bytes = try? WholeFile.read(path) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(Self.limit)
    if bytes.count > Self.largestSize {
      try? WholeFile.replace(path, with: (lines.joined(separator: "\n") + "\n").utf8)
    }
    return lines.map(Self.unescaped)
  }

  /// Removes the file.
  func remove() { unlink(path) }

  /// Adds a line. What cannot be written is lost.
  func append(_ line: String) {
    guard !line.trimmed.isEmpty, !Self.secretCommands.contains(where: line.hasPrefix) else { return }
    try? WholeFile.append(Self.escaped(line) + "\n", to: path)
  }

  private static func escaped(_ line: String) -> String {
    line.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\n", "\r\n", "\r": text += "\\n"
      default: text.append(character)
      }
    }
  }

  private static func unescaped(_ line: Substring) -> String {
    var isEscaped = false
    return line.reduce(into: "") { text, character in
      if isEscaped {
        text.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
  }
}
