import ChatAPI

let chatTextTargets: [FuzzTarget] = [
  // Law: a parsed command can be printed, and parsing the text returns the same command.
  FuzzTarget("chat-command", seeds: commands.map { Array($0.utf8) }) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    guard let command = try? ChatCommand(parsing: text) else { return }
    let again = try? ChatCommand(parsing: command.cmdString)
    precondition(again == command, "chat-command: changed by a round trip: \(text)")
  },
  // Law: the pieces of a text make up the whole text, in order, except for the marks and the last line break.
  FuzzTarget("chat-markdown", seeds: texts.map { Array($0.utf8) }) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    guard let pieces = Markdown.parse(text) else { return }
    precondition(!pieces.isEmpty, "chat-markdown: no pieces: \(text)")
    let length = pieces.reduce(0) { $0 + $1.text.utf8.count }
    precondition(length <= text.utf8.count, "chat-markdown: more text than there was: \(text)")
  },
  FuzzTarget("chat-server-address", seeds: [Array("smp://YWFh:pw@a.example,b.onion:5223".utf8)]) { bytes in
    _ = try? ServerAddress(parsing: String(decoding: bytes, as: UTF8.self))
  },
  FuzzTarget("chat-web-address", seeds: [Array("https://user@example.com:80/a?utm_source=b&c=d#e".utf8)]) { bytes in
    _ = try? WebAddress(parsing: String(decoding: bytes, as: UTF8.self))
  },
]

private let commands = [
  "/_send @1 live=on ttl=10 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"hi\"},\"mentions\":{}}]",
  "/_get chat #1 around=5 count=10 search=x", "/_connect 1 incognito=on simplex:/contact#/?v=1", "/user",
  "/_network {\"socksMode\":\"always\"}", "@alice hello", "/_reaction @1 2 on {\"type\":\"emoji\",\"emoji\":\"👍\"}",
]

private let texts = [
  "*bold* _it_ ~s~ `code` #secret# !1 red! @'a b' https://a.example/?q=1 a@b.example +1 (555) 1234567\n"
]
