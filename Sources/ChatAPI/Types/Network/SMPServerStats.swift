import SimplexJSON

/// Counts of work with a messaging server.
public struct AgentSMPServerStatsData: JSONCodable, Hashable, Sendable {
  /// Messages sent directly.
  public var _sentDirect: Int
  /// Messages sent through another relay.
  public var _sentViaProxy: Int
  /// Messages sent for others.
  public var _sentProxied: Int
  /// Attempts to send directly.
  public var _sentDirectAttempts: Int
  /// Attempts to send through another relay.
  public var _sentViaProxyAttempts: Int
  /// Attempts to send for others.
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

  /// A value of its members.
  public init(
    _sentDirect: Int, _sentViaProxy: Int, _sentProxied: Int, _sentDirectAttempts: Int, _sentViaProxyAttempts: Int,
    _sentProxiedAttempts: Int, _sentAuthErrs: Int, _sentQuotaErrs: Int, _sentExpiredErrs: Int, _sentOtherErrs: Int,
    _recvMsgs: Int, _recvDuplicates: Int, _recvCryptoErrs: Int, _recvErrs: Int, _ackMsgs: Int, _ackAttempts: Int,
    _ackNoMsgErrs: Int, _ackOtherErrs: Int, _connCreated: Int, _connSecured: Int, _connCompleted: Int,
    _connDeleted: Int, _connDelAttempts: Int, _connDelErrs: Int, _connSubscribed: Int, _connSubAttempts: Int,
    _connSubIgnored: Int, _connSubErrs: Int, _ntfKey: Int, _ntfKeyAttempts: Int, _ntfKeyDeleted: Int,
    _ntfKeyDeleteAttempts: Int
  ) {
    self._sentDirect = _sentDirect
    self._sentViaProxy = _sentViaProxy
    self._sentProxied = _sentProxied
    self._sentDirectAttempts = _sentDirectAttempts
    self._sentViaProxyAttempts = _sentViaProxyAttempts
    self._sentProxiedAttempts = _sentProxiedAttempts
    self._sentAuthErrs = _sentAuthErrs
    self._sentQuotaErrs = _sentQuotaErrs
    self._sentExpiredErrs = _sentExpiredErrs
    self._sentOtherErrs = _sentOtherErrs
    self._recvMsgs = _recvMsgs
    self._recvDuplicates = _recvDuplicates
    self._recvCryptoErrs = _recvCryptoErrs
    self._recvErrs = _recvErrs
    self._ackMsgs = _ackMsgs
    self._ackAttempts = _ackAttempts
    self._ackNoMsgErrs = _ackNoMsgErrs
    self._ackOtherErrs = _ackOtherErrs
    self._connCreated = _connCreated
    self._connSecured = _connSecured
    self._connCompleted = _connCompleted
    self._connDeleted = _connDeleted
    self._connDelAttempts = _connDelAttempts
    self._connDelErrs = _connDelErrs
    self._connSubscribed = _connSubscribed
    self._connSubAttempts = _connSubAttempts
    self._connSubIgnored = _connSubIgnored
    self._connSubErrs = _connSubErrs
    self._ntfKey = _ntfKey
    self._ntfKeyAttempts = _ntfKeyAttempts
    self._ntfKeyDeleted = _ntfKeyDeleted
    self._ntfKeyDeleteAttempts = _ntfKeyDeleteAttempts
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    _sentDirect = try fields.get("_sentDirect")
    _sentViaProxy = try fields.get("_sentViaProxy")
    _sentProxied = try fields.get("_sentProxied")
    _sentDirectAttempts = try fields.get("_sentDirectAttempts")
    _sentViaProxyAttempts = try fields.get("_sentViaProxyAttempts")
    _sentProxiedAttempts = try fields.get("_sentProxiedAttempts")
    _sentAuthErrs = try fields.get("_sentAuthErrs")
    _sentQuotaErrs = try fields.get("_sentQuotaErrs")
    _sentExpiredErrs = try fields.get("_sentExpiredErrs")
    _sentOtherErrs = try fields.get("_sentOtherErrs")
    _recvMsgs = try fields.get("_recvMsgs")
    _recvDuplicates = try fields.get("_recvDuplicates")
    _recvCryptoErrs = try fields.get("_recvCryptoErrs")
    _recvErrs = try fields.get("_recvErrs")
    _ackMsgs = try fields.get("_ackMsgs")
    _ackAttempts = try fields.get("_ackAttempts")
    _ackNoMsgErrs = try fields.get("_ackNoMsgErrs")
    _ackOtherErrs = try fields.get("_ackOtherErrs")
    _connCreated = try fields.get("_connCreated")
    _connSecured = try fields.get("_connSecured")
    _connCompleted = try fields.get("_connCompleted")
    _connDeleted = try fields.get("_connDeleted")
    _connDelAttempts = try fields.get("_connDelAttempts")
    _connDelErrs = try fields.get("_connDelErrs")
    _connSubscribed = try fields.get("_connSubscribed")
    _connSubAttempts = try fields.get("_connSubAttempts")
    _connSubIgnored = try fields.get("_connSubIgnored")
    _connSubErrs = try fields.get("_connSubErrs")
    _ntfKey = try fields.get("_ntfKey")
    _ntfKeyAttempts = try fields.get("_ntfKeyAttempts")
    _ntfKeyDeleted = try fields.get("_ntfKeyDeleted")
    _ntfKeyDeleteAttempts = try fields.get("_ntfKeyDeleteAttempts")
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("_sentDirect", _sentDirect)
    json.field("_sentViaProxy", _sentViaProxy)
    json.field("_sentProxied", _sentProxied)
    json.field("_sentDirectAttempts", _sentDirectAttempts)
    json.field("_sentViaProxyAttempts", _sentViaProxyAttempts)
    json.field("_sentProxiedAttempts", _sentProxiedAttempts)
    json.field("_sentAuthErrs", _sentAuthErrs)
    json.field("_sentQuotaErrs", _sentQuotaErrs)
    json.field("_sentExpiredErrs", _sentExpiredErrs)
    json.field("_sentOtherErrs", _sentOtherErrs)
    json.field("_recvMsgs", _recvMsgs)
    json.field("_recvDuplicates", _recvDuplicates)
    json.field("_recvCryptoErrs", _recvCryptoErrs)
    json.field("_recvErrs", _recvErrs)
    json.field("_ackMsgs", _ackMsgs)
    json.field("_ackAttempts", _ackAttempts)
    json.field("_ackNoMsgErrs", _ackNoMsgErrs)
    json.field("_ackOtherErrs", _ackOtherErrs)
    json.field("_connCreated", _connCreated)
    json.field("_connSecured", _connSecured)
    json.field("_connCompleted", _connCompleted)
    json.field("_connDeleted", _connDeleted)
    json.field("_connDelAttempts", _connDelAttempts)
    json.field("_connDelErrs", _connDelErrs)
    json.field("_connSubscribed", _connSubscribed)
    json.field("_connSubAttempts", _connSubAttempts)
    json.field("_connSubIgnored", _connSubIgnored)
    json.field("_connSubErrs", _connSubErrs)
    json.field("_ntfKey", _ntfKey)
    json.field("_ntfKeyAttempts", _ntfKeyAttempts)
    json.field("_ntfKeyDeleted", _ntfKeyDeleted)
    json.field("_ntfKeyDeleteAttempts", _ntfKeyDeleteAttempts)
    json.endObject()
  }
}
