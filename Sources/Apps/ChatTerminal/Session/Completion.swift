import ChatAPI

/// The word at the cursor and its possible completions.
struct Completion: Hashable {
  /// What is named there.
  enum Kind: Hashable {
    case contact, request, group, command
    /// A file or folder of this computer.
    case path
    /// A member of a group with this name.
    case member(of: String)
    /// As `member`, in a text.
    case mention(of: String)
    /// A command of a bot with this name.
    case botCommand(of: String)
  }

  let kind: Kind
  /// The line before the name.
  let head: String
  /// The beginning of the name, with the apostrophe if it has one.
  let name: String

  /// Reads the line up to the cursor; nil where there is nothing to complete.
  init?(_ line: String) {
    if let (head, path) = Paths.split(line) {
      self.init(.path, head: String(head), name: String(path))
    } else if let (kind, head) = Self.heads(of: line).max(by: { $0.1.count < $1.1.count }) {
      let name = line.dropFirst(head.count)
      guard Self.isUnfinished(name) else {
        switch kind {
        case .group: self.init(behindGroup: line, head: head)
        case .contact where head == "@": self.init(behindContact: line, head: head)
        default: return nil
        }
        return
      }
      self.init(kind, head: String(head), name: String(name))
    } else if line.first == "/", line.dropFirst().allSatisfy({ $0.isLetter || $0 == " " || $0 == "_" }) {
      self.init(.command, head: "/", name: String(line.dropFirst()))
    } else {
      return nil
    }
  }

  private init(_ kind: Kind, head: String, name: String) {
    self.kind = kind
    self.head = head
    self.name = name
  }

  private static func isUnfinished(_ name: Substring) -> Bool {
    name.first == "'" ? !name.dropFirst().contains("'") : !name.contains(" ")
  }

  /// Reads the command that stands behind the name of a bot.
  private init?(behindContact line: String, head: Substring) {
    guard let (bot, rest) = ChatTarget.name(line.dropFirst(head.count)), rest.hasPrefix(" /") else { return nil }
    let name = rest.dropFirst(2)
    guard !name.contains(where: \.isWhitespace) else { return nil }
    self.init(.botCommand(of: bot), head: String(line[..<name.startIndex]), name: String(name))
  }

  /// Reads what stands behind the name of a group.
  private init?(behindGroup line: String, head: Substring) {
    guard let (group, rest) = ChatTarget.name(line.dropFirst(head.count)), rest.first == " " else { return nil }
    if head.first != "/" {
      guard let sign = rest.lastIndex(of: "@"), rest[..<sign].last == " " else { return nil }
      let name = rest[rest.index(after: sign)...]
      guard Self.isUnfinished(name) else { return nil }
      let isCommand = head.first == ">" || head.hasPrefix("\\\\")
      self.init(
        isCommand ? .member(of: group) : .mention(of: group), head: String(line[...sign]), name: String(name)
      )
      return
    }
    let command = head.dropFirst().prefix { $0 != "#" }.trimmed
    let name = rest.dropFirst().first == "@" ? rest.dropFirst(2) : rest.dropFirst()
    guard Self.isUnfinished(name) else { return nil }
    let kind: Kind
    if Self.commandsWithMembers.contains(command) {
      kind = .member(of: group)
    } else if command == "a" || command == "add" {
      kind = .contact
    } else {
      return nil
    }
    self.init(kind, head: String(line[..<name.startIndex]), name: String(name))
  }

  /// The line with as much as is certain, and the names that are possible.
  func completed(with names: [String]) -> (line: String, variants: [String]) {
    // A name with a space is found without its apostrophe, and completed with it.
    let variants = names.filter { matches($0) }.map { isTypedAsIs ? $0 : DisplayName.quoted($0) }.sorted()
    guard let first = variants.first else { return (head + name, []) }
    if variants.count == 1 {
      // A name follows a sign at once.
      let isDone = kind != .path && !first.hasSuffix("#") && !first.hasSuffix("@")
      return (head + first + (isDone ? " " : ""), variants)
    }
    let common = variants.reduce(first) { $0.commonPrefix(with: $1) }
    return (head + (common.count > name.count ? common : name), variants)
  }

  /// Whether candidates are words of other kinds than names, which may need an apostrophe.
  private var isTypedAsIs: Bool {
    switch kind {
    case .command, .path, .botCommand: true
    case .contact, .request, .group, .member, .mention: false
    }
  }

  private func matches(_ candidate: String) -> Bool {
    guard !isTypedAsIs else { return candidate.hasPrefix(name) }
    let typed = name.first == "'" ? name.dropFirst() : Substring(name)
    return candidate.hasPrefix(typed) && (name.first != "'" || DisplayName.quoted(candidate).hasPrefix("'"))
  }

  // MARK: Heads

  /// Marks before a name.
  private static let marks: [Kind: [String]] = [
    .contact: ["", ">>", ">", "!", "\\", "+", "-"], .group: ["", ">", "!", "\\\\", "\\", "+", "-"],
  ]
  /// Commands whose name has its sign.
  private static let signedCommands: [Kind: [String]] = [
    .contact: [
      "t", "tail", "?", "search", "call", "set voice", "set delete", "set disappear", "f", "file", "img", "image", "ff",
      "fforward", "imgf", "image_forward", "mute", "unmute", "live",
    ],
    .group: [
      "t", "tail", "?", "search", "i", "info", "f", "file", "img", "image", "ff", "fforward", "imgf", "image_forward",
      "clear", "d", "delete", "code", "verify",
      "set voice", "set delete", "set disappear", "set direct", "set history", "mute", "unmute", "unmute mentions",
      "live", "switch", "sync", "enable", "block", "unblock", "block for all", "unblock for all",
    ],
  ]
  /// Commands whose name may go without it.
  private static let commandsWithNames: [Kind: [String]] = [
    .contact: ["i", "info", "clear", "d", "delete", "code", "verify", "switch", "sync"],
    .request: ["ac", "accept", "rc", "reject"],
    .group: [
      "a", "add", "j", "join", "rm", "remove", "l", "leave", "ms", "members", "mr", "member role", "gp",
      "group_profile", "set welcome", "show welcome", "delete welcome",
    ],
  ]
  /// Commands with the name of a member behind the group's.
  private static let commandsWithMembers: Set<String> = [
    "i", "info", "code", "verify", "switch", "sync", "enable", "block", "unblock", "block for all", "unblock for all",
    "rm", "remove", "mr", "member role",
  ]

  /// All that may stand before a name.
  private static let allHeads: [(Kind, String)] = {
    var heads: [(Kind, String)] = []
    for kind in [Kind.contact, .request, .group] {
      let sign = kind == .group ? "#" : "@"
      for mark in marks[kind] ?? [] {
        heads.append((kind, mark + sign))
        if !mark.isEmpty { heads.append((kind, mark + " " + sign)) }
      }
      for command in signedCommands[kind] ?? [] { heads.append((kind, "/\(command) \(sign)")) }
      for command in commandsWithNames[kind] ?? [] {
        heads.append((kind, "/\(command) "))
        heads.append((kind, "/\(command) \(sign)"))
      }
    }
    return heads
  }()

  /// Every command and mark that the line begins with and that a name follows.
  private static func heads(of line: String) -> [(Kind, Substring)] {
    allHeads.filter { line.hasPrefix($0.1) }.map { ($0.0, line.prefix($0.1.count)) }
  }

  /// The commands that people type and that work.
  static let commands = [
    "connect", "search", "tail", "info", "clear", "delete", "code", "verify", "switch", "sync", "live", "enable",
    "address", "delete_address", "show_address", "profile_address", "auto_accept", "accept @", "reject @",
    "set voice", "set delete", "set disappear", "set receipts contacts", "mute", "unmute",
    "create user", "profile", "users", "user", "mute user", "unmute user", "hide user", "unhide user", "delete user",
    "group", "groups", "add", "join", "members", "member role", "remove", "leave", "block #", "unblock #",
    "block for all #", "unblock for all #", "group_profile", "set welcome", "show welcome", "delete welcome",
    "set history #", "set direct #", "unmute mentions #",
    "file", "image", "freceive", "fcancel", "fstatus", "fforward", "image_forward",
    "chats", "contacts", "help", "help contacts", "help groups", "help address", "help incognito", "help messages",
    "help files", "help settings", "help db", "help keys", "markdown", "welcome", "version", "quit", "network", "smp",
    "smp test", "xftp", "ttl",
    "db encrypt", "db decrypt", "db key", "call @", "qr", "open", "read", "help remote", "set device name",
    "connect remote ctrl", "find remote ctrl", "confirm remote ctrl", "verify remote ctrl", "list remote ctrls",
    "stop remote ctrl", "delete remote ctrl", "list remote hosts", "start remote host", "switch remote host",
    "stop remote host", "delete remote host", "store remote file", "get remote file", "remote_hosts_folder",
  ]
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
