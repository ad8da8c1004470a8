import FoundationTypes

// Types that exist only in the text of commands and have no JSON form.

/// Delivery receipts of a user for contacts or groups.
public struct UserMsgReceiptSettings: Hashable, Sendable {
  /// Whether receipts are sent.
  public var enable: Bool
  /// Whether the settings of single contacts or groups are forgotten.
  public var clearOverrides: Bool

  public init(enable: Bool, clearOverrides: Bool) {
    self.enable = enable
    self.clearOverrides = clearOverrides
  }
}

/// Which items of a chat to get.
public enum ChatPagination: Hashable, Sendable {
  /// The last ones.
  case last(count: Int)
  /// Those after an item.
  case after(chatItemId: Int64, count: Int)
  /// Those before an item.
  case before(chatItemId: Int64, count: Int)
  /// Those on both sides of an item.
  case around(chatItemId: Int64, count: Int)
  /// Those around the first unread item, or the last ones.
  case initial(count: Int)
}

/// Which chats to get, by the time of their last change.
public enum PaginationByTime: Hashable, Sendable {
  /// The last ones.
  case last(count: Int)
  /// Those changed after the time.
  case after(time: Date, count: Int)
  /// Those changed before the time.
  case before(time: Date, count: Int)
}

/// How a chat is deleted.
public enum ChatDeleteMode: Hashable, Sendable {
  /// With all its items.
  case full(notify: Bool)
  /// The contact goes, the items stay.
  case entity(notify: Bool)
  /// The items go, the contact stays.
  case messages
}

/// The state of a call's connection.
public enum WebRTCCallStatus: String, CaseIterable, Hashable, Sendable {
  case connecting, connected, disconnected, failed
}

/// A message to get after a push notification.
public struct ConnMsgReq: Hashable, Sendable {
  /// The agent's identifier of the connection, base64url.
  public var msgConnId: String
  /// The identifier of the queue in the agent's database.
  public var msgDbQueueId: Int64
  /// When the notification server got the message.
  public var msgTs: Date

  public init(msgConnId: String, msgDbQueueId: Int64, msgTs: Date) {
    self.msgConnId = msgConnId
    self.msgDbQueueId = msgDbQueueId
    self.msgTs = msgTs
  }
}

/// The owner of a group to whom a join request goes.
public struct GroupOwnerContact: Hashable, Sendable {
  /// Database id of the contact.
  public var contactId: Int64
  /// The owner's id in the group, base64url.
  public var memberId: String

  public init(contactId: Int64, memberId: String) {
    self.contactId = contactId
    self.memberId = memberId
  }
}
