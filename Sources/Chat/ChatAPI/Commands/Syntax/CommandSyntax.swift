import WireCodec

/// The declaration of a command: it prints the command, parses it and has its usage line.
struct CommandSyntax: Sendable {
  /// The case of `ChatCommand` or `TerminalCommand`.
  let name: String
  /// What the command begins with; the first is printed, all are read.
  let keywords: [String]
  /// Signs that the first argument begins with, for commands without a keyword.
  let signs: [String]
  /// The command line with placeholders.
  let usage: String
  /// The device that executes the command if it is given for a mobile device.
  let remoteUse: RemoteUse
  /// Reads the arguments, after the keyword.
  let read: @Sendable (inout Reader) throws(WireError) -> ChatCommand
  /// Reads the arguments, and returns whether one of them holds a secret.
  let readsSecret: @Sendable (inout Reader) throws(WireError) -> Bool
  /// Writes the whole command if it is this one; otherwise writes nothing and returns false.
  let write: @Sendable (ChatCommand, inout Writer) -> Bool
}

/// Collects the declarations of the categories.
struct CommandDeclarations {
  private(set) var all: [CommandSyntax] = []

  /// Declares a command: its case, keyword and arguments, how to make it of them, and how to get them from it (nil:
  /// another command).
  ///
  /// A command without a keyword names the `signs` that its first argument may begin with. `remotely` is where it is
  /// executed if it is given at a desktop for a mobile device.
  mutating func command<each Value>(
    _ name: String, _ keyword: String, or aliases: [String] = [], signs: [String] = [], remotely: RemoteUse = .passedOn,
    _ arguments: repeat Argument<each Value>,
    make: @escaping @Sendable (repeat each Value) -> ChatCommand,
    match: @escaping @Sendable (ChatCommand) -> (repeat each Value)?
  ) {
    var usage = keyword
    for argument in repeat each arguments { usage += argument.usage }
    let arguments = (repeat each arguments)
    all.append(
      CommandSyntax(
        name: name, keywords: [keyword] + aliases, signs: signs, usage: usage, remoteUse: remotely,
        read: { (reader) throws(WireError) -> ChatCommand in
          make(repeat try (each arguments).read(&reader))
        },
        readsSecret: { (reader) throws(WireError) -> Bool in
          var isFound = false
          for argument in repeat each arguments {
            if try Self.readsSecret(argument, &reader) { isFound = true }
          }
          return isFound
        },
        write: { command, writer in
          guard let values = match(command) else { return false }
          writer.append(keyword)
          repeat (each arguments).write(each values, &writer)
          return true
        }))
  }

  private static func readsSecret<Value>(
    _ argument: Argument<Value>, _ reader: inout Reader
  ) throws(WireError) -> Bool {
    argument.holdsSecret(try argument.read(&reader))
  }

  /// Declares a command that users type.
  mutating func terminal<each Value>(
    _ name: String, _ keyword: String, or aliases: [String] = [], signs: [String] = [], remotely: RemoteUse = .passedOn,
    _ arguments: repeat Argument<each Value>,
    make: @escaping @Sendable (repeat each Value) -> TerminalCommand,
    match: @escaping @Sendable (TerminalCommand) -> (repeat each Value)?
  ) {
    command(
      name, keyword, or: aliases, signs: signs, remotely: remotely, repeat each arguments,
      make: { (values: repeat each Value) in .terminal(make(repeat each values)) },
      match: { command in
        guard case .terminal(let command) = command else { return nil }
        return match(command)
      })
  }
}
