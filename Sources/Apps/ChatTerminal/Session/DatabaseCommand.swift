import ChatAPI

/// Commands about the passphrase of the databases.
enum DatabaseCommand {
  /// The change of the passphrase that a line asks for; nil for other lines. A passphrase goes to the end of the line;
  /// where there are two, one with spaces is in apostrophes.
  static func config(_ line: String) -> DBEncryptionConfig? {
    if let key = rest(of: line, "/db encrypt ") { return DBEncryptionConfig(currentKey: "", newKey: unquoted(key)) }
    if let key = rest(of: line, "/db decrypt ") { return DBEncryptionConfig(currentKey: unquoted(key), newKey: "") }
    guard let keys = rest(of: line, "/db key ") else { return nil }
    guard let (old, new) = split(keys) else { return nil }
    return DBEncryptionConfig(currentKey: old, newKey: new)
  }

  private static func rest(of line: String, _ command: String) -> String? {
    guard line.hasPrefix(command) else { return nil }
    let rest = String(line.dropFirst(command.count)).trimmed
    return rest.isEmpty ? nil : rest
  }

  private static func unquoted(_ key: String) -> String {
    key.count > 2 && key.first == "'" && key.last == "'" ? String(key.dropFirst().dropLast()) : key
  }

  private static func split(_ keys: String) -> (String, String)? {
    guard keys.first == "'" else {
      let parts = keys.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let old = parts.first, let new = parts.last else { return nil }
      return (String(old), unquoted(String(new).trimmed))
    }
    let inside = keys.dropFirst()
    guard let end = inside.firstIndex(of: "'"), end > inside.startIndex else { return nil }
    let new = String(inside[inside.index(after: end)...]).trimmed
    return new.isEmpty ? nil : (String(inside[..<end]), unquoted(new))
  }
}
