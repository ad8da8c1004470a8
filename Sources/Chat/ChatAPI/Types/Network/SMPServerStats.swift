import SimplexJSON

/// Counts of work with a messaging server.
public struct AgentSMPServerStatsData: JSONCodable, Hashable, Sendable {
  /// Messages sent directly.
  public var _sentDirect: Int
  /// Messages sent through another relay.
  public var _sentViaProxy: Int
  /// Messages forwarded for others.
  public var _sentProxied: Int
  /// Attempts to send directly.
  public var _sentDirectAttempts: Int
  /// Attempts to send through another relay.
  public var _sentViaProxyAttempts: Int
  /// Attempts to forward messages for others.
  public var _sentProxiedAttempts: Int
  /// Sending refused for authorization.
  public var _sentAuthErrs: Int
  /// Sending refused because the queue was full.
  public var _sentQuotaErrs: Int
  /// Messages that expired unsent.
  public var _sentExpiredErrs: Int
  /// Other errors of sending.
  public var _sentOtherErrs: Int
  /// Received messages.
  public var _recvMsgs: Int
  /// Messages received again.
  public var _recvDuplicates: Int
  /// Received messages that could not be decrypted.
  public var _recvCryptoErrs: Int
  /// Other errors of receiving.
  public var _recvErrs: Int
  /// Acknowledged messages.
  public var _ackMsgs: Int
  /// Attempts to acknowledge.
  public var _ackAttempts: Int
  /// Acknowledgements of messages no longer there.
  public var _ackNoMsgErrs: Int
  /// Other errors of acknowledging.
  public var _ackOtherErrs: Int
  /// Created connections.
  public var _connCreated: Int
  /// Secured connections.
  public var _connSecured: Int
  /// Completed connections.
  public var _connCompleted: Int
  /// Deleted connections.
  public var _connDeleted: Int
  /// Attempts to delete connections.
  public var _connDelAttempts: Int
  /// Errors of deleting connections.
  public var _connDelErrs: Int
  /// Subscribed connections.
  public var _connSubscribed: Int
  /// Attempts to subscribe.
  public var _connSubAttempts: Int
  /// Ignored errors of subscribing.
  public var _connSubIgnored: Int
  /// Errors of subscribing.
  public var _connSubErrs: Int
  /// Queues with notifications set up.
  public var _ntfKey: Int
  /// Attempts to set up notifications.
  public var _ntfKeyAttempts: Int
  /// Queues with notifications removed.
  public var _ntfKeyDeleted: Int
  /// Attempts to remove notifications.
  public var _ntfKeyDeleteAttempts: Int
}
