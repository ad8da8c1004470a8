/// The state of typing at a terminal: the line, its destination, and changes of the screen that wait to be drawn.
struct TypingState {
  var editor = LineEditor()
  /// The active profile; its id is nil before the session names it.
  var profile: (id: Int64?, name: String?) = (nil, nil)
  /// The profile whose prompt is on the screen: a line that is typed ahead of the next one belongs to it.
  var drawnProfile: (id: Int64?, name: String?) = (nil, nil)
  /// The chosen chats of the profiles.
  var chats: [Int64?: String] = [:]
  /// The chosen chat.
  var chat: String {
    get { chats[profile.id] ?? "" }
    set { chats[profile.id] = newValue }
  }
  /// The destination of the line that is being typed, fixed by its first character; nil while nothing is typed.
  var begun: Choice?
  /// The chat of the live message that is being typed.
  var liveChat: String?
  /// The question whose answer is typed in the place of a line, and is not shown.
  var secret: (question: String, editor: LineEditor, answer: CheckedContinuation<String?, Never>)?
  var changes: [ScreenChange] = []
  /// Control sequences that wait to be written: of alerts, and of the title.
  var sequences = ""
  /// The number of unread messages in the title; nil before it was set.
  var unread: Int?
  /// Rows above what is being typed.
  var status: [String] = []
  /// Whether the window has the keyboard; false where the terminal does not report it.
  var isLookedAt = false
  /// Called when the window gets the keyboard.
  var attention: (@Sendable () -> Void)?
  /// The action of Ctrl-C at an empty line; nil where it ends the session.
  var interrupt: (@Sendable () -> Void)?
  /// The file that keeps typed lines for the next start.
  var history: HistoryFile?
  /// Keys of lines that can be replaced.
  var keys: Set<Int64> = []
  var wantsStop = false
  var isEnding = false
  var hasEnded = false
  var waiting: [CheckedContinuation<Void, Never>] = []

  /// The profile and the chat that the prompt names.
  var choice: Choice { Choice(profile: profile, chat: chat) }

  /// The destination of a line that the next key begins.
  var typedChoice: Choice {
    drawnProfile.id == nil ? choice : Choice(profile: drawnProfile, chat: chats[drawnProfile.id] ?? "")
  }

  /// Keeps the chat of the line while something is typed.
  mutating func fixChat() { begun = editor.isEmpty ? nil : begun ?? typedChoice }

  /// The prompt, below the status.
  var prompt: String {
    if let secret { return secret.question + " " }
    return status.map { $0 + "\n" }.joined() + (liveChat.map { "> \($0)[LIVE] " } ?? (begun ?? choice).prompt)
  }

  /// A profile, and a chat of it.
  struct Choice {
    let profile: (id: Int64?, name: String?)
    let chat: String

    var prompt: String { (profile.name.map { "[\($0)] " } ?? "") + chat + "> " }
  }

  // MARK: Keys

  /// A finished line. Lines after it go to the chat that it names.
  mutating func finish(_ text: String, in begun: Choice, as ending: TypedLine.Ending) -> TypedLine {
    if let target = ChatTarget(of: text), target.choosesChat {
      chats[begun.profile.id ?? profile.id] = target.prefix
    }
    var line = TypedLine(text, chat: begun.chat, ending: ending)
    line.profile = begun.profile.id
    return line
  }

  /// The lines by which a key ends a live message; nil for keys that only edit it.
  mutating func endLive(in chat: String, by key: Key) -> [TypedLine]? {
    let text = editor.text
    switch key {
    case .enter where text.hasPrefix("/"):
      // A command is not for the contact.
      liveChat = nil
      _ = editor.handle(.enter)
      let begun = Choice(profile: profile, chat: chat)
      fixChat()
      return [TypedLine("", chat: chat, ending: .abandonedLive), finish(text, in: begun, as: .enter)]
    case .enter, .live, .escape:
      liveChat = nil
      _ = editor.handle(.enter)
      fixChat()
      return [TypedLine(text, chat: chat, ending: text.trimmed.isEmpty ? .abandonedLive : .endOfLive)]
    case .interrupt:
      liveChat = nil
      editor.text = ""
      fixChat()
      return [TypedLine("", chat: chat, ending: .abandonedLive)]
    default: return nil
    }
  }

  /// Takes a key of an answer that is not shown; returns the answer where the key ends it, nil for none.
  mutating func takeSecret(_ key: Key) -> (answer: CheckedContinuation<String?, Never>, text: String?)? {
    guard var secret = self.secret else { return nil }
    let text: String?
    switch key {
    case .enter: text = secret.editor.text
    case .interrupt, .endOfInput, .escape: text = nil
    case .up, .down, .tab, .live, .suspend, .focus: return nil
    default:
      _ = secret.editor.handle(key)
      self.secret = secret
      return nil
    }
    self.secret = nil
    return (secret.answer, text)
  }
}
