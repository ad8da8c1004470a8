import SimplexJSON
import WireCodec

/// Why a queue is blocked, with a notice for the user. Source: simplex-messaging.md, "Error responses".
public struct BlockingInfo: Hashable, Sendable {
  /// Why it was blocked.
  public var reason: BlockingReason
  /// A notice to the user; sent from version 18 on.
  public var notice: ClientNotice?

  public init(reason: BlockingReason, notice: ClientNotice? = nil) {
    self.reason = reason
    self.notice = notice
  }

  /// `reason=spam`, with the notice as JSON: `reason=spam,notice={"ttl":86400}`. Ends with the input.
  public static let codec = Codec<BlockingInfo>.record(
    Field("reason", \.reason, BlockingReason.codec.after("reason=")),
    Field("notice", \.notice, Codec<ClientNotice>.json.optional(after: ",notice=")),
    build: { BlockingInfo(reason: $0, notice: $1) })
}

/// Why a queue is blocked.
public enum BlockingReason: String, JSONCodable, Hashable, Sendable, CaseIterable {
  case spam
  case content
}

/// A notice from a relay to its users.
public struct ClientNotice: Hashable, Sendable {
  /// How long it is shown, in seconds; nil for always.
  public var ttl: Int64?

  public init(ttl: Int64? = nil) { self.ttl = ttl }
}

extension BlockingReason {
  /// The name of the reason.
  static let codec: Codec<BlockingReason> = Codec<String>.word(endingAt: " ,").compactMap(
    "a blocking reason", { BlockingReason(rawValue: $0) }, \.rawValue)
}

extension Codec where Value: JSONCodable & SendableMetatype {
  /// The JSON text of a value, up to the end.
  static var json: Codec {
    Codec<[UInt8]>.tail.compactMap("JSON", { try? Value(jsonBytes: $0) }, { $0.jsonBytes() })
  }
}

extension BlockingInfo: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    self.init(reason: try fields.get("reason"), notice: try fields.get("notice"))
  }

  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("reason", reason)
    json.field("notice", notice)
    json.endObject()
  }
}

extension ClientNotice: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    self.init(ttl: try fields.get("ttl"))
  }

  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("ttl", ttl)
    json.endObject()
  }
}
