import SimplexJSON

/// What is wrong with the sequence of messages.
public enum MsgErrorType: JSONCodable, Hashable, Sendable {
  case msgSkipped(fromMsgId: Int64, toMsgId: Int64)
  case msgBadId(msgId: Int64)
  case msgBadHash
  case msgDuplicate

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "msgSkipped": self = try .msgSkipped(fromMsgId: fields.get("fromMsgId"), toMsgId: fields.get("toMsgId"))
    case "msgBadId": self = try .msgBadId(msgId: fields.get("msgId"))
    case "msgBadHash": self = .msgBadHash
    case "msgDuplicate": self = .msgDuplicate
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .msgSkipped(let fromMsgId, let toMsgId):
      json.sum("msgSkipped", "fromMsgId", fromMsgId, "toMsgId", toMsgId)
    case .msgBadId(let msgId): json.sum("msgBadId", "msgId", msgId)
    case .msgBadHash: json.tag("msgBadHash")
    case .msgDuplicate: json.tag("msgDuplicate")
    }
  }
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

  /// Reads the variant.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "dropped": self = try .dropped(attempts: fields.get("attempts"))
    case "parseError": self = try .parseError(parseError: fields.get("parseError"))
    default: throw fields.unknownTag()
    }
  }

  /// Writes the variant.
  public func encode(to json: inout JSONWriter) {
    switch self {
    case .dropped(let attempts): json.sum("dropped", "attempts", attempts)
    case .parseError(let parseError): json.sum("parseError", "parseError", parseError)
    }
  }
}
