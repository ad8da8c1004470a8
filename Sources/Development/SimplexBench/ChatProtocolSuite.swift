import ChatAPI
import ChatProtocol
import WireCodec

/// Messages between chat clients: a typical one, batches, long compressed bodies.
func chatProtocolSuite(_ bench: Bench) throws {
  guard let sentAt = UTCTime(seconds: 1_700_000_000, nanoseconds: 123_456_000) else { return }
  let quote = QuotedMsg(
    msgRef: MsgRef(msgId: SharedMsgId([1, 2, 3]), sentAt: sentAt, sent: true), content: .text("Shall we meet?"))
  let message = ChatMessage(
    msgId: SharedMsgId(random: Array(1...12)),
    event: .msgNew(MsgContainer(content: .text("Yes: see https://example.com \"there\""), ttl: 3600, quote: quote)))
  let body = try MessageBody.encode(message)
  bench.perSecond("write a message", note: "\(body.count) bytes") { blackHole(message.jsonBytes()) }
  bench.perSecond("read a message") { blackHole(MessageBody.parse(body)) }

  let many = [[UInt8]](repeating: body, count: 40)
  guard let batch = MessageBatch.pack(many, form: .json).batches.first else { return }
  bench.perSecond("pack 40 messages") { blackHole(MessageBatch.pack(many, form: .json)) }
  bench.perSecond("read a batch", note: "\(batch.elements.count) messages") { blackHole(MessageBody.parse(batch.body)) }

  let words = (0..<1_900).map { "word\($0 &* 7919 % 1000)" }.joined(separator: " ")
  let long = try MessageBody.encode(ChatMessage(event: .msgNew(MsgContainer(content: .text(words)))))
  let compressed = try MessageBody.prepared(long, isPostQuantum: true, version: ChatVersion.current)
  try bench.perSecond("compress a long message", note: "\(long.count) to \(compressed.count) bytes") {
    blackHole(try MessageBody.prepared(long, isPostQuantum: true, version: ChatVersion.current))
  }
  bench.perSecond("read a compressed message") { blackHole(MessageBody.parse(compressed)) }
}
