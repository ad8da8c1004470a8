import ChatAPI

/// Lines with a password, a passphrase or a key, which neither the screen nor the history keeps.
enum SecretLine {
  /// Commands that a secret follows at once.
  private static let commands = [
    "/db encrypt ", "/db key ", "/db decrypt ", "/db test key ", "/_db encryption ", "/hide user ", "/unhide user ",
  ]
  /// Commands with a name, or a number, before a secret.
  private static let namingCommands = ["/_hide user ", "/_unhide user ", "/delete user ", "/user ", "/u ", "/_user "]

  /// The number of characters before the first one that may belong to a secret; nil where there is none, or none that
  /// is at a known place.
  static func secretStart(in line: String) -> Int? {
    let typed = line.drop { $0.isWhitespace }
    func rest(_ commands: [String]) -> Substring? {
      commands.first { typed.hasPrefix($0) }.map { typed.dropFirst($0.count) }
    }
    var secret: Substring
    if let rest = rest(commands) {
      secret = rest
    } else if let rest = rest(namingCommands) {
      guard let name = ChatTarget.name(rest.drop { $0 == " " }) else { return nil }
      secret = name.rest
    } else {
      return nil
    }
    secret = secret.drop { $0 == " " }
    return secret.isEmpty ? nil : line.distance(from: line.startIndex, to: secret.startIndex)
  }

  /// The characters of a line with those of a secret hidden.
  static func masked(_ characters: [Character]) -> [Character] {
    guard characters.first(where: { !$0.isWhitespace }) == "/", let start = secretStart(in: String(characters)) else {
      return characters
    }
    return characters[..<start] + Array(repeating: "•", count: characters.count - start)
  }

  /// Whether a line holds a secret. A mistyped command does not, unless it begins as one that does: it is corrected.
  static func holdsSecret(_ line: String) -> Bool {
    if secretStart(in: line) != nil { return true }
    return (try? ChatCommand(parsing: line.trimmed)) != nil && !ChatCommand.mayBeKept(line)
  }

  /// A typed line as the screen shows it.
  static func shown(_ line: String) -> String {
    guard holdsSecret(line) else { return line }
    let head = secretStart(in: line).map { line.prefix($0).trimmed } ?? String(line.prefix { !$0.isWhitespace })
    return head + " …"
  }
}
