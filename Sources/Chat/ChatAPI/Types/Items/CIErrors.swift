import SimplexJSON

/// An error in the sequence of messages.
public enum MsgErrorType: JSONCodable, Hashable, Sendable {
  case msgSkipped(fromMsgId: Int64, toMsgId: Int64)
  case msgBadId(msgId: Int64)
  case msgBadHash
  case msgDuplicate
}

/// Why messages could not be decrypted.
public enum MsgDecryptError: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case ratchetHeader
  case tooManySkipped
  case ratchetEarlier
  case other
  case ratchetSync
}

/// Why a received message was dropped.
public enum RcvMsgError: JSONCodable, Hashable, Sendable {
  case dropped(attempts: Int)
  case parseError(parseError: String)
}
