import ChatAPI
import SimplexJSON

let jsonTargets: [FuzzTarget] = [
  .json(
    "json-value", JSONValue.self, seeds: [#"{"a":[1,-2.5e+3,"x\u00e9\uD83D\uDE00\n",null],"b":{"c":true}}"#]),
  .json("json-chat-item", AChatItem.self, seeds: [item]),
  .json(
    "json-event", ChatEvent.self, seeds: [#"{"_owsf":true,"chatErrors":{"chatErrors":[\#(error)]}}"#, event]),
  .json("json-error", ChatError.self, seeds: [error]),
]

private let error = #"{"type":"error","errorType":{"type":"fileCancel","fileId":1,"message":"m"}}"#
private let event = #"{"type":"hostConnected","protocol":"smp","transportHost":"h"}"#
private let stamp = #""2024-05-06T07:08:09.123456Z""#
private let notes =
  #"{"noteFolderId":7,"userId":1,"createdAt":\#(stamp),"updatedAt":\#(stamp),"chatTs":\#(stamp),"favorite":false,"unread":false}"#
private let meta =
  #"{"itemId":5,"itemTs":\#(stamp),"itemText":"t","itemStatus":{"type":"sndNew"},"itemEdited":false,"userMention":false,"deletable":false,"editable":false,"showGroupAsSender":false,"createdAt":\#(stamp),"updatedAt":\#(stamp)}"#
private let content = #"{"type":"sndMsgContent","msgContent":{"type":"text","text":"t"}}"#
private let item =
  #"{"chatInfo":{"type":"local","noteFolder":\#(notes)},"chatItem":{"chatDir":{"type":"localSnd"},"meta":\#(meta),"content":\#(content),"reactions":[]}}"#

extension FuzzTarget {
  /// A type with a JSON form, with the law that a value survives writing and reading in both spellings of sums.
  static func json<T: JSONCodable & Equatable & SendableMetatype>(_ name: String, _: T.Type, seeds: [String])
    -> FuzzTarget
  {
    FuzzTarget(name, seeds: seeds.map { Array($0.utf8) }) { bytes in
      guard let value = try? T(jsonBytes: bytes) else { return }
      for sums in [JSONSums.tagged, .singleField] {
        let again = try? T(jsonBytes: value.jsonBytes(sums: sums))
        precondition(again == value, "\(name): changed by a round trip: \(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }
}
