/// A notification of a message or a call, for a person who does not look at the terminal.
public struct TerminalAlert: Hashable, Sendable {
  /// The longest text of a notification, in characters.
  private static let textLimit = 100

  /// The chat of the message, such as `@bob`.
  let title: String
  /// The text of the message, or a description of its content.
  let text: String

  /// An alert; of a long text the beginning.
  init(title: String, text: String) {
    self.title = Self.plain(title)
    self.text = Self.plain(text)
  }

  /// The text without what ends a control sequence, and without `;`, which separates its parts.
  private static func plain(_ text: String) -> String {
    let line = StyledText(text).text.map { $0.isNewline ? " " : $0 == ";" ? "," : $0 }
    return line.count > textLimit ? String(line.prefix(textLimit)) + "…" : String(line)
  }
}

/// The control sequences by which a kind of terminal rings, notifies, and gives its window a title.
struct AlertSequences {
  /// The sequence by which a terminal shows a notification of the desktop.
  private enum Notification {
    /// OSC 9: one text.
    case text
    /// OSC 777: a title and a text.
    case titleAndText
  }

  private static let (bell, end) = ("\u{07}", "\u{1B}\\")

  /// Whether the window can have a title; others would show its text.
  private let hasTitle: Bool
  /// The sequence of notifications; nil for a terminal that has none.
  private let notification: Notification?

  /// Chooses by the environment: `TERM`, and `VTE_VERSION` of the terminals that are built on VTE.
  init(environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    hasTitle = !["", "dumb", "linux"].contains(terminal)
    let takesTitle = terminal.hasPrefix("rxvt") || terminal.hasPrefix("foot") || environment["VTE_VERSION"] != nil
    notification = hasTitle ? (takesTitle ? .titleAndText : .text) : nil
  }

  /// Rings, and shows the alert where the terminal can.
  func alert(_ alert: TerminalAlert) -> String {
    switch notification {
    case .text: "\(Self.bell)\u{1B}]9;\(alert.title): \(alert.text)\(Self.end)"
    case .titleAndText: "\(Self.bell)\u{1B}]777;notify;\(alert.title);\(alert.text)\(Self.end)"
    case nil: Self.bell
    }
  }

  /// The title with the number of unread messages.
  func title(unread: Int) -> String {
    hasTitle ? "\u{1B}]2;\(unread > 0 ? "(\(unread)) " : "")simplex-chat\(Self.end)" : ""
  }

  /// Saves the window's title on the terminal's stack (XTWINOPS 22).
  var saveTitle: String { hasTitle ? "\u{1B}[22;2t" : "" }

  /// Gives the window the title back that it had.
  var restoreTitle: String { hasTitle ? "\u{1B}[23;2t" : "" }
}
