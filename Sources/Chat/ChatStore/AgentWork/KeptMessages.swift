import ChatAPI
import FoundationTypes

/// An element of a message that this version does not understand. It is kept for a later version.
public struct KeptMessage: Sendable {
  /// The event of the chat protocol, such as `x.grp.inv`; empty for an element that cannot be read.
  public var tag: String
  /// The identifier that both sides use, base64url.
  public var sharedMsgId: String?
  /// The time at which the relay received the element.
  public var time: Date
  /// The encoded form of the element alone.
  public var body: [UInt8]
  /// The seconds until the element disappears; nil where it does not.
  public var ttl: Int?
  /// The item that shows the element, a database id.
  public var item: Int64?

  /// An element that does not disappear.
  public init(tag: String, sharedMsgId: String? = nil, time: Date, body: [UInt8], item: Int64? = nil) {
    self.tag = tag
    self.sharedMsgId = sharedMsgId
    self.time = time
    self.body = body
    self.item = item
  }
}

/// Elements of messages that this version does not understand. Each is kept no longer than an item in its place would
/// be: it goes with its item, when its chat is cleared or deleted, when its sender deletes it, and with time.
extension ChatTransaction {
  /// Keeps an element.
  /// - Parameter chat: its chat, of a group the main one.
  public func keep(
    _ message: KeptMessage, in chat: ChatRef, connectionId: Int64, of user: User
  ) throws(StoreError) {
    let deleteAt = message.ttl.map { Date(microseconds: now.addingTimeInterval(Double($0)).microseconds) }
    if let deleteAt { note(timer: deleteAt) }
    try insert(
      """
      INSERT INTO kept_messages (connection_id, chat_id, item_id, delete_at, tag, shared_id, message_ts, body) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, connectionId, try chatID(chat, of: user), message.item, deleteAt?.microseconds, message.tag,
      message.sharedMsgId, message.time.microseconds, message.body)
  }

  /// Removes elements with this identifier, because the message is deleted.
  public func deleteKept(sharedMsgId: String, in chat: ChatRef, of user: User) throws(StoreError) {
    try execute(
      "DELETE FROM kept_messages WHERE chat_id = ? AND shared_id = ?", try chatID(chat, of: user), sharedMsgId)
  }

  /// Removes the elements from a member of a group, a database id, who is removed with its messages.
  public func deleteKept(ofMember member: Int64) throws(StoreError) {
    try execute(
      "DELETE FROM kept_messages WHERE connection_id IN (SELECT connection_id FROM connections WHERE member_id = ?)",
      member)
  }

  /// Removes elements whose time has come; returns how many.
  public func deleteDueKept() throws(StoreError) -> Int {
    try execute("DELETE FROM kept_messages WHERE delete_at <= ?", nowMicroseconds)
  }
}
