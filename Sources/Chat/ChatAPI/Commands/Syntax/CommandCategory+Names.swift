import SimplexJSON
import WireCodec

// Arguments of the commands that users type: names instead of numbers.

extension CommandCategory {
  /// A display name: up to a space or comma, or in apostrophes.
  static func name(_ name: String) -> Argument<String> {
    Argument(
      "<\(name)>",
      read: { (reader) throws(WireError) -> String in
        let start = reader.offset
        let isQuoted = reader.take("'")
        guard let first = reader.peek, first > UInt8(ascii: " "), !nameSigns.contains(first) else {
          throw WireError(.expected("<\(name)>"), offset: start)
        }
        let bytes = reader.span { isQuoted ? $0 != UInt8(ascii: "'") : !nameEnds.contains($0) }
        guard bytes.byteCount > 0, let text = String(validating: bytes), !isQuoted || reader.take("'") else {
          throw WireError(.expected("<\(name)>"), offset: start)
        }
        return text
      },
      write: { text, writer in
        let needsQuotes = text.utf8.contains(where: nameEnds.contains)
        writer.append(needsQuotes ? "'\(text)'" : text)
      })
  }

  private static var nameSigns: ASCIISet { ASCIISet("#@'") }
  private static var nameEnds: ASCIISet { ASCIISet(" \t\n\r,\u{0B}\u{0C}") }

  /// A contact: a name, `@` before it may be missing.
  static var contactName: Argument<String> { signed("@", name("contact")) }

  /// A member of a group: a name, `@` before it may be missing.
  static var memberName: Argument<String> { signed("@", name("member")) }

  /// A group: a name, `#` before it may be missing.
  static var groupName: Argument<String> { signed("#", name("group")) }

  private static func signed(_ sign: StaticString, _ name: Argument<String>) -> Argument<String> {
    Argument(
      "\(sign)\(name.usage)",
      read: { (reader) throws(WireError) -> String in
        _ = reader.take(sign)
        return try name.read(&reader)
      },
      write: { text, writer in
        writer.append(literal: sign)
        name.write(text, &writer)
      })
  }

  /// A chat: the sign of its type and its name; the notes are `*` alone.
  static var chatName: Argument<ChatName> {
    Argument(
      "@<contact>|#<group>|*",
      read: { (reader) throws(WireError) -> ChatName in
        let type = try chatType.read(&reader)
        return ChatName(chatType: type, chatName: type == .local ? "" : try name("name").read(&reader))
      },
      write: { chat, writer in
        chatType.write(chat.chatType, &writer)
        if chat.chatType != .local { name("name").write(chat.chatName, &writer) }
      })
  }

  /// A chat as ``chatName``, or the name of a contact without a sign.
  static var chatOrContactName: Argument<ChatName> {
    chatName.or(name("contact").map({ ChatName(chatType: .direct, chatName: $0) }, { $0.chatName }))
  }

  /// The recipient of a message.
  static var recipient: Argument<MessageRecipient> {
    Argument(
      "@<contact>|#<group>[(support[:<member>])]|/*",
      read: { (reader) throws(WireError) -> MessageRecipient in
        if reader.take("/*") { return .notes }
        if reader.take("@") { return .contact(name: try name("contact").read(&reader)) }
        guard reader.take("#") else { throw reader.failure(.expected("@, # or /*")) }
        return try group(&reader)
      },
      write: { recipient, writer in
        switch recipient {
        case .notes: writer.append(literal: "/*")
        case .contact(let contact): contactName.write(contact, &writer)
        case .group(let group): groupName.write(group, &writer)
        case .support(let group, let member):
          groupName.write(group, &writer)
          writer.append(literal: " (support")
          if let member {
            writer.append(literal: ":")
            name("member").write(member, &writer)
          }
          writer.append(literal: ")")
        }
      })
  }

  private static func group(_ reader: inout Reader) throws(WireError) -> MessageRecipient {
    let group = try name("group").read(&reader)
    var ahead = reader
    _ = ahead.span { $0 == UInt8(ascii: " ") }
    guard ahead.take("(support") else { return .group(name: group) }
    var member: String?
    if ahead.take(":") {
      _ = ahead.span { $0 == UInt8(ascii: " ") }
      member = try supportMember(&ahead)
    }
    guard ahead.take(")") else { throw ahead.failure(.expected("\")\"")) }
    reader = ahead
    return .support(group: group, member: member)
  }

  /// A name up to the parenthesis that closes the scope.
  private static func supportMember(_ reader: inout Reader) throws(WireError) -> String {
    if reader.peek == UInt8(ascii: "'") { return try name("member").read(&reader) }
    let start = reader.offset
    let bytes = reader.span { $0 != UInt8(ascii: ")") && $0 != UInt8(ascii: " ") }
    guard let member = String(validating: bytes), !member.isEmpty else {
      throw WireError(.expected("<member>"), offset: start)
    }
    return member
  }

  /// The text of a message up to the end, as it is or as a JSON string.
  ///
  /// Text is written as JSON where it would be read otherwise: with white space at its end, with a quotation mark at
  /// its beginning, or where `isAmbiguous` says so.
  static func message(_ isAmbiguous: @escaping @Sendable (String) -> Bool = { _ in false }) -> Argument<String> {
    Argument(
      "<message>",
      read: { (reader) throws(WireError) -> String in
        let start = reader.offset
        guard let raw = String(validating: reader.restSpan()) else {
          throw WireError(.expected("UTF-8 text"), offset: start)
        }
        if startsWithQuote(raw), let text = try? String(jsonText: raw) { return text }
        guard !isAmbiguous(raw) else { throw WireError(.expected("<message>"), offset: start) }
        return raw
      },
      write: { text, writer in
        let isPlain =
          !text.isEmpty && !startsWithQuote(text) && text.unicodeScalars.last?.isSpace != true && !isAmbiguous(text)
        writer.append(isPlain ? text : text.jsonText())
      })
  }

  private static func startsWithQuote(_ text: String) -> Bool {
    text.unicodeScalars.first { !$0.isSpace } == "\""
  }

  /// A message that does not look like one forwarded from another chat.
  static var newMessage: Argument<String> {
    message { text in ["<- @", "<- #", "<- *"].contains { text.hasPrefix($0) } }
  }

  /// `(<text>) `: the message that is meant, by its beginning.
  static var quotedText: Argument<String> {
    Argument(
      "(<quoted text>) ",
      read: { (reader) throws(WireError) -> String in
        guard reader.take("(") else { throw reader.failure(.expected("(<quoted text>)")) }
        let start = reader.offset
        let quoted = String(validating: reader.span { $0 != UInt8(ascii: ")") })
        guard let quoted, reader.take(")") else { throw WireError(.expected("(<quoted text>)"), offset: start) }
        _ = reader.take(" ")
        return quoted
      },
      write: { text, writer in writer.append("(\(text)) ") })
  }

  /// A name, and after a space a description of the profile.
  static var nameAndDescription: Argument<NewProfile> {
    let name = name("name")
    return Argument(
      "<name>[ <description>]",
      read: { (reader) throws(WireError) -> NewProfile in
        let displayName = try name.read(&reader)
        let hasSpace = reader.take(" ")
        let rest = reader.remaining
        let description = try text("description").read(&reader)
        guard hasSpace || rest == 0 else { throw reader.failure(.expected("a space")) }
        let trimmed = description.drop { $0.isWhitespace }
        return NewProfile(displayName: displayName, shortDescr: trimmed.isEmpty ? nil : String(trimmed.prefix(160)))
      },
      write: { profile, writer in
        name.write(profile.displayName, &writer)
        if let description = profile.shortDescr { writer.append(" \(description)") }
      })
  }

  /// ` incognito` or ` i`.
  static var incognito: Argument<Bool> {
    Argument(
      "[ incognito]",
      read: { (reader) throws(WireError) -> Bool in
        var ahead = reader
        guard ahead.take(" incognito") || ahead.take(" i"), ahead.isAtEnd || ahead.peek == UInt8(ascii: " ") else {
          return false
        }
        reader = ahead
        return true
      },
      write: { isIncognito, writer in
        if isIncognito { writer.append(literal: " incognito") }
      })
  }

  /// A password: a JSON string, or a word.
  static var typedPassword: Argument<String> { password.or(word("password").secret()) }
}
