#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import CEditLine
import Synchronization

/// A person at a terminal, with line editing and history by libedit. The history is kept in memory only.
///
/// libedit has one state for the process and calls back without context, so there is one such input, and everything of
/// libedit happens in its thread: it waits for keys and, through a pipe, for lines to show.
public final class EditLineInput: LineInput {
  private struct State {
    var shown: [StyledText] = []
    var prompt = "> "
    var isEnding = false
    var ended: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
    /// Whether a line was finished: libedit has given the terminal back with it.
    var hasLine = false
  }

  /// The input whose lines libedit's callback delivers.
  private static let current = Mutex<EditLineInput?>(nil)
  private static let historyLimit: Int32 = 500

  /// The typed lines.
  public let lines: AsyncStream<String>
  /// A person types.
  public var isInteractive: Bool { true }
  private let continuation: AsyncStream<String>.Continuation
  private let state = Mutex(State())
  private let wakeReader: Int32
  private let wakeWriter: Int32

  private init(pipe: (reader: Int32, writer: Int32)) {
    (lines, continuation) = AsyncStream.makeStream(of: String.self)
    (wakeReader, wakeWriter) = pipe
  }

  /// Takes the terminal; nil where the standard input or output is none, or somebody has taken it.
  public static func start() -> EditLineInput? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    var descriptors: [Int32] = [0, 0]
    guard pipe(&descriptors) == 0 else { return nil }
    let input = EditLineInput(pipe: (descriptors[0], descriptors[1]))
    let isFirst = current.withLock { current in
      if current != nil { return false }
      current = input
      return true
    }
    guard isFirst else { return nil }
    // Without a locale letters beyond ASCII are dropped.
    setlocale(LC_ALL, "")
    startThread { input.run() }
    return input
  }

  /// Shows lines above the one that is being typed.
  public func show(_ lines: [StyledText]) {
    guard !lines.isEmpty else { return }
    state.withLock { $0.shown += lines }
    wake()
  }

  /// Changes what stands before what is typed.
  public func prompt(_ prompt: String) {
    state.withLock { $0.prompt = prompt }
    wake()
  }

  /// Gives the terminal back.
  public func end() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        state.isEnding = true
        if !state.hasEnded { state.ended.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() } else { wake() }
    }
  }

  private func wake() {
    var byte: UInt8 = 0
    _ = write(wakeWriter, &byte, 1)
  }

  // MARK: The thread

  private func run() {
    using_history()
    stifle_history(Self.historyLimit)
    var prompt = state.withLock { $0.prompt }
    rl_callback_handler_install(prompt, editLineReadLine)
    var sources = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
    ]
    while !state.withLock({ $0.isEnding }) {
      guard poll(&sources, nfds_t(sources.count), -1) > 0 || errno == EINTR else { break }
      if sources[1].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 256)
        _ = read(wakeReader, &bytes, bytes.count)
        refresh(&prompt)
      }
      if sources[0].revents != 0 { rl_callback_read_char() }
      let hasLine = state.withLock { state in
        defer { state.hasLine = false }
        return state.hasLine
      }
      if hasLine { rl_callback_handler_install(prompt, editLineReadLine) }
    }
    rl_callback_handler_remove()
    StandardOutput.write(state.withLock { $0.shown.map(\.terminalText) })
    continuation.finish()
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.ended = [] }
      return state.ended
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Writes what is to be shown in place of the line that is being typed, and that line again below.
  private func refresh(_ prompt: inout String) {
    let (shown, wanted) = state.withLock { state in
      defer { state.shown = [] }
      return (state.shown, state.prompt)
    }
    if shown.isEmpty && wanted == prompt { return }
    let lines = shown.map { $0.terminalText + "\n" }.joined()
    StandardOutput.write(text: "\r\u{1B}[J" + lines)
    if wanted != prompt {
      prompt = wanted
      rl_set_prompt(wanted)
    }
    rl_forced_update_display()
  }

  /// Called by libedit with a finished line; nil at the end of the input.
  fileprivate static func finished(_ line: String?) {
    guard let input = current.withLock({ $0 }) else { return }
    guard let line else {
      input.state.withLock { $0.isEnding = true }
      return
    }
    // The typed line goes; what comes of it is shown in its place.
    StandardOutput.write(text: "\u{1B}[A\r\u{1B}[J")
    if !line.isEmpty { add_history(line) }
    input.state.withLock { $0.hasLine = true }
    input.continuation.yield(line)
  }
}

private func editLineReadLine(_ line: UnsafeMutablePointer<CChar>?) {
  EditLineInput.finished(line.map { String(cString: $0) })
  free(line)
}
