import ChatAPI
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
/// Lines with a secret are left out (``ChatAPI/ChatCommand/mayBeKept(_:)``).
struct HistoryFile: Sendable {
  private static let limit = 500
  /// A larger file is truncated to its last lines.
  private static let largestSize = 1 << 20

  let path: String

  /// The lines, oldest first; none if the file cannot be read. Lines that an earlier version kept and that may not be
  /// are removed from the file.
  func lines() -> [String] {
    guard let bytes = try? WholeFile.read(path) else { return [] }
    let stored = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let lines = stored.suffix(Self.limit).map(Self.unescaped)
    let kept = lines.filter(ChatCommand.mayBeKept)
    if bytes.count > Self.largestSize || kept.count < lines.count {
      try? WholeFile.replace(path, with: kept.map { Self.escaped($0) + "\n" }.joined().utf8)
    }
    return kept
  }

  /// Removes the file.
  func remove() { unlink(path) }

  /// Adds a line. What cannot be written is lost.
  func append(_ line: String) {
    guard !line.trimmed.isEmpty, ChatCommand.mayBeKept(line) else { return }
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
