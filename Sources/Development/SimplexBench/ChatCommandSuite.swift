import ChatAPI

/// Commands in both directions, and the markdown of messages.
func chatCommandSuite(_ bench: Bench) throws {
  let short = "/_read chat #12(_support:5)"
  let message = ComposedMessage(msgContent: .text("Shall we meet at *eight*? See https://example.com/place"))
  let send = ChatCommand.apiSendMessages(
    type: .direct, id: 123, scope: nil, live: false, ttl: nil, composedMessages: [message])
  let sendText = send.cmdString
  let read = try ChatCommand(parsing: short)
  try bench.perSecond("parse a command of numbers") { blackHole(try ChatCommand(parsing: short)) }
  try bench.perSecond("parse a command with JSON", note: "/_send, 100 bytes of JSON") {
    blackHole(try ChatCommand(parsing: sendText))
  }
  bench.perSecond("print a command of numbers") { blackHole(read.cmdString) }
  bench.perSecond("print a command with JSON") { blackHole(send.cmdString) }

  let plain = String(repeating: "nothing special in these words, only a text as people write it ", count: 200)
  let rich = String(
    repeating: "this is *bold* and _italic_, see https://example.com/a?b=c or write to me@example.com\n", count: 150)
  bench.record(
    "markdown of plain text", bench.rate { blackHole(Markdown.parse(plain)) } * Double(plain.utf8.count) / 1e6,
    unit: "MB/s")
  bench.record(
    "markdown of rich text", bench.rate { blackHole(Markdown.parse(rich)) } * Double(rich.utf8.count) / 1e6,
    unit: "MB/s")
}
