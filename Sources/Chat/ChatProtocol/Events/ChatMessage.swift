import SimplexJSON
import WireCodec

/// One message between chat clients in its JSON form: `{"v":"1-16","msgId":…,"event":"x.…","params":{…}}`.
///
/// Members that are not known are left out when the message is written again; events that are not known are kept.
public struct ChatMessage: JSONCodable, Hashable, Sendable {
  /// The versions the sender speaks.
  public var chatVRange: ChatVersionRange
  /// Names the message, where others may refer to it. Connection information has none.
  public var msgId: SharedMsgId?
  /// The event.
  public var event: ChatMessageEvent

  public init(
    chatVRange: ChatVersionRange = ChatVersion.supported, msgId: SharedMsgId? = nil, event: ChatMessageEvent
  ) {
    self.chatVRange = chatVRange
    self.msgId = msgId
    self.event = event
  }

  /// Reads the object.
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    chatVRange = try fields.getIfPresent("v", ChatVersionRange.textCodec) ?? ChatVersion.unstated
    msgId = try fields.get("msgId")
    let tag: String = try fields.get("event")
    let params = try fields.node("params")
    do {
      event = try ChatMessageEvent(tag: tag, params: params)
    } catch {
      throw error.inside("params")
    }
  }

  /// Writes the object.
  public func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("v", chatVRange, ChatVersionRange.textCodec)
    json.field("msgId", msgId)
    json.field("event", event.tag)
    json.key("params")
    event.encodeParams(to: &json)
    json.endObject()
  }
}
