#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Questions before the session has begun.
enum Prompt {
  /// The answer in a line; nil at the end of the input.
  static func line(_ question: String) -> String? {
    StandardOutput.write(text: question)
    return readLine(strippingNewline: true)?.trimmed
  }

  /// Whether the answer is yes; nobody answers where the input is no terminal.
  static func isConfirmed(_ question: String) -> Bool {
    guard isatty(STDIN_FILENO) == 1 else { return false }
    return ["y", "Y", "yes"].contains(line("\(question) (y/N): ") ?? "")
  }

  /// An answer that is not shown while it is typed; nil where the input is no terminal.
  static func secret(_ question: String) -> String? {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
      StandardOutput.write(text: "\n")
    }
    return line(question)
  }
}
