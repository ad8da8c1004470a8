/// A line that somebody typed.
public struct TypedLine: Hashable, Sendable {
  /// How the line was finished.
  public enum Ending: Hashable, Sendable {
    /// By Enter.
    case enter
    /// As a live message: sent at once, and updated while it is typed.
    case live
    /// As the whole text of the live message that is being typed.
    case endOfLive
    /// The live message stays as it was sent last; the text is dropped.
    case abandonedLive
  }

  /// The line.
  public var text: String
  /// The chat that the line goes to if it names none: the one that was chosen when its first character was typed, as
  /// the beginning of a message to it. Empty for none.
  public var chat = ""
  /// The database id of the profile that was active when its first character was typed; nil where the input does not
  /// know it.
  public var profile: Int64?
  /// How it was finished.
  public var ending = Ending.enter

  /// A finished line.
  public init(_ text: String, chat: String = "", ending: Ending = .enter) {
    self.text = text
    self.chat = chat
    self.ending = ending
  }
}

/// Where typed lines come from, and where lines are shown meanwhile.
///
/// The input keeps the chosen chat, because a line that is typed ahead must go where the line before it went: the
/// choice changes when a line that names a chat is finished, not when it is processed.
public protocol LineInput: Sendable {
  /// The lines, in order; it ends with the input.
  var lines: AsyncStream<TypedLine> { get }

  /// Beginnings of lines that are to be completed.
  var completions: AsyncStream<String> { get }

  /// Whether a person types: then what is typed is shown by the input itself.
  var isInteractive: Bool { get }

  /// What is typed now.
  var typed: String { get }

  /// The width of the window in columns; nil where there is no window.
  var columns: Int? { get }

  /// The chat that a line without a mark goes to, as the beginning of a message to it. Empty for none.
  var chosenChat: String { get }

  /// Shows lines, above what is being typed. Lines with a key can be replaced.
  func show(_ lines: [StyledText], as key: Int64?)

  /// Shows other lines in place of those with a key; false where they are no longer on the screen.
  func replace(_ key: Int64, with lines: [StyledText]) -> Bool

  /// Keeps rows between the lines and what is being typed, in place of those before; none to remove them.
  func showStatus(_ rows: [String])

  /// Rings, and shows a desktop notification where the terminal can.
  func alert(_ alert: TerminalAlert)

  /// Shows how many messages are not read, in the title of the window.
  func showUnread(_ count: Int)

  /// Goes on with a profile, and with the chat that was chosen last while it was active.
  ///
  /// - Parameters:
  ///   - id: The database id of the profile.
  ///   - name: The name that the prompt shows; nil to show none.
  func showProfile(_ id: Int64, name: String?)

  /// Whether the person looks at the terminal, as far as that reports it.
  var isLookedAt: Bool { get }

  /// Sets what happens when the person looks at the terminal again.
  func setAttention(_ body: (@Sendable () -> Void)?)

  /// Sets what Ctrl-C does at an empty line, in the place of ending the session; nil for that.
  func setInterrupt(_ body: (@Sendable () -> Void)?)

  /// Puts another chat, or none, in place of the chosen one of a profile, if that is still `old`. A line that was begun
  /// goes where it was going.
  func replaceChat(_ old: String, with new: String, of profile: Int64)

  /// Makes a chat that was chosen while one profile was active the chosen one of another: its line was typed ahead.
  func moveChoice(_ chat: String, from old: Int64, to new: Int64)

  /// Chooses a chat for the person, unless one is chosen or something is typed.
  func offerChat(_ chat: String)

  /// Begins a live message with this text: from now on, what is typed belongs to it.
  func beginLive(_ text: String, in chat: String)

  /// Replaces the beginning of the typed line, if it is still what it was when it was to be completed.
  func complete(_ beginning: String, with completed: String)

  /// Asks for a text that is not shown while it is typed; nil where the person does not answer, or nobody can be asked.
  func secret(_ question: String) async -> String?

  /// Removes what is kept of typed lines for the next start, and keeps no more.
  func forgetHistory()

  /// Restores the terminal.
  func end() async
}

extension LineInput {
  /// Nil: nobody can be asked.
  public func secret(_ question: String) async -> String? { nil }

  /// A no-op: nothing is kept.
  public func forgetHistory() {}

  /// Nil: there is no window.
  public var columns: Int? { nil }

  /// False: that is unknown.
  public var isLookedAt: Bool { false }

  /// A no-op: that is unknown.
  public func setAttention(_ body: (@Sendable () -> Void)?) {}

  /// A no-op: there are no keys.
  public func setInterrupt(_ body: (@Sendable () -> Void)?) {}

  /// A no-op: rows that change are for screens.
  public func showStatus(_ rows: [String]) {}

  /// A no-op: nobody is there.
  public func alert(_ alert: TerminalAlert) {}

  /// A no-op: there is no window.
  public func showUnread(_ count: Int) {}

  /// A no-op: no prompt shows a profile.
  public func showProfile(_ id: Int64, name: String?) {}

  /// A no-op: nobody chooses.
  public func moveChoice(_ chat: String, from old: Int64, to new: Int64) {}

  /// None: nobody chooses.
  public var chosenChat: String { "" }

  /// Shows lines that stay as they are.
  public func show(_ lines: [StyledText]) { show(lines, as: nil) }
}
