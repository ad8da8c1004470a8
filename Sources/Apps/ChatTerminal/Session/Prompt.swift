#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Questions before the session has begun. They end without an answer once the task is cancelled.
public enum Prompt {
  /// Whether somebody can answer: the input is a terminal.
  public static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  /// The answer in a line; nil at the end of the input.
  static func line(_ question: String) async -> String? {
    StandardOutput.write(text: question)
    let (answers, answer) = AsyncStream.makeStream(of: String.self)
    startThread {
      if let line = readLine(strippingNewline: true) { answer.yield(line.trimmed) }
      answer.finish()
    }
    for await line in answers { return line }
    // Whatever follows begins on a line of its own.
    StandardOutput.write(text: "\n")
    return nil
  }

  /// Whether the answer is yes; false where the input is not a terminal.
  public static func isConfirmed(_ question: String) async -> Bool {
    guard isatty(STDIN_FILENO) == 1 else { return false }
    return ["y", "yes"].contains((await line("\(question) (y/N): ") ?? "").lowercased())
  }

  /// An answer that is not shown while it is typed; nil where the input is no terminal.
  static func secret(_ question: String) async -> String? {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    let answer = await line(question)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    if answer != nil { StandardOutput.write(text: "\n") }
    return answer
  }
}
