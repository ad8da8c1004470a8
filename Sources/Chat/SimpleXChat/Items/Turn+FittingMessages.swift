import ChatAPI
import ChatLogic
import ChatProtocol

// Quotes, names of files and mentions are shortened or left out where a message is too long with them.

extension Turn {
  /// The message as it is sent over these connections. One whose content is too long for some of them is sent over the
  /// others; one that is too long for all is returned as it is.
  func fitted(_ message: MsgContainer, for connections: [Connection]) -> MsgContainer {
    // A content alone is not measured here: nothing of it is shortened.
    guard message.hasAdditions else { return message }
    return message.fitted { fits(.msgNew($0), connections) } ?? message.fitted { fits(.msgNew($0)) } ?? message
  }

  /// An edit as it is sent: without its mentions where it is too long with them.
  func fitted(_ update: MsgUpdate, for connections: [Connection]) -> MsgUpdate {
    guard !update.mentions.isEmpty, !fits(.msgUpdate(update), connections) else { return update }
    var plain = update
    plain.mentions = [:]
    return plain
  }

  /// Whether an event fits into one message of each connection: those with a post-quantum ratchet have less room, and
  /// long messages are compressed there.
  private func fits(_ event: ChatMessageEvent, _ connections: [Connection]) -> Bool {
    let message = ChatMessage(chatVRange: environment.options.chatVersions, msgId: .random(), event: event)
    let body = message.jsonBytes()
    if body.count <= ChatMessageSize.compressedMessage { return true }
    guard fits(event) else { return false }
    guard connections.contains(where: { $0.pqSupport && $0.connChatVersion >= Int(ChatVersion.compression) }) else {
      return true
    }
    let prepared = try? MessageBody.prepared(body, isPostQuantum: true, version: ChatVersion.compression)
    // Its own identifier may be compressed less than this one.
    return prepared.map { $0.count <= ChatMessageSize.compressedMessage - 64 } ?? false
  }

  /// The messages in which contents are sent: where a text and the announcement of its file do not fit into one, the
  /// text goes first.
  func split(
    _ contents: [OutgoingContent], ttl: Int?, live: Bool, scope: MsgScope? = nil, for connections: [Connection]
  ) throws -> [OutgoingContent] {
    try contents.flatMap { content -> [OutgoingContent] in
      guard let source = content.file, !live, !content.content.text.isEmpty else { return [content] }
      let message = MsgContainer(
        content: content.content, file: try invitation(to: source), ttl: ttl, scope: scope)
      guard message.fitted({ fits(.msgNew($0), connections) }) == nil else { return [content] }
      var text = content
      text.content = .text(content.content.text)
      text.file = nil
      return [
        text,
        OutgoingContent(content: content.content.with(text: ""), forwardedFrom: content.forwardedFrom, file: source),
      ]
    }
  }
}
