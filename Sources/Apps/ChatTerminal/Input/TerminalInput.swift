#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A person at a terminal, with line editing, history and pasting.
///
/// One thread waits for keys and, through a pipe, for lines to show; it alone writes to the terminal.
public final class TerminalInput: LineInput {
  /// The typed lines.
  public let lines: AsyncStream<TypedLine>
  /// Beginnings of lines, when Tab was pressed.
  public let completions: AsyncStream<String>
  /// A person types.
  public var isInteractive: Bool { true }
  private let line: AsyncStream<TypedLine>.Continuation
  private let completion: AsyncStream<String>.Continuation
  private let state: Mutex<TypingState>
  private let wakeReader: Int32
  private let wakeWriter: Int32
  private let sequences: AlertSequences

  private init(pipe: (reader: Int32, writer: Int32), history: HistoryFile?) {
    var state = TypingState()
    if let history { state.editor = LineEditor(history: history.lines()) }
    state.history = history
    self.state = Mutex(state)
    (lines, line) = AsyncStream.makeStream(of: TypedLine.self)
    (completions, completion) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
    (wakeReader, wakeWriter) = pipe
    sequences = AlertSequences(environment: ProcessInfo.processInfo.environment)
  }

  /// Takes the terminal; nil where the standard input or output is none.
  ///
  /// - Parameter historyFile: Where typed lines are kept for the next start; nil to keep them in memory only.
  public static func start(historyFile: String? = nil) -> TerminalInput? {
    guard isatty(STDOUT_FILENO) == 1, let mode = RawMode.begin() else { return nil }
    var descriptors: [Int32] = [0, 0]
    guard pipe(&descriptors) == 0 else {
      mode.end()
      return nil
    }
    let input = TerminalInput(
      pipe: (descriptors[0], descriptors[1]), history: historyFile.map { HistoryFile(path: $0) })
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    startThread { input.run(mode) }
    return input
  }

  // MARK: From outside

  /// What is typed now.
  public var typed: String { state.withLock { $0.editor.text } }

  /// The chat of the prompt.
  public var chosenChat: String { state.withLock { $0.chat } }

  /// Shows lines above the one that is being typed.
  public func show(_ lines: [StyledText], as key: Int64?) {
    guard !lines.isEmpty else { return }
    change { state in
      state.changes.append(.lines(lines, key: key))
      if let key { state.keys.insert(key) }
    }
  }

  /// Shows other lines in place of those with a key.
  public func replace(_ key: Int64, with lines: [StyledText]) -> Bool {
    guard state.withLock({ $0.keys.contains(key) }) else { return false }
    change { $0.changes.append(.replacement(key, lines)) }
    return true
  }

  /// Keeps rows above what is being typed.
  public func showStatus(_ rows: [String]) { change { $0.status = rows } }

  /// Rings, and notifies where the terminal can.
  public func alert(_ alert: TerminalAlert) { change { $0.sequences += sequences.alert(alert) } }

  /// Puts the number of unread messages into the title of the window.
  public func showUnread(_ count: Int) {
    change { state in
      guard state.unread != count else { return }
      state.unread = count
      state.sequences += sequences.title(unread: count)
    }
  }

  /// The present width of the window in columns.
  public var columns: Int? { RawMode.size.columns }

  /// Whether the terminal's window has the keyboard.
  public var isLookedAt: Bool { state.withLock { $0.isLookedAt } }

  /// Sets what happens when the window gets the keyboard.
  public func setAttention(_ body: (@Sendable () -> Void)?) { state.withLock { $0.attention = body } }

  /// Sets what Ctrl-C does at an empty line.
  public func setInterrupt(_ body: (@Sendable () -> Void)?) { state.withLock { $0.interrupt = body } }

  /// Puts another profile, and the chat that was chosen last for it, into the prompt.
  public func showProfile(_ id: Int64, name: String?) {
    change { state in
      // A chat that was chosen before the first profile was named belongs to that profile.
      if let chat = state.chats.removeValue(forKey: nil), state.chats[id] == nil { state.chats[id] = chat }
      state.profile = (id, name)
    }
  }

  /// Puts another chat in place of the chosen one of a profile.
  public func replaceChat(_ old: String, with new: String, of profile: Int64) {
    change { if $0.chats[profile] == old { $0.chats[profile] = new } }
  }

  /// Moves a chat that was chosen too early to the profile that it is a chat of.
  public func moveChoice(_ chat: String, from old: Int64, to new: Int64) {
    change { state in
      if state.chats[old] == chat { state.chats[old] = nil }
      state.chats[new] = chat
    }
  }

  /// Chooses a chat, unless one is chosen or something is typed.
  public func offerChat(_ chat: String) { change { if $0.chat.isEmpty && $0.editor.isEmpty { $0.chat = chat } } }

  /// Begins a live message. What was typed meanwhile belongs to it.
  public func beginLive(_ text: String, in chat: String) {
    change { state in
      state.liveChat = chat
      state.editor.text = text + state.editor.text
      state.fixChat()
    }
  }

  /// Replaces the text before the cursor.
  public func complete(_ beginning: String, with completed: String) {
    change { $0.editor.complete(beginning, with: completed) }
  }

  /// Asks a question in the place of the line that is being typed, which comes back afterwards.
  public func secret(_ question: String) async -> String? {
    await withCheckedContinuation { continuation in
      let isAsked = state.withLock { state in
        guard !state.hasEnded, state.secret == nil else { return false }
        state.secret = (question, LineEditor(), continuation)
        return true
      }
      if isAsked { wake() } else { continuation.resume(returning: nil) }
    }
  }

  /// Restores the terminal.
  public func end() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        state.isEnding = true
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() } else { wake() }
    }
  }

  /// Removes the file of typed lines.
  public func forgetHistory() {
    let file = state.withLock { state in
      defer { state.history = nil }
      return state.history
    }
    file?.remove()
  }

  private func change(_ body: (inout TypingState) -> Void) {
    let hasEnded = state.withLock { state in
      body(&state)
      return state.hasEnded
    }
    // Without the thread there is nothing to stay above.
    if hasEnded { writeRest() } else { wake() }
  }

  private func wake() {
    var byte: UInt8 = 0
    _ = write(wakeWriter, &byte, 1)
  }

  /// Writes what is still to be shown, without a line below it.
  private func writeRest() {
    let changes = state.withLock { state in
      defer { state.changes = [] }
      return state.changes
    }
    for case .lines(let lines, _) in changes { StandardOutput.write(lines.map(\.screenText)) }
  }

  // MARK: The thread

  private func run(_ mode: RawMode) {
    let resizing = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
    resizing.setEventHandler { [weak self] in self?.wake() }
    resizing.activate()
    var decoder = KeyDecoder()
    var screen = LineScreen()
    // What was typed before the terminal was taken has the ends of lines that the system puts for Enter.
    for key in decoder.keys((wait(0) ?? []).map { $0 == 0x0A ? 0x0D : $0 }) { handle(key) }
    StandardOutput.write(text: sequences.saveTitle)
    draw(&screen)
    while !state.withLock({ $0.isEnding }) {
      guard let bytes = wait(decoder.isAtEscape ? 50 : -1) else { break }
      let keys = bytes.isEmpty ? decoder.takeEscape().map { [$0] } ?? [] : decoder.keys(bytes)
      for key in keys where !state.withLock({ $0.isEnding }) {
        if key == .suspend { stop(mode, &screen) } else { handle(key) }
      }
      draw(&screen)
    }
    resizing.cancel()
    StandardOutput.write(text: screen.erased() + sequences.restoreTitle)
    mode.end()
    finish()
  }

  /// Restores the terminal and stops all processes of the program's group, until the shell continues them.
  private func stop(_ mode: RawMode, _ screen: inout LineScreen) {
    StandardOutput.write(text: screen.erased() + sequences.restoreTitle)
    screen.forgetLines()
    mode.end()
    kill(0, SIGTSTP)
    // The other threads may stop first: what follows waits until the program was stopped and continued.
    usleep(50_000)
    mode.resume()
    StandardOutput.write(text: sequences.saveTitle)
    state.withLock { $0.sequences += $0.unread.map(sequences.title) ?? "" }
  }

  /// Waits for keys, for something to show, or for what follows an escape; nil when the terminal is gone.
  private func wait(_ milliseconds: Int32) -> [UInt8]? {
    var sources = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&sources, nfds_t(sources.count), milliseconds) >= 0 else { return errno == EINTR ? [] : nil }
    if sources[1].revents != 0 { while !Self.readBytes(wakeReader).isEmpty {} }
    guard sources[0].revents != 0 else { return [] }
    let bytes = Self.readBytes(STDIN_FILENO)
    return bytes.isEmpty ? nil : bytes
  }

  private static func readBytes(_ descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
  }

  private func handle(_ key: Key) {
    if case .focus(let isLookedAt) = key {
      let attention = state.withLock { state in
        state.isLookedAt = isLookedAt
        return isLookedAt ? state.attention : nil
      }
      attention?()
      return
    }
    if state.withLock({ $0.secret != nil }) { return handleSecret(key) }
    if key == .interrupt,
      let interrupt = state.withLock({ $0.editor.isEmpty && $0.liveChat == nil ? $0.interrupt : nil })
    {
      return interrupt()
    }
    let lines = state.withLock { state -> [TypedLine] in
      if let live = state.liveChat, let lines = state.endLive(in: live, by: key) { return lines }
      let begun = state.begun ?? state.typedChoice
      let outcome = state.editor.handle(key)
      defer { state.fixChat() }
      switch outcome {
      case .edited: return []
      case .line(let text): return [state.finish(text, in: begun, as: .enter)]
      case .live(let text): return [state.finish(text, in: begun, as: .live)]
      case .completion(let beginning):
        completion.yield(beginning)
        return []
      case .ended:
        state.isEnding = true
        return []
      }
    }
    for typed in lines {
      line.yield(typed)
      if typed.ending == .enter || typed.ending == .live { state.withLock { $0.history }?.append(typed.text) }
    }
  }

  /// Takes a key of an answer that is not shown.
  private func handleSecret(_ key: Key) {
    let answered = state.withLock { $0.takeSecret(key) }
    answered?.answer.resume(returning: answered?.text)
  }

  /// Writes what is to be shown in place of the line that is being typed, and that line again below.
  private func draw(_ screen: inout LineScreen) {
    let (changes, prompt, editor, sequences) = state.withLock { state in
      defer { (state.changes, state.sequences, state.drawnProfile) = ([], "", state.profile) }
      // Not even the length of a secret answer is shown.
      return (state.changes, state.prompt, state.secret == nil ? state.editor : LineEditor(), state.sequences)
    }
    let size = RawMode.size
    let characters = SecretLine.masked(editor.characters)
    let layout = LineLayout(prompt: prompt, characters, cursor: editor.cursor, width: size.columns)
    StandardOutput.write(text: sequences + screen.show(changes, layout, width: size.columns, height: size.rows))
    let shown = screen
    state.withLock { state in
      // What was added meanwhile is not drawn yet.
      if state.changes.isEmpty { state.keys = state.keys.filter { shown.shows($0) } }
    }
  }

  private func finish() {
    line.finish()
    completion.finish()
    let (waiting, secret) = state.withLock { state in
      state.hasEnded = true
      defer { (state.waiting, state.secret) = ([], nil) }
      return (state.waiting, state.secret?.answer)
    }
    secret?.resume(returning: nil)
    writeRest()
    for waiter in waiting { waiter.resume() }
  }
}
