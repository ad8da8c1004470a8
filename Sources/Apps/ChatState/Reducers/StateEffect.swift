import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the app around the state has to do because of an event. Users who are muted or hidden and not active, and muted
/// chats, cause no notification.
public enum StateEffect: Hashable, Sendable {
  /// Tell the user of a message.
  case notifyMessage(userId: Int64, ChatInfo, ChatItem)
  /// Tell the user of a request to connect.
  case notifyContactRequest(userId: Int64, UserContactRequest)
  /// Tell the user of a contact who is connected.
  case notifyContactConnected(userId: Int64, Contact)
  /// A file is one that apps receive without asking, if the user wants that: ``ChatModel/receiveFiles(by:)`` does it.
  case receiveFile(userId: Int64, fileId: Int64)
  /// The copy of a file that was made for an item is not needed any more: it was sent, or the item is gone. The core
  /// removes what it received itself.
  case cleanupFile(AChatItem)
  /// The delivery of an item is final; waiting for it can stop.
  case delivered(itemId: Int64)
  /// Sound of an item must stop.
  case stopVoice(ChatId, itemId: Int64)
  /// Open a chat in the place of the one that became it.
  case openChat(ChatId)
  /// Reload the users.
  case reloadUsers
  /// Somebody calls: ring. At most once in three seconds for each contact; a call that is repeated meanwhile only
  /// changes what is shown.
  case callInvited(RcvCallInvitation)
  /// A call was not answered in time, or ended before: tell the user.
  case callMissed(RcvCallInvitation)
  /// A contact goes on with a call that this app does not have: end it. ``ChatModel`` does.
  case endCall(Contact)
  /// A call was ended by the other side.
  case callRemoteEnded(ChatId)
  /// The core is suspended.
  case chatSuspended
  /// The desktop, or the mobile device whose profile was shown, is gone: load the data of this device.
  case switchToLocalSession
  /// The session with the desktop ended with a reason to be shown.
  case remoteCtrlStopped(RemoteCtrlStopReason)
  /// The profile of this mobile device is shown now: load its data, by commands with its database id.
  case switchToRemoteHost(Int64)
  /// The session with a mobile device, or a new one, ended with a reason to be shown. Where it was lost, it is looked
  /// for.
  case remoteHostStopped(RemoteHostInfo?, RemoteHostStopReason)
  /// An error that no command caused, such as a database or relay that cannot be used; or a page of items that could
  /// not be loaded.
  case failed(ChatError)
  /// An event that could not be read: its type and the beginning of its text. A newer core may send such events.
  case unreadableEvent(type: String, json: Data)
  /// An event that changes nothing that is shown; the app may use it or log it.
  case ignored(ChatEvent)
}
