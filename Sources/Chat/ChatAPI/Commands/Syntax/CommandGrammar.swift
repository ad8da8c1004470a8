import WireCodec

/// All commands, looked up by their keywords.
///
/// Commands are looked up by their first word (or, for the short forms that begin with a sign, the sign), and the
/// longest keyword that fits and whose arguments fit wins: the order of declarations does not matter.
struct CommandGrammar: Sendable {
  /// Every declaration.
  let commands: [CommandSyntax]
  private let candidates: [String: [Candidate]]

  private struct Candidate {
    /// What the text begins with.
    let start: [UInt8]
    /// How much of it is a keyword, not an argument.
    let keywordLength: Int
    let syntax: CommandSyntax
  }

  init(_ commands: [CommandSyntax]) {
    self.commands = commands
    var candidates: [String: [Candidate]] = [:]
    for syntax in commands {
      for keyword in syntax.signs.isEmpty ? syntax.keywords : syntax.signs {
        let bytes = Array(keyword.utf8)
        let length = syntax.signs.isEmpty ? bytes.count : 0
        let candidate = Candidate(start: bytes, keywordLength: length, syntax: syntax)
        candidates[Self.key(bytes[...]), default: []].append(candidate)
      }
    }
    self.candidates = candidates.mapValues { $0.sorted { $0.start.count > $1.start.count } }
  }

  /// The key by which a command is looked up.
  private static func key(_ command: ArraySlice<UInt8>) -> String {
    guard let first = command.first else { return "" }
    let second = command.dropFirst().first
    let isWord = first == UInt8(ascii: "/") && second != UInt8(ascii: "/") && second != UInt8(ascii: "*")
    return String(decoding: isWord ? command.prefix { $0 != UInt8(ascii: " ") } : command.prefix(1), as: UTF8.self)
  }

  /// The command that the text is; white space at its end is ignored.
  func parse(_ text: String) throws(CommandSyntaxError) -> ChatCommand { try parse(text, reading: { $0.read }) }

  /// Whether an argument of the command that the text is holds a secret.
  func holdsSecret(_ text: String) throws(CommandSyntaxError) -> Bool { try parse(text, reading: { $0.readsSecret }) }

  /// Parses the text by the declaration that fits, and returns what `reading` reads from the arguments.
  private func parse<Value>(
    _ text: String, reading read: (CommandSyntax) -> @Sendable (inout Reader) throws(WireError) -> Value
  ) throws(CommandSyntaxError) -> Value {
    let bytes = Self.withoutTrailingSpace(Array(text.utf8))
    guard let candidates = candidates[Self.key(bytes)] else { throw .unknownCommand(bytes) }
    var furthest: (error: WireError, syntax: CommandSyntax)?
    for candidate in candidates where bytes.starts(with: candidate.start) {
      do throws(WireError) {
        var reader = Reader(bytes.span.bytes)
        _ = try reader.span(candidate.keywordLength)
        let value = try read(candidate.syntax)(&reader)
        try reader.finish()
        return value
      } catch {
        if furthest.map({ $0.error.offset < error.offset }) ?? true { furthest = (error, candidate.syntax) }
      }
    }
    guard let furthest else { throw .incomplete(candidates.map(\.syntax.usage)) }
    throw .badArguments(furthest.error, usage: furthest.syntax.usage)
  }

  /// The text of a command and its declaration.
  func write(_ command: ChatCommand) -> (text: String, syntax: CommandSyntax)? {
    var writer = Writer(capacity: 64)
    for syntax in commands where syntax.write(command, &writer) {
      return (String(decoding: writer.finish(), as: UTF8.self), syntax)
    }
    return nil
  }

  private static func withoutTrailingSpace(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var end = bytes.count
    while end > 0 {
      let (scalar, start) = bytes.scalar(before: end, notBefore: 0)
      guard scalar.isSpace else { break }
      end = start
    }
    return bytes[..<end]
  }
}

/// The reason why a text is not a command.
enum CommandSyntaxError: Error, Hashable {
  /// No command begins like this.
  case unknownCommand(ArraySlice<UInt8>)
  /// Commands begin like this and continue as listed.
  case incomplete([String])
  /// The arguments do not fit.
  case badArguments(WireError, usage: String)

  /// What was expected and where. Arguments are not repeated: they may be secret.
  var message: String {
    switch self {
    case .unknownCommand(let bytes):
      let isSlash = bytes.first == UInt8(ascii: "/")
      let word = String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }.prefix(32), as: UTF8.self)
      return isSlash
        ? "unknown command \(word)" : "expected a command: /<command>, @<contact> <message> or #<group> <message>"
    case .incomplete(let usages):
      return "expected one of: \(usages.prefix(8).joined(separator: "; "))"
    case .badArguments(let error, let usage):
      return "\(error.kind) at byte \(error.offset), usage: \(usage)"
    }
  }
}
