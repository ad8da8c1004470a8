#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Dispatch
import Synchronization

/// A person at a terminal, with line editing, history and pasting. The history is kept in memory only.
///
/// One thread waits for keys and, through a pipe, for lines to show; it alone writes to the terminal.
public final class TerminalInput: LineInput {
  private struct State {
    var editor = LineEditor()
    var prompt = "> "
    var shown: [StyledText] = []
    var isEnding = false
    var hasEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The typed lines.
  public let lines: AsyncStream<TypedLine>
  /// Beginnings of lines, when Tab was pressed.
  public let completions: AsyncStream<String>
  /// A person types.
  public var isInteractive: Bool { true }
  private let line: AsyncStream<TypedLine>.Continuation
  private let completion: AsyncStream<String>.Continuation
  private let state = Mutex(State())
  private let wakeReader: Int32
  private let wakeWriter: Int32

  private init(pipe: (reader: Int32, writer: Int32)) {
    (lines, line) = AsyncStream.makeStream(of: TypedLine.self)
    (completions, completion) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
    (wakeReader, wakeWriter) = pipe
  }

  /// Takes the terminal; nil where the standard input or output is none.
  public static func start() -> TerminalInput? {
    guard isatty(STDOUT_FILENO) == 1, let mode = RawMode.begin() else { return nil }
    var descriptors: [Int32] = [0, 0]
    guard pipe(&descriptors) == 0 else {
      mode.end()
      return nil
    }
    let input = TerminalInput(pipe: (descriptors[0], descriptors[1]))
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    startThread { input.run(mode) }
    return input
  }

  // MARK: From outside

  /// What is typed now.
  public var typed: String {
    get { state.withLock { $0.editor.text } }
    set { change { $0.editor.text = newValue } }
  }

  /// Shows lines above the one that is being typed.
  public func show(_ lines: [StyledText]) {
    if !lines.isEmpty { change { $0.shown += lines } }
  }

  /// Changes what stands before what is typed.
  public func prompt(_ prompt: String) { change { $0.prompt = prompt } }

  /// Replaces what stands before the cursor.
  public func complete(_ beginning: String, with completed: String) {
    change { $0.editor.complete(beginning, with: completed) }
  }

  /// Gives the terminal back.
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

  private func change(_ body: (inout State) -> Void) {
    let hasEnded = state.withLock { state in
      body(&state)
      return state.hasEnded
    }
    // Without the thread there is nothing to stay above.
    if hasEnded { StandardOutput.write(takeShown().map(\.terminalText)) } else { wake() }
  }

  private func wake() {
    var byte: UInt8 = 0
    _ = write(wakeWriter, &byte, 1)
  }

  private func takeShown() -> [StyledText] {
    state.withLock { state in
      defer { state.shown = [] }
      return state.shown
    }
  }

  // MARK: The thread

  private func run(_ mode: RawMode) {
    let resizing = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
    resizing.setEventHandler { [weak self] in self?.wake() }
    resizing.activate()
    var decoder = KeyDecoder()
    var screen = LineScreen()
    draw(&screen)
    while !state.withLock({ $0.isEnding }) {
      guard let bytes = wait(isAtEscape: decoder.isAtEscape) else { break }
      if bytes.isEmpty { decoder.dropEscape() }
      for key in decoder.keys(bytes) where !state.withLock({ $0.isEnding }) { handle(key) }
      draw(&screen)
    }
    resizing.cancel()
    StandardOutput.write(text: screen.erased())
    mode.end()
    finish()
  }

  /// Waits for keys, for something to show, or for what follows an escape; nil when the terminal is gone.
  private func wait(isAtEscape: Bool) -> [UInt8]? {
    var sources = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&sources, nfds_t(sources.count), isAtEscape ? 50 : -1) >= 0 else { return errno == EINTR ? [] : nil }
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
    switch state.withLock({ $0.editor.handle(key) }) {
    case .edited: break
    case .line(let text): line.yield(TypedLine(text))
    case .live(let text): line.yield(TypedLine(text, isLive: true))
    case .completion(let beginning): completion.yield(beginning)
    case .ended: state.withLock { $0.isEnding = true }
    }
  }

  /// Writes what is to be shown in place of the line that is being typed, and that line again below.
  private func draw(_ screen: inout LineScreen) {
    let (shown, prompt, editor) = state.withLock { state in
      defer { state.shown = [] }
      return (state.shown, state.prompt, state.editor)
    }
    let size = RawMode.size
    let layout = LineLayout(prompt: prompt, editor.characters, cursor: editor.cursor, width: size.columns)
    StandardOutput.write(text: screen.show(shown, layout, height: size.rows))
  }

  private func finish() {
    line.finish()
    completion.finish()
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    StandardOutput.write(takeShown().map(\.terminalText))
    for waiter in waiting { waiter.resume() }
  }
}

/// The rows at the bottom of the screen that show the typed line.
struct LineScreen {
  private var drawn: LineLayout?
  private var cursorRow = 0

  /// The control sequences that take the line away, and put the cursor where it began.
  mutating func erased() -> String {
    defer { (drawn, cursorRow) = (nil, 0) }
    return (cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : "") + "\r\u{1B}[J"
  }

  /// The text that shows lines in place of the typed line, and it below. Nothing where nothing has changed.
  mutating func show(_ lines: [StyledText], _ layout: LineLayout, height: Int) -> String {
    guard !lines.isEmpty || drawn != layout else { return "" }
    var text = erased() + lines.map { $0.terminalText + "\n" }.joined()
    let visible = layout.visible(height: height)
    text += visible.rows.joined(separator: "\r\n")
    let below = visible.rows.count - 1 - visible.cursorRow
    text += (below > 0 ? "\u{1B}[\(below)A" : "") + "\r"
    if layout.cursorColumn > 0 { text += "\u{1B}[\(layout.cursorColumn)C" }
    (drawn, cursorRow) = (layout, visible.cursorRow)
    return text
  }
}
