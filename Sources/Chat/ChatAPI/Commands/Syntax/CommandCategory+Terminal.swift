import SimplexJSON
import WireCodec

// Arguments of single commands that users type: messages, features and times.

extension CommandCategory {
  /// The name of a new group, `#` before it may be missing, and its description.
  static var namedGroup: Argument<NewProfile> {
    nameAndDescription.after("#").or(nameAndDescription)
  }

  /// A message that does not begin with a quoted one.
  static var unquotedMessage: Argument<String> { message { $0.hasPrefix("(") } }

  /// A message that does not begin with the name of a member.
  static var unsignedMessage: Argument<String> { message { $0.hasPrefix("@") } }

  /// `+` adds, `-` removes.
  static var addOrRemove: Argument<Bool> {
    Argument(
      "+|-",
      read: { (reader) throws(WireError) -> Bool in
        if reader.take("+") { return true }
        guard reader.take("-") else { throw reader.failure(.expected("+ or -")) }
        return false
      },
      write: { isAdded, writer in writer.append(literal: isAdded ? "+" : "-") })
  }

  /// An emoji of reactions, or the sign that stands for it.
  static var emoji: Argument<MREmojiChar> {
    let signs: [String: MREmojiChar] = [
      "1": .thumbsup, "+": .thumbsup, "-": .thumbsdown, ")": .smile, ",": .sad, "*": .heart, "^": .launch,
      "\u{2764}\u{FE0F}": .heart,
    ]
    return word("emoji").compactMap({ signs[$0] ?? MREmojiChar(rawValue: $0) }, { $0.rawValue })
  }

  /// An image as `data:` URI.
  static var imageData: Argument<String> {
    word("image") { $0.hasPrefix("data:image/png;base64,") || $0.hasPrefix("data:image/jpg;base64,") }
  }

  /// `yes` or `no`.
  static var yesNo: Argument<Bool> {
    word("yes|no").compactMap({ ["yes": true, "no": false][$0] }, { $0 ? "yes" : "no" })
  }

  /// How long messages are kept.
  static var period: Argument<MessagePeriod> { oneOf("period", MessagePeriod.allCases) }

  /// `all`, or `off` for nil.
  static var memberCriteria: Argument<MemberCriteria?> {
    word("all|off").compactMap({ ["all": .some(.all), "off": .some(nil)][$0] ?? nil }, { $0 == nil ? "off" : "all" })
  }

  /// How long until messages disappear: a number of seconds, or a word for it.
  static var disappearingTime: Argument<Int> {
    let words = [
      "30s": 30, "5min": 300, "1h": 3600, "8h": 8 * 3600, "day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400,
    ]
    let seconds: Argument<Int> = number("seconds")
    return word("time").compactMap({ words[$0] }, { String($0) }).or(seconds)
  }

  /// `on <time>`, or `off` for nil; `on` may be missing.
  static var groupTimedMessages: Argument<Int?> {
    disappearingTime.after("on ").or(disappearingTime).orWord("off")
  }

  /// `yes`, `yes <time>` or `no`; `yes` may be missing before a time.
  static var timedMessages: Argument<TimedMessagesSetting> {
    Argument(
      "yes[ <time>]|no",
      read: { (reader) throws(WireError) -> TimedMessagesSetting in
        if reader.take("no") { return .disable }
        if reader.take("yes"), !reader.take(" ") { return .enableAsBefore }
        return .enable(seconds: try disappearingTime.read(&reader))
      },
      write: { setting, writer in
        switch setting {
        case .enable(let seconds): writer.append("yes \(seconds)")
        case .enableAsBefore: writer.append(literal: "yes")
        case .disable: writer.append(literal: "no")
        }
      })
  }

  /// `off`, or `on`, how requests are accepted and what they are answered.
  static var addressSettings: Argument<AddressSettings> {
    let incognito = onOff.omitted(after: " incognito=", when: false)
    let reply = msgContent.optional()
    return Argument(
      "on|off[ business][ incognito=on|off][ text <reply>]",
      read: { (reader) throws(WireError) -> AddressSettings in
        guard try onOff.read(&reader) else { return AddressSettings(businessAddress: false) }
        let isBusiness = reader.take(" business")
        let isIncognito = isBusiness ? false : try incognito.read(&reader)
        return AddressSettings(
          businessAddress: isBusiness, autoAccept: AutoAccept(acceptIncognito: isIncognito),
          autoReply: try reply.read(&reader))
      },
      write: { settings, writer in
        guard let accept = settings.autoAccept else { return writer.append(literal: "off") }
        writer.append(literal: settings.businessAddress ? "on business" : "on")
        if !settings.businessAddress { incognito.write(accept.acceptIncognito, &writer) }
        reply.write(settings.autoReply, &writer)
      })
  }
}

// MARK: - Commands of bots

extension CommandCategory {
  /// `'<label>':'<command> <parameters>'` or `'<label>':{<commands>}`, with commas between them.
  static var botCommands: Argument<[ChatBotCommand]> {
    Argument(
      "'<label>':'<command>',…",
      read: { (reader) throws(WireError) -> [ChatBotCommand] in try readBotCommands(&reader, depth: 8) },
      write: { commands, writer in writeBotCommands(commands, &writer) })
  }

  private static func readBotCommands(_ reader: inout Reader, depth: Int) throws(WireError) -> [ChatBotCommand] {
    guard depth > 0 else { throw reader.failure(.tooDeep) }
    var commands: [ChatBotCommand] = []
    repeat {
      let label = try quotedOrPlain(&reader, until: ":")
      guard reader.take(":") else { throw reader.failure(.expected("\":\"")) }
      if reader.take("{") {
        commands.append(.menu(label: label, commands: try readBotCommands(&reader, depth: depth - 1)))
        guard reader.take("}") else { throw reader.failure(.expected("\"}\"")) }
      } else {
        _ = reader.take("/")
        let words = try quotedOrPlain(&reader, until: ":,}").split(separator: " ")
        guard let keyword = words.first else { throw reader.failure(.expected("<command>")) }
        let params = words.count > 1 ? words.dropFirst().joined(separator: " ") : nil
        commands.append(.command(keyword: String(keyword), label: label, params: params))
      }
    } while reader.take(",")
    return commands
  }

  /// A text in apostrophes, or one without any apostrophe.
  private static func quotedOrPlain(_ reader: inout Reader, until ends: StaticString) throws(WireError) -> String {
    let start = reader.offset
    let isQuoted = reader.take("'")
    let stops = ASCIISet(isQuoted ? "'" : ends)
    let text = String(validating: reader.span { !stops.contains($0) })
    guard let text, !text.isEmpty, isQuoted ? reader.take("'") : !text.contains("'") else {
      throw WireError(.expected("a label or command"), offset: start)
    }
    return text
  }

  private static func writeBotCommands(_ commands: [ChatBotCommand], _ writer: inout Writer) {
    for (index, command) in commands.enumerated() {
      if index > 0 { writer.append(literal: ",") }
      switch command {
      case .command(let keyword, let label, let params):
        writer.append("'\(label)':'\(keyword)\(params.map { " " + $0 } ?? "")'")
      case .menu(let label, let commands):
        writer.append("'\(label)':{")
        writeBotCommands(commands, &writer)
        writer.append(literal: "}")
      }
    }
  }
}
