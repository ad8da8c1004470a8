extension ControlSession {
  /// The commands, who may use them, and what they do.
  private static let commands = [
    ("auth PASSWORD", "-", "identify as user or admin, by control_port_user_password or control_port_admin_password"),
    ("stats", "user", "counts of commands and messages since the start, or since midnight with log_stats = on"),
    ("server-info", "user", "numbers of clients, subscriptions, queues and messages at present"),
    ("sockets", "user", "numbers of accepted, refused and open connections of each port"),
    ("clients", "admin", "a line for each connection: session, times of the start and of the last block, age"),
    ("status ID", "user", "state, last use and mode of a queue; ID is that of its sender or of its link"),
    ("block ID reason=spam", "user", "refuse messages to a queue; reasons: spam, content"),
    ("unblock ID", "user", "accept messages to a blocked queue again"),
    ("delete ID", "admin", "delete a queue with its messages"),
    ("suspend", "admin", "refuse to create queues, until resume or a restart"),
    ("resume", "admin", "allow creating queues again"),
    ("trust-clock", "admin", "delete what is too old by the clock, also where it is days ahead of the last run"),
    ("save", "admin", "nothing to do: everything is always stored"),
    ("help", "-", "show this list"),
    ("quit", "-", "close the connection"),
  ]

  /// The answer to `help`.
  static var help: String {
    let width = commands.map(\.0.count).max() ?? 0
    let rows = commands.map { usage, role, meaning in
      let name = usage + String(repeating: " ", count: width - usage.count)
      return "  \(name)  \(role)\(String(repeating: " ", count: 5 - role.count))  \(meaning)"
    }
    return (["commands, who may use them, and what they do:"] + rows).joined(separator: "\n")
  }

  /// The usage of a command; nil for words that are not one.
  static func usage(of word: String) -> String? {
    commands.map(\.0).first { $0.split(separator: " ").first.map(String.init) == word }
  }
}
