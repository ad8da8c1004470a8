import ChatAPI

/// What is shown of commands that cannot be read or performed.
enum CommandHelp {
  /// What the core says of commands that it does not perform yet.
  static let notImplemented = "not implemented yet"

  /// The lines for a command that the core refused.
  static func lines(_ line: String, refusedBecause message: String) -> [StyledText] {
    guard message.hasPrefix(notImplemented) else {
      // The syntax is valid, so a usage text would not help, unless the core refused an argument's syntax.
      if (try? ChatCommand(parsing: line)) != nil, !isAboutWriting(message) {
        return [StyledText("bad chat command: \(message)")]
      }
      return lines(line) ?? [StyledText("bad chat command: \(message)")]
    }
    return [StyledText(unsupported(line))]
  }

  /// Whether a refusal is a syntax error of the core's parsers, and not a reason why the command cannot be performed.
  private static func isAboutWriting(_ message: String) -> Bool {
    ["expected ", "invalid ", "Failed reading"].contains { message.hasPrefix($0) }
  }

  /// The rows of the help for a line that is not a command; nil where the line may be a command of the API.
  static func lines(_ line: String) -> [StyledText]? {
    if line.hasPrefix("/_") { return nil }
    if let topic = topic(line) { return topic }
    let typed = line.prefix { !$0.isWhitespace }
    let word = HelpTexts.otherWords[String(typed)].map { Substring($0) } ?? typed
    if let first = line.first, "><!\\+-".contains(first) {
      return ["This is not a message to a chat. Marks at the beginning are for:"]
        + HelpTexts.rows { $0.first == first }
    }
    if let first = line.first, first != "/" {
      let name = "@#".contains(first) ? String(typed.prefix(40)) : "@<name>"
      return ["A message follows the name of a contact or group: \(.highlight("\(name) <text>"))"]
    }
    let rows = HelpTexts.rows { usage in
      usage.split(separator: ",").contains { $0.trimmed.split(separator: " ").first.map { $0 == word } ?? false }
    }
    if word == "/network" { return ["Usage:", "  \(.highlight(ChatView.networkUsage))"] }
    guard rows.isEmpty else { return invalidServers(line) + invalidRole(line) + ["Usage:"] + rows }
    if let feature = feature(word) { return [StyledText("\(feature) not supported yet.")] }
    let nearest = NearestWord.of(word, in: HelpTexts.commandWords)
    return [StyledText("bad chat command: \(word.prefix(40))")]
      + (nearest.map { ["Did you mean \(.highlight($0))?"] } ?? [])
      + ["\(.highlight("/help")) lists the commands."]
  }

  /// A line about an invalid role in a command that takes one; empty for other lines.
  private static func invalidRole(_ line: String) -> [StyledText] {
    let words = words(of: line)
    let place: Int? =
      switch words.first {
      case "/add", "/a", "/invite", "/mr": 3
      case "/member" where words.dropFirst().first == "role": 4
      case "/create" where words.dropFirst().first == "link": 3
      case "/set" where words.dropFirst().prefix(2) == ["link", "role"]: 4
      case "/accept" where words.dropFirst().first == "member": 4
      default: nil
      }
    guard let place, words.indices.contains(place), place == words.count - 1 else { return [] }
    let roles = GroupMemberRole.supportedRoles.reversed().map(\.rawValue)
    guard !roles.contains(words[place]) else { return [] }
    let nearest = NearestWord.of(words[place], in: roles).map { StyledText(" Did you mean ") + .highlight($0) + "?" }
    return ["\(words[place].prefix(40)) is not a role: \(roles.joined(separator: ", "))." + (nearest ?? "")]
  }

  /// The words of a line; what stands in apostrophes is one.
  private static func words(of line: String) -> [String] {
    var words: [String] = []
    var (isQuoted, isInWord) = (false, false)
    for character in line {
      if character == "'" { isQuoted.toggle() }
      if character == " ", !isQuoted {
        isInWord = false
      } else if isInWord {
        words[words.count - 1].append(character)
      } else {
        words.append(String(character))
        isInWord = true
      }
    }
    return words
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

  /// Topics of `/help` that the core does not know, and other words for it.
  static func topic(_ line: String) -> [StyledText]? {
    let words = line.split(separator: " ")
    if words == ["/?"] || words == ["/commands"] { return HelpTexts.lines(.main) }
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
    ["/public", "/pg"].contains(word) ? "Channels are" : nil
  }

  /// A sentence that names the feature that is not supported.
  private static func unsupported(_ line: String) -> String {
    let word = line.prefix { !$0.isWhitespace }
    if word.first != "/" { return "This is not supported yet." }
    return "\(feature(word) ?? "\(word) is") not supported yet."
  }
}

extension CommandHelp {
  /// The explanation of a link, the last word of the line, that cannot be parsed.
  static func linesOfInvalidLink(_ line: String) -> [StyledText] {
    let typed = line.split(separator: " ").last ?? ""
    guard typed.contains(":") || typed.contains("/") else {
      return [
        "\(typed.prefix(40)) is not a link: links begin with https:// or simplex:.",
        "\(.highlight("@\(typed.prefix(40)) <text>")) writes to a contact, \(.highlight("/contacts")) lists them.",
      ]
    }
    return [
      "The link cannot be read: it is usually sent whole, so check that nothing is missing.",
      "If it is complete, a newer version may have made it: compare \(.highlight("/version")).",
    ]
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
    case .result(.response1(.userContactLink(_, let link))) where link.addressSettings.autoAccept == nil:
      "Requests are not accepted automatically: \(.highlight("/auto_accept on")), or \(.highlight("/accept <name>")) for each."
    case .error(.error(errorType: .contactNotReady)):
      "Messages can be sent when the contact is connected: \(.highlight("/c <link>")) connects by a link."
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
