import SimplexJSON

/// Delivery or reading status of an item.
public indirect enum CIStatus: JSONCodable, Hashable, Sendable {
  case sndNew
  case sndSent(sndProgress: SndCIStatusProgress)
  case sndRcvd(msgRcptStatus: MsgReceiptStatus, sndProgress: SndCIStatusProgress)
  case sndErrorAuth
  case sndError(agentError: SndError)
  case sndWarning(agentError: SndError)
  case rcvNew
  case rcvRead
  case invalid(text: String)
}

/// Whether all recipients are reached.
public enum SndCIStatusProgress: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case partial
  case complete
}

/// What a receipt says.
public enum MsgReceiptStatus: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case ok
  case badMsgHash
}

/// Why a message was not sent.
public indirect enum SndError: JSONCodable, Hashable, Sendable {
  case auth
  case quota
  case expired
  case relay(srvError: SrvError)
  case proxy(proxyServer: String, srvError: SrvError)
  case proxyRelay(proxyServer: String, srvError: SrvError)
  case other(sndError: String)
}

/// Why a server could not be reached.
public enum SrvError: JSONCodable, Hashable, Sendable {
  case host
  case version
  case other(srvError: String)
}

/// Delivery to one member of a group.
public indirect enum GroupSndStatus: JSONCodable, Hashable, Sendable {
  case new
  case forwarded
  case inactive
  case sent
  case rcvd(msgRcptStatus: MsgReceiptStatus)
  case error(agentError: SndError)
  case warning(agentError: SndError)
  case invalid(text: String)
}
