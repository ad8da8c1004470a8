import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexJSON

// Elements of messages that this version does not understand. Only the element is kept: what came with it may be
// deleted, or disappear.

/// The origin of an element that this version does not understand.
struct KeptOrigin {
  /// The chat of the element; of a group the main one.
  var chat: ChatRef
  /// The connection by which it came, a database id.
  var connectionId: Int64
  var user: User
  /// The seconds after which messages of the chat disappear, by those that a message names; nil for never.
  var lifetime: (_ ttl: Int?) -> Int?

  /// The origin of elements from a contact.
  init(_ contact: Contact, connectionId: Int64, of user: User, at now: Date) {
    (chat, self.connectionId, self.user) = (contact.chat, connectionId, user)
    lifetime = { (contact.timedForReceived(ttl: $0) ?? contact.timedForSent(ttl: nil, live: true, now: now))?.ttl }
  }

  /// The origin of elements from a member of a group.
  init(_ group: GroupChat, connectionId: Int64, at now: Date) {
    (chat, self.connectionId, user) = (group.mainChat, connectionId, group.user)
    let info = group.group
    lifetime = { (info.timedForReceived(ttl: $0) ?? info.timedForSent(ttl: nil, live: true, now: now))?.ttl }
  }
}

extension Turn {
  /// Keeps an event that this version has no use for, encoded again without the rest of its message.
  func keep(
    _ event: ChatMessageEvent, _ message: ReceivedMessage, versions: ChatAPI.VersionRange, from origin: KeptOrigin
  ) throws {
    let element = ChatMessage(
      chatVRange: ChatVersionRange(versions), msgId: message.sharedMsgId.flatMap { SharedMsgId(text: $0) },
      event: event)
    let kept = KeptMessage(
      tag: event.tag, sharedMsgId: message.sharedMsgId, time: message.time, body: element.jsonBytes())
    try keep(kept, from: origin)
  }

  /// Keeps the first element of a message that cannot be read, which an item shows.
  /// - Parameter body: the message.
  func keepUnreadable(_ body: [UInt8], at time: Date, shownBy item: AChatItem, from origin: KeptOrigin) throws {
    guard let element = MessageBody.firstUnreadable(in: body) else { return }
    try keep(KeptMessage(tag: "", time: time, body: element, item: item.chatItem.meta.itemId), from: origin)
  }

  private func keep(_ message: KeptMessage, from origin: KeptOrigin) throws {
    let size = message.body.count + message.tag.utf8.count
    guard try isWithinBudget(.keptMessages, bytes: size, of: origin.user) else { return }
    // The element may be a message that disappears, although it cannot be read as one.
    let ttl = (try? JSONValue(jsonBytes: message.body))?["params"]?["ttl"]?.integerValue.map { Int(clamping: $0) }
    var kept = message
    kept.ttl = origin.lifetime(ttl)
    try rows.keep(kept, in: origin.chat, connectionId: origin.connectionId, of: origin.user)
  }
}
