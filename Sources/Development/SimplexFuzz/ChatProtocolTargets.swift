import ChatProtocol
import Zstd

let chatProtocolTargets: [FuzzTarget] = [
  .json("chat-message", ChatMessage.self, seeds: messages),
  // Law: decoding what a decoded body is encoded as returns the same value.
  FuzzTarget("chat-body", seeds: bodies) { bytes in
    for case .success(let element) in MessageBody.parse(bytes) {
      guard let encoded = try? element.encoded(), let again = try? MessageElement(decoding: encoded) else {
        preconditionFailure("chat-body: what was read cannot be written: \(bytes)")
      }
      precondition(again == element, "chat-body: changed by a round trip: \(bytes)")
    }
  },
  // Law: the content of a frame has the announced size, and survives compression.
  FuzzTarget("chat-zstandard", seeds: [Zstandard.compress([1, 2, 3]), Zstandard.compress(Array(0...255))]) { bytes in
    guard let content = try? Zstandard.decompress(bytes, limit: 65_536) else { return }
    precondition(content.count <= 65_536, "chat-zstandard: more than the limit")
    let again = try? Zstandard.decompress(Zstandard.compress(content), limit: content.count)
    precondition(again == content, "chat-zstandard: changed by a round trip: \(bytes)")
  },
  .codec("chat-file-chunk", FileChunk.codec, seeds: [[0x46, 0, 0, 0, 1, 7], [0x43]]),
]

private let messages = [
  #"{"v":"1-16","msgId":"AQIDBA==","event":"x.msg.new","params":{"content":{"text":"a","type":"text"},"mentions":{"bob":{"memberId":"AQ=="}},"file":{"fileName":"f","fileSize":1,"fileInline":"sent"},"ttl":3600,"live":true,"scope":{"type":"member","memberId":"AQ=="},"quote":{"msgRef":{"msgId":"AQ==","sentAt":"2024-05-06T07:08:09.123456789Z","sent":true},"content":{"type":"voice","text":"","duration":5}}}}"#,
  #"{"event":"x.grp.msg.forward","params":{"memberId":"AQ==","msg":{"event":"x.msg.react","params":{"msgId":"AQ==","reaction":{"type":"emoji","emoji":"👍"},"add":true}},"msgTs":"2024-05-06T07:08:09Z"}}"#,
  #"{"v":"1","event":"x.contact","params":{"profile":{"displayName":"a","fullName":"","preferences":{"voice":{"allow":"yes"}}},"contactReqId":"AQ==","msgId":"AQ==","content":{"type":"text","text":"a"}}}"#,
  #"{"v":"1","event":"x.grp.mem.new","params":{"memberInfo":{"memberId":"AQ==","memberRole":"admin","v":"1-16","profile":{"displayName":"a","fullName":""},"memberKey":"MCowBQYDK2VwAyEAQSle3TCl7B7zdXcAzJApAXeLY--IWtnVDYal9Fa2F5A="}}}"#,
  #"{"v":"2-3","event":"x.new","params":{"a":[1.5e3,null,{"b":"c"}]}}"#,
]

private let bodies: [[UInt8]] = {
  let ok = Array(#"{"event":"x.ok","params":{}}"#.utf8)
  let signed: [UInt8] = [0x2F, 0x47, 1, 0x4D, 64] + [UInt8](repeating: 7, count: 64) + ok
  let forwarded: [UInt8] = [0x3E, 0x4D, 1, 1, 1, 0x62, 0, 0, 0, 0, 0x65, 0x53, 0xF1, 0] + ok
  let batch = (try? MessageBatch.binaryCodec.encode([ok, signed, forwarded])) ?? []
  return messages.map { Array($0.utf8) } + [
    [UInt8(ascii: "[")] + ok + [UInt8(ascii: ",")] + ok + [UInt8(ascii: "]")], signed, forwarded, batch,
    [0x46, 0, 1, 1, 1, 7, 8], [0x58, 1, 0x30, UInt8(ok.count)] + ok,
  ]
}()
