import ChatAPI

/// What the app around the state has to do because of an event.
public enum StateEffect: Hashable, Sendable {
  /// Tell the user of a message.
  case notifyMessage(userId: Int64, ChatInfo, ChatItem)
  /// Tell the user of a request to connect.
  case notifyContactRequest(userId: Int64, UserContactRequest)
  /// Tell the user of a contact who is connected.
  case notifyContactConnected(userId: Int64, Contact)
  /// A file can be received without asking, if the user wants that.
  case receiveFile(userId: Int64, fileId: Int64)
  /// A file of an item is not needed any more.
  case cleanupFile(AChatItem)
  /// Delivery of an item is settled: who waits for it can stop.
  case delivered(itemId: Int64)
  /// Sound of an item must stop.
  case stopVoice(ChatId, itemId: Int64)
  /// Open a chat in the place of the one that became it.
  case openChat(ChatId)
  /// Load the users anew.
  case reloadUsers
  /// Somebody calls.
  case callInvited(RcvCallInvitation)
  /// A call was ended by the other side.
  case callRemoteEnded(ChatId)
  /// The core is suspended.
  case chatSuspended
  /// The desktop is gone: load the data of this device.
  case switchToLocalSession
  /// The session with the desktop ended with a reason to be shown.
  case remoteCtrlStopped(RemoteCtrlStopReason)
  /// For the log: nothing follows from this event.
  case ignored(responseType: String)
}
