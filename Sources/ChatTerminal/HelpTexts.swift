import ChatAPI

/// What `/help` says.
enum HelpTexts {
  static func welcome(_ user: User) -> [StyledText] {
    let name = user.profile.fullName.isEmpty ? user.profile.displayName : user.profile.fullName
    return [
      "Welcome \(StyledText(name, .color(.green)))!",
      "Nobody, not even the relays, knows who you are: you meet people by links that you pass on yourself.", "",
      "Type \(.highlight("/help")) for usage info, \(.highlight("/welcome")) to show this message",
    ]
  }

  static func lines(_ section: HelpSection) -> [StyledText] {
    switch section {
    case .main: main
    case .contacts: table("Contacts", contacts)
    case .myAddress: table("Your address", address)
    case .incognito: table("Connecting under another name", incognito)
    case .messages: table("Messages", messages)
    case .markdown: markdown
    case .settings: table("Settings", settings)
    case .database: table("Database", database)
    case .groups: [heading("Groups"), "  Groups are not supported yet."]
    case .files: [heading("Files"), "  Files are not supported yet."]
    case .remote: [heading("Remote desktop"), "  Remote desktop is not supported yet."]
    }
  }

  private static var main: [StyledText] {
    [
      heading("How to meet somebody"),
      "  1. \(.highlight("/c")) makes a link that works once. Pass it on, in any way you trust.",
      "  2. The other one types \(.highlight("/c <link>")).",
      "  3. When both see that the contact is connected, write: \(.highlight("@bob Hello!"))", "",
    ] + table("More", more) + [
      "",
      "  \(.highlight("/help <topic>")): \(topics)",
      "  Names with spaces are typed in apostrophes: \(.highlight("@'Bob B' Hello!"))",
    ]
  }

  private static var topics: StyledText {
    StyledText("contacts, address, incognito, messages, markdown, settings, db", .color(.cyan))
  }

  private static let more = [
    ("/chats", "latest chats"), ("/contacts", "all contacts"), ("/tail [@<name>] [<n>]", "latest messages"),
    ("/address", "make an address that anybody can use"), ("/profile", "show or change your name"),
    ("/users", "your profiles"), ("/delete @<name>", "delete a contact and the messages"),
    ("/version", "version of the program"), ("/quit", "end the program"),
  ]

  private static let contacts = [
    ("/connect [<link>]", "make an invitation, or accept one"), ("/contacts", "list contacts"),
    ("/info @<name>", "about the connection"), ("/code @<name>", "show the security code"),
    ("/verify @<name> <code>", "compare the security code with the contact's"),
    ("/switch @<name>", "receive through another relay"), ("/sync @<name>", "agree encryption anew"),
    ("/mute @<name>, /unmute @<name>", "hide or show messages"), ("/clear @<name>", "delete all messages here"),
    ("/delete @<name>", "delete the contact and all messages"),
  ]

  private static let address = [
    ("/address", "make your address"), ("/show_address", "show it"), ("/delete_address", "delete it"),
    ("/profile_address on|off", "show it to your contacts"), ("/auto_accept on|off", "accept requests by itself"),
    ("/accept <name>, /reject <name>", "answer a request"),
  ]

  private static let incognito = [
    ("/connect incognito [<link>]", "connect with a random profile"),
    ("/accept incognito <name>", "accept a request with a random profile"),
  ]

  private static let messages = [
    ("@<name> <text>", "send"), ("> @<name> (<quoted>) <text>", "reply to a message that begins so"),
    (">> @<name> (<quoted>) <text>", "reply to your own message"),
    ("! @<name> (<old>) <text>", "edit your message that begins so"), ("! @<name> <text>", "edit the last one"),
    ("\\ @<name> <text>", "delete your message that begins so"),
    ("+1|:)|^|v @<name> <text>", "react to a message"), ("/* <text>", "write a note to yourself"),
    ("/tail @<name> [<n>]", "the latest messages"), ("/search @<name> <text>", "find messages"),
    ("/live @<name> <text>", "a message that is seen while you type"),
  ]

  private static let settings = [
    ("/network", "how to connect; SOCKS proxies"), ("/smp [<servers>]", "show or set relays"),
    ("/smp test <server>", "try a relay"), ("/ttl none|day|week|month|year", "delete old messages"),
    ("/set receipts contacts on|off", "tell senders that messages arrived"), ("/mute user, /unmute user", "a profile"),
    ("/hide user <password>", "hide a profile behind a password"),
  ]

  private static let database = [
    ("/db encrypt <key>", "encrypt the database"), ("/db key <old> <new>", "change its key"),
    ("/db decrypt <key>", "remove the encryption"),
  ]

  private static var markdown: [StyledText] {
    [
      heading("Markdown"),
      "  *bold* is \(StyledText("bold", .bold)), _italic_ is \(StyledText("italic", .italic)), ~struck~ is \(StyledText("struck", .strikeThrough))",
      "  `code` is code, #secret# is \(StyledText("secret", .secret)) until it is revealed",
      "  !1 red!, !2 green!, !3 blue!, !4 yellow!, !5 cyan!, !6 magenta! are coloured",
    ]
  }

  private static func heading(_ text: String) -> StyledText { StyledText("\(text):", .color(.green)) }

  private static func table(_ title: String, _ rows: [(String, String)]) -> [StyledText] {
    let width = rows.map { $0.0.count }.max() ?? 0
    return [heading(title)]
      + rows.map { command, meaning in
        "  \(.highlight(command))\(String(repeating: " ", count: width - command.count))  \(meaning)"
      }
  }
}
