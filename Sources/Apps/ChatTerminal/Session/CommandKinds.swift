import ChatAPI

extension ChatCommand {
  /// Whether the command sends a message, which is shown as it was sent.
  var isMessage: Bool {
    guard case .terminal(let command) = self else { return false }
    switch command {
    case .sendMessage, .sendLiveMessage, .sendFile, .sendMessageQuote, .sendOwnMessageQuote, .sendGroupMessageQuote,
      .sendMessageBroadcast, .forwardMessage, .forwardGroupMessage, .forwardLocalMessage:
      return true
    default: return false
    }
  }

  /// Whether the command is about a file.
  var isOfFile: Bool {
    switch self {
    case .receiveFile, .cancelFile, .terminal(.sendFile), .terminal(.sendImage), .terminal(.forwardFile),
      .terminal(.forwardImage), .terminal(.fileStatus):
      true
    default: false
    }
  }

  /// What finds the chat that ``question`` is about, and what is said where it does not exist; nil for other commands.
  var askedChat: (query: TerminalCommand, isMissing: StyledText)? {
    switch self {
    // Those without a connection are contacts too, and are not in the list.
    case .terminal(.deleteContact(let name, _)), .terminal(.clearContact(let name)):
      (.contactInfo(contact: name), "no contact \(.contact(name))")
    case .terminal(.deleteGroup(let name)), .terminal(.clearGroup(let name)):
      (.showGroupInfo(group: name), "no group \(.group(name))")
    default: nil
    }
  }

  /// The question that is asked before a command that cannot be undone; nil for other commands.
  var question: StyledText? {
    guard case .terminal(let command) = self else { return nil }
    switch command {
    case .deleteContact(let name, _): return "Delete the contact \(.contact(name)) with all messages?"
    case .clearContact(let name): return "Delete all messages with \(.contact(name)) here?"
    case .deleteGroup(let name):
      return "Delete the group \(.group(name)) with all messages? If you are an owner, it ends for all members."
    case .clearGroup(let name): return "Delete all messages of \(.group(name)) here?"
    case .clearNoteFolder: return "Delete all notes?"
    case .deleteMyAddress: return "Delete your address? Nobody can use its link any more."
    case .deleteUser(let name, _): return "Delete the profile \(.contact(name)) with all its contacts and messages?"
    default: return nil
    }
  }
}

extension ChatError {
  /// Whether the error says that the chat of a message does not exist.
  var isOfMissingChat: Bool {
    switch self {
    case .error(.contactNotFound), .errorStore(.contactNotFoundByName), .errorStore(.contactNotFound),
      .errorStore(.groupNotFoundByName), .errorStore(.groupNotFound):
      true
    case .error(.commandError(let message)): message.hasPrefix(CommandHelp.notImplemented)
    default: false
    }
  }
}

/// What is shown of commands that cannot be read or performed.
enum CommandHelp {
  /// What the core says of commands that it does not perform yet.
  static let notImplemented = "not implemented yet"

  /// The lines for a command that the core refused.
  static func lines(_ line: String, refusedBecause message: String) -> [StyledText] {
    guard message.hasPrefix(notImplemented) else {
      // What can be read, of messages and files, is not refused for how it is typed.
      if let command = try? ChatCommand(parsing: line), let first = line.first,
        "#@><!\\+-".contains(first) || command.isOfFile
      {
        return [StyledText("bad chat command: \(message)")]
      }
      return lines(line) ?? [StyledText("bad chat command: \(message)")]
    }
    return [StyledText(unsupported(line))]
  }

  /// The rows of the help for a line that is not a command; nil where the line may be a command of the API.
  static func lines(_ line: String) -> [StyledText]? {
    if line.hasPrefix("/_") { return nil }
    if let topic = topic(line) { return topic }
    let typed = line.prefix { !$0.isWhitespace }
    let word = HelpTexts.longFileCommands[String(typed)].map { Substring($0) } ?? typed
    if let first = line.first, "><!\\+-".contains(first) {
      return ["This is not a message to a chat. Marks at the beginning are for:"]
        + HelpTexts.rows { $0.first == first }
    }
    let rows = HelpTexts.rows { usage in
      usage.split(separator: ",").contains { $0.trimmed.split(separator: " ").first.map { $0 == word } ?? false }
    }
    if word == "/network" { return ["Usage:", "  \(.highlight(ChatView.networkUsage))"] }
    guard rows.isEmpty else { return invalidServers(line) + ["Usage:"] + rows }
    if let feature = feature(word) { return [StyledText("\(feature) not supported yet.")] }
    return [StyledText("bad chat command: \(word.prefix(40))"), "\(.highlight("/help")) lists the commands."]
  }

  /// A line for each word of `/smp` or `/xftp` that is not the address of a server.
  private static func invalidServers(_ line: String) -> [StyledText] {
    let words = line.split(separator: " ")
    guard let command = words.first, command == "/smp" || command == "/xftp" else { return [] }
    let servers = words.dropFirst(words.dropFirst().first == "test" ? 2 : 1).joined(separator: " ")
    let invalid = TerminalOptions.invalidServers(
      smp: command == "/smp" ? servers : "", xftp: command == "/smp" ? "" : servers)
    return invalid.map { "\($0.prefix(200)) is not the address of a server, such as smp://FINGERPRINT@HOST:PORT." }
  }

  /// Topics of `/help` that the core does not know.
  private static func topic(_ line: String) -> [StyledText]? {
    let words = line.split(separator: " ")
    guard words.first == "/help" || words.first == "/h", words.count > 1 else { return nil }
    switch words[1] {
    case "keys": return HelpTexts.keyLines
    case "markdown": return HelpTexts.lines(.markdown)
    default:
      let topics = HelpTexts.topicNames.joined(separator: ", ")
      return ["There is no help on \(words[1].prefix(40)). Topics: \(.highlight(topics))"]
    }
  }

  /// The feature of a command with its verb ("Groups are"), if none of the feature's commands is supported.
  private static func feature(_ word: Substring) -> String? {
    let features: [(String, [String])] = [
      ("Calls are", ["/call"]), ("Remote hosts and desktops are", ["/start", "/stop", "/list", "/switch", "/store"]),
      ("Channels are", ["/public", "/pg"]),
    ]
    return features.first { $0.1.contains(String(word)) }?.0
  }

  /// A sentence that names the feature that is not supported.
  private static func unsupported(_ line: String) -> String {
    let word = line.prefix { !$0.isWhitespace }
    if word.first != "/" { return "This is not supported yet." }
    return "\(feature(word) ?? "\(word) is") not supported yet."
  }
}

extension APIResult<ChatResponse> {
  /// What a person is told in the place of an empty list, and with errors that do not explain themselves; nil for
  /// other results.
  var explanation: StyledText? {
    switch self {
    case .result(.response1(.contactsList(_, let contacts))) where contacts.isEmpty:
      "You have no contacts yet. \(.highlight("/c")) creates a link to connect with somebody."
    case .result(.response3(.chatItems(_, _, let items))) where items.isEmpty: "No messages."
    case .result(.response3(.chats(let chats))) where chats.isEmpty: "No chats yet."
    case .error(.errorAgent(.CMD(.PROHIBITED, let context), _, _)): Self.explanation(ofProhibited: context)
    default: nil
    }
  }

  private static func explanation(ofProhibited context: String) -> StyledText? {
    switch context.prefix(while: { $0 != ":" }) {
    case "synchronizeRatchet": "The encryption of this connection works: nothing has to be repaired."
    case "switchConnectionAsync": "The connection is being moved to another relay already."
    case "sendMessagesB":
      "The encryption of this connection is broken: \(.highlight("/sync @<name>")) repairs it; then send again."
    default: nil
    }
  }
}
