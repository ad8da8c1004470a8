extension ChatCommand: ChatCmdProtocol {
  /// All commands by their keywords.
  static let grammar = CommandGrammar(categories)

  private static let categories: [CommandSyntax] = {
    var commands = CommandDeclarations()
    UsersCommands.declare(in: &commands)
    LifecycleCommands.declare(in: &commands)
    MessagesCommands.declare(in: &commands)
    ContactsCommands.declare(in: &commands)
    GroupsCommands.declare(in: &commands)
    ChannelsCommands.declare(in: &commands)
    ChatTagsCommands.declare(in: &commands)
    FilesCommands.declare(in: &commands)
    CallsCommands.declare(in: &commands)
    NotificationsCommands.declare(in: &commands)
    SettingsCommands.declare(in: &commands)
    DatabaseCommands.declare(in: &commands)
    ServersCommands.declare(in: &commands)
    ThemesCommands.declare(in: &commands)
    RemoteDesktopCommands.declare(in: &commands)
    DiagnosticsCommands.declare(in: &commands)
    AddressCommands.declare(in: &commands)
    SecurityCommands.declare(in: &commands)
    UsersTerminalCommands.declare(in: &commands)
    ContactsTerminalCommands.declare(in: &commands)
    GroupsTerminalCommands.declare(in: &commands)
    MessagesTerminalCommands.declare(in: &commands)
    SettingsTerminalCommands.declare(in: &commands)
    SystemTerminalCommands.declare(in: &commands)
    return commands.all
  }()

  /// Parses a command, which has to be the whole text; white space at its end is ignored.
  ///
  /// Throws `ChatError.error(.commandError)` with a message that says what was expected where, but repeats no argument.
  public init(parsing text: String) throws(ChatError) {
    do throws(CommandSyntaxError) {
      self = try Self.grammar.parse(text)
    } catch {
      throw .error(errorType: .commandError(message: error.message))
    }
  }

  /// Whether a typed line may be kept, as in the history of a terminal: it is a message, or a command none of whose
  /// arguments holds a password, a passphrase or the key of a file. A line that begins as a command and is none may
  /// hold whatever its author meant.
  public static func mayBeKept(_ line: String) -> Bool {
    let command = line.drop { $0.isWhitespace }
    do throws(CommandSyntaxError) { return try !grammar.holdsSecret(String(command)) } catch {
      return command.first != "/"
    }
  }

  /// The command as it is sent to the core.
  public var cmdString: String {
    if case .string(let text) = self { return text }
    return Self.grammar.write(self)?.text ?? ""
  }

  /// The name of the command, for logs.
  public var cmdType: String {
    if case .string = self { return "console command" }
    return Self.grammar.write(self)?.syntax.name ?? ""
  }
}

extension ChatCommand {
  /// The usage lines of every command by the name of its case; a command may have several.
  public static var syntaxes: [(name: String, usage: String)] {
    grammar.commands.map { ($0.name, $0.usage) }
  }
}
