import ChatAPI

/// What `/help` says.
enum HelpTexts {
  static func welcome(_ user: User) -> [StyledText] {
    let name = user.profile.fullName.isEmpty ? user.profile.displayName : user.profile.fullName
    return [
      "Welcome \(StyledText(name, .color(.green)))!",
      "You have no phone number and no public name here: people connect with you by links that you send them.", "",
      "Type \(.highlight("/help")) for usage info, \(.highlight("/welcome")) to show this message",
    ]
  }

  static func lines(_ section: HelpSection) -> [StyledText] {
    switch section {
    case .main: main
    case .contacts: table("Contacts", contacts)
    case .myAddress: table("Your address", address)
    case .incognito: table("Connecting under another name", incognito)
    case .messages: table("Messages", messages) + marks
    case .markdown: markdown
    case .settings: table("Settings", settings)
    case .database: table("Database", database)
    case .groups: table("Groups", groups) + table("Members", members)
    case .files: table("Files", files) + longNames
    case .remote: table("Remote desktop", remote)
    }
  }

  /// `/help keys`.
  static var keyLines: [StyledText] { table("Keys", keys) }

  /// The rows of all tables whose command fulfils a condition.
  static func rows(where isWanted: (String) -> Bool) -> [StyledText] {
    var seen: Set<String> = []
    return rows(tables.filter { isWanted($0.0) && seen.insert($0.0).inserted })
  }

  private static var tables: [(String, String)] {
    more + contacts + groups + members + address + incognito + messages + files + settings + database + remote
  }

  private static var main: [StyledText] {
    [
      heading("How to connect with somebody"),
      "  1. \(.highlight("/c")) creates a link that works once. Send it to the person in any way you trust.",
      "  2. The other person types \(.highlight("/c <link>")).",
      "  3. When both see that the contact is connected, write: \(.highlight("@bob Hello!"))",
      "     The next lines go to bob too, as the prompt says, until you name another contact.", "",
    ] + table("More", more) + [
      "",
      "  \(.highlight("/help <topic>")): \(topics); \(.highlight("/markdown"))",
      "  Short: /c connect, /g group, /a add, /j join, /l leave, /d delete, /t tail",
      "  Names with spaces are typed in apostrophes: \(.highlight("@'Bob B' Hello!"))",
    ]
  }

  /// The topics of `/help`.
  static let topicNames = [
    "contacts", "groups", "address", "incognito", "messages", "files", "settings", "db", "remote", "keys",
  ]

  private static var topics: StyledText { StyledText(topicNames.joined(separator: ", "), .color(.cyan)) }

  private static let more = [
    ("@<name>, #<group>", "choose the contact or group that lines go to"), ("/chats", "list the latest chats"),
    ("/contacts, /groups", "list all contacts or groups"), ("/group <group>", "create a group"),
    ("/tail [@<name>] [<n>]", "show the latest messages"),
    ("/read [@<name>]", "mark all messages, or those of a chat, as read; an answer does that, too"),
    ("/address", "create an address that anybody can use"), ("/profile [<name>]", "show or change your name"),
    ("/users", "list your profiles"), ("/delete @<name>", "delete a contact and all messages"),
    ("/qr [<link>]", "show a QR code of your last link, or of this one"),
    ("/open [<number>]", "open a web address of a message"),
    ("/version", "show the version of the program"), ("/quit", "end the program"),
  ]

  private static let contacts = [
    ("/connect [<link>]", "create an invitation, or accept one"),
    ("/qr [<link>]", "show a QR code of your last link, or of this one"),
    ("/long link", "show it in the longer form of old clients"),
    ("/contacts", "list contacts"),
    ("/info @<name>", "show details of the connection"), ("/code @<name>", "show the security code"),
    ("/verify @<name> <code>", "compare the security code with the contact's"),
    ("/switch @<name>", "receive through another relay"),
    ("/sync @<name>", "repair the encryption of the connection"),
    ("/repair", "go on here after a copy of the profile ran elsewhere"),
    ("/call @<name>", "call: the media are those of a page in the browser"),
    ("/mute @<name>, /unmute @<name>", "hide or show messages"), ("/clear @<name>", "delete all messages here"),
    ("/delete @<name>", "delete the contact and all messages"),
  ]

  private static let groups = [
    ("/group <group> [<description>]", "create a group"), ("/groups", "list groups"),
    ("/add <group> <contact> [<role>]", "invite a contact: as owner, admin, moderator, member or observer"),
    ("/join <group>", "accept an invitation"), ("/leave <group>", "leave the group"),
    ("/create link #<group> [<role>]", "create a link by which anybody can join"),
    ("/show link #<group>", "show it"), ("/set link role #<group> <role>", "change the role of those who join by it"),
    ("/delete link #<group>", "delete it"),
    ("/delete #<group>", "delete the group and all messages; for all members, if you are an owner"),
    ("/clear #<group>", "delete all messages here"),
    ("#<group> <text>", "send; @<name> in the text mentions a member"),
    ("> #<group> @<member> (<quoted>) <text>", "reply to a member's message that begins so"),
    ("\\\\ #<group> @<member> <text>", "delete a member's message that begins so, for all"),
    ("/gp <group>", "show the group's profile"), ("/gp <group> <name> [<description>]", "rename the group"),
    ("/set welcome <group> <text>", "set the welcome message"), ("/show welcome <group>", "show it"),
    ("/delete welcome <group>", "delete it"),
    ("/set history #<group> on|off", "whether new members get the latest messages"),
    ("/set direct #<group> on|off", "whether members may write to each other"),
    ("/set voice #<group> on|off", "whether members may send voice messages; also files, reactions, delete"),
    ("/mute #<group>, /unmute #<group>", "hide or show messages"),
    ("/unmute mentions #<group>", "show messages only that mention you"), ("/info #<group>", "show details"),
  ]

  private static let members = [
    ("/members <group>", "list members"), ("/remove <group> <member>", "remove a member"),
    ("/member role <group> <member> <role>", "change what a member may do"),
    ("/block for all #<group> <member>", "hide a member's messages from all; /unblock for all shows them"),
    ("/block #<group> <member>, /unblock #<group> <member>", "hide or show a member's messages here"),
    ("/info #<group> <member>", "show details of the connection"),
    ("/code #<group> <member>", "show the member's security code"),
    ("/verify #<group> <member> <code>", "compare the security code with the member's"),
    ("/switch #<group> <member>", "receive from the member through another relay"),
    ("/sync #<group> <member>", "repair the encryption of the connection"),
    ("#<group> (support) <text>", "write to the moderators"),
    ("#<group> (support: <member>) <text>", "write to a member as a moderator"),
    ("/member support chats #<group>", "list the support chats of members"),
    ("/report #<group> @<member> spam|content|community|profile|other <text>", "report a message that begins so"),
    ("/set admission review #<group> all|off", "whether moderators review those who join by the link"),
    ("/accept member #<group> <member> [<role>]", "admit a member who waits for it"),
    ("/set support #<group> on|off", "whether members may write to moderators; also reports"),
  ]

  private static let address = [
    ("/address", "create your address"), ("/show_address", "show it"), ("/delete_address", "delete it"),
    ("/profile_address on|off", "show it to your contacts"),
    ("/auto_accept on|off", "accept contact requests automatically"),
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
    ("+1 @<name> <text>", "react to a message that begins so: +1, +-, +), +*, +^ or + and an emoji; -1 takes it back"),
    ("/* <text>", "write a note to yourself"),
    ("/search [@<name>] <text>", "find messages"),
    ("/live @<name> <text>", "send a message that is seen while you type; Esc ends it"),
  ]

  private static var marks: [StyledText] {
    [
      "  Your messages are marked: … not sent yet, ✓ on the relay, ✓✓ received, ✗ not delivered,",
      "  ! delayed: the relay or the recipient does not take it yet",
    ]
  }

  private static let files = [
    ("/f @<name> <path>, /f #<group> <path>", "send a file"),
    ("/img @<name> <path>, /img #<group> <path>", "send a picture: jpg, png or gif, up to 510 KiB"),
    ("/fr <id> [<path>]", "receive a file, into a folder or under this name"),
    ("/fc <id>", "cancel sending or receiving"), ("/fs <id>", "show how much was transferred"),
    ("/ff @<name> <id>, /ff #<group> <id>", "send a file again that was sent or received"),
    ("/imgf @<name> <id>, /imgf #<group> <id>", "send a picture again that was sent or received"),
  ]

  /// Commands about files that may be written out.
  static let longFileCommands = [
    "/file": "/f", "/image": "/img", "/freceive": "/fr", "/fcancel": "/fc", "/fstatus": "/fs", "/fforward": "/ff",
    "/image_forward": "/imgf",
  ]

  /// Other words for the commands of the tables.
  static let otherWords = longFileCommands.merging(shortCommands) { $1 }

  private static let shortCommands = [
    "/c": "/connect", "/g": "/group", "/a": "/add", "/j": "/join", "/l": "/leave", "/d": "/delete", "/t": "/tail",
    "/p": "/profile", "/u": "/user", "/i": "/info", "/ms": "/members", "/rm": "/remove", "/mr": "/member",
    "/ac": "/accept", "/rc": "/reject", "/ad": "/address", "/sa": "/show_address", "/da": "/delete_address",
  ]

  /// The first words of all commands.
  static var commandWords: Set<String> {
    let usages = tables.flatMap { $0.0.split(separator: ",") }
    let words = usages.compactMap { $0.trimmed.split(separator: " ").first.map(String.init) }
    return Set(words.filter { $0.first == "/" }).union(longFileCommands.keys).union(["/help", "/welcome", "/markdown"])
  }

  private static var longNames: [StyledText] {
    ["  Also: " + StyledText(longFileCommands.keys.sorted().joined(separator: ", "), .color(.cyan))]
  }

  private static let keys = [
    ("Enter", "send the line"), ("Ctrl-J", "begin a new line in the message"),
    ("Alt-Enter, Ctrl-L", "send as a live message, which is seen while you type"),
    ("Esc", "end a live message"),
    ("Ctrl-C", "clear the line; end the program when it is empty; leave a live message as it was sent"),
    ("Ctrl-D", "end the program"), ("Ctrl-Z", "stop the program until the shell continues it"),
    ("Tab", "complete a name or command"), ("Up, Down", "previous and next line, also of the history"),
    ("Ctrl-A, Ctrl-E", "go to the beginning or end"),
    ("Ctrl-W, Ctrl-U, Ctrl-K", "delete a word, to the beginning, to the end"),
  ]

  private static let settings = [
    ("/network", "show or change how to connect; SOCKS proxies"), ("/smp [<servers>]", "show or set relays"),
    ("/smp test <server>", "test a relay"), ("/ttl none|day|week|month|year", "delete old messages"),
    ("/set receipts contacts on|off", "tell senders that messages arrived"),
    ("/create user <name>", "create another profile"), ("/user <name>", "use another profile"),
    ("/mute user, /unmute user", "hide or show messages of a profile"),
    ("/hide user [<password>]", "hide a profile behind a password, which is asked for if it is not typed here"),
  ]

  private static let database = [
    ("/db encrypt [<key>]", "encrypt the database; a key that is not typed here is asked for, and not shown"),
    ("/db key [<old> <new>]", "change its key; a key with spaces in apostrophes"),
    ("/db decrypt [<key>]", "remove the encryption"),
  ]

  private static let remote = [
    ("/set device name <name>", "name this device for the other one"),
    ("/start remote host new", "show a link by which a phone lets this device use its profile"),
    ("/connect remote ctrl <link>", "let the device that shows the link use this profile"),
    ("/verify remote ctrl <code>", "confirm that both devices show this code"),
    ("/start remote host <id> multicast=on, /find remote ctrl", "find each other again, in the same network"),
    ("/confirm remote ctrl <id>", "connect to a device that was found"),
    ("/list remote hosts, /list remote ctrls", "list paired phones, and devices that may use this profile"),
    (
      "/switch remote host <id>, /switch remote host local",
      "use the profile of a phone for what is typed, or that of this device"
    ),
    ("/store remote file <id> <path>", "copy a file to a phone; /f and /img do that by themselves"),
    ("/stop remote host <id>, /stop remote ctrl", "end the session"),
    ("/delete remote host <id>, /delete remote ctrl <id>", "end the pairing"),
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
    [heading(title)] + self.rows(rows)
  }

  private static func rows(_ rows: [(String, String)]) -> [StyledText] {
    let width = rows.map { $0.0.count }.max() ?? 0
    return rows.map { command, meaning in
      "  \(.highlight(command))\(String(repeating: " ", count: width - command.count))  \(meaning)"
    }
  }
}
