import SimplexJSON
import WireCodec

// Arguments that name chats, members, messages and their content.

extension CommandCategory {
  /// The sign of a chat's type: `@`, `#`, `*` or `:`.
  static var chatType: Argument<ChatType> { chatType([.direct, .group, .local, .contactConnection]) }

  /// The sign of a chat that messages can be sent to.
  static var sendType: Argument<ChatType> { chatType([.direct, .group]) }

  private static func chatType(_ types: [ChatType]) -> Argument<ChatType> {
    let signs = types.map(\.rawValue).joined(separator: "|")
    return Argument(
      "<\(signs)>",
      read: { (reader) throws(WireError) -> ChatType in
        let start = reader.offset
        let sign = try reader.byte()
        guard let type = types.first(where: { $0.rawValue.utf8.first == sign }) else {
          throw WireError(.expected(signs), offset: start)
        }
        return type
      },
      write: { type, writer in writer.append(type.rawValue) })
  }
}

extension CommandCategory {
  /// `(_support)` or `(_support:<member>)`, the chat with the moderators; otherwise nothing.
  static var scope: Argument<GroupChatScope?> {
    Argument(
      "[(_support[:<groupMemberId>])]",
      read: { (reader) throws(WireError) -> GroupChatScope? in
        guard reader.take("(_support") else { return nil }
        let member = reader.take(":") ? try Codec<Int64>.decimal.decode(&reader) : nil
        guard reader.take(")") else { throw reader.failure(.expected("\")\"")) }
        return .memberSupport(groupMemberId_: member)
      },
      write: { scope, writer in
        guard case .memberSupport(let member) = scope else { return }
        writer.append(literal: "(_support")
        if let member { writer.append(":\(member)") }
        writer.append(literal: ")")
      })
  }
}

extension CommandCategory {
  /// `(as_group=on)` after a group that a message is sent to in the group's name.
  static var asGroup: Argument<Bool> {
    Argument(
      "[(as_group=on|off)]",
      read: { (reader) throws(WireError) -> Bool in
        guard reader.take("(as_group=") else { return false }
        let isOn = try onOff.read(&reader)
        guard reader.take(")") else { throw reader.failure(.expected("\")\"")) }
        return isOn
      },
      write: { isOn, writer in
        if isOn { writer.append(literal: "(as_group=on)") }
      })
  }
}

extension CommandCategory {
  /// The sign of a chat's type and its number.
  static var chatId: Argument<ChatId> {
    Argument(
      "<chat>",
      read: { (reader) throws(WireError) -> ChatId in
        let type = try chatType.read(&reader)
        return "\(type.rawValue)\(try id("chatId").read(&reader))"
      },
      write: { id, writer in writer.append(id) })
  }
}

extension CommandCategory {
  /// The number of a contact in a call.
  static var contact: Argument<ChatCommand.ContactID> { id("contactId").map({ .init($0) }, { $0.contactId }) }
}

extension CommandCategory {
  /// A role that a user can give.
  static var role: Argument<GroupMemberRole> {
    word("role").compactMap({ GroupMemberRole(known: $0) }, { $0.rawValue })
      .described(GroupMemberRole.allCases.reversed().map(\.rawValue).joined(separator: "|"))
  }
}

extension GroupMemberRole {
  fileprivate init?(known name: String) {
    self.init(rawValue: name)
    if case .unknown = self { return nil }
  }
}

extension CommandCategory {
  /// `text <text>` or `json <MsgContent>`. Written as JSON.
  static var msgContent: Argument<MsgContent> {
    content("MsgContent", text: MsgContent.text)
  }
}

extension CommandCategory {
  /// `json <[ComposedMessage]>`, at least one, or `text <text>`.
  static var composedMessages: Argument<[ComposedMessage]> {
    content("[ComposedMessage]", text: { [ComposedMessage(msgContent: .text($0))] })
      .compactMap({ $0.isEmpty ? nil : $0 }, { $0 })
      .secret { messages in messages.contains { $0.fileSource?.cryptoArgs != nil } }
  }
}

extension CommandCategory {
  /// `json <UpdatedMessage>` or `text <text>`.
  static var updatedMessage: Argument<UpdatedMessage> {
    content("UpdatedMessage", text: { UpdatedMessage(msgContent: .text($0)) })
  }
}

extension CommandCategory {
  private static func content<Value: JSONCodable & SendableMetatype>(
    _ name: String, text: @escaping @Sendable (String) -> Value
  ) -> Argument<Value> {
    let json: Argument<Value> = json(name)
    let plain = self.text("text")
    return Argument(
      "json <json \(name)>",
      read: { (reader) throws(WireError) -> Value in
        if reader.take("json") { return try json.read(&reader) }
        guard reader.take("text ") else { throw reader.failure(.expected("json or text")) }
        return text(try plain.read(&reader))
      },
      write: { value, writer in
        writer.append(literal: "json ")
        json.write(value, &writer)
      })
  }
}

extension CommandCategory {
  /// A reaction of a kind that this version knows.
  static var reaction: Argument<MsgReaction> {
    json("MsgReaction").compactMap({ if case .unknown = $0 { nil } else { $0 } }, { $0 })
  }
}

extension CommandCategory {
  /// How messages are deleted.
  static var deleteMode: Argument<CIDeleteMode> { oneOf("mode", CIDeleteMode.allCases) }
}

extension CommandCategory {
  /// A kind of content.
  static var contentTag: Argument<MsgContentTag> { word("tag").map({ MsgContentTag(rawValue: $0) }, { $0.rawValue }) }
}

extension CommandCategory {
  /// Why a message is reported.
  static var reportReason: Argument<ReportReason> {
    word("reason").map({ ReportReason(rawValue: $0) }, { $0.rawValue })
  }
}
