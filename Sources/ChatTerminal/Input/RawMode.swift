#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A terminal that gives every key at once, and marks what is pasted.
struct RawMode {
  private let before: termios

  /// Begins; nil where the standard input is no terminal.
  static func begin() -> RawMode? {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    let mode = RawMode(before: settings)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    settings.c_iflag &= ~tcflag_t(ICRNL | IXON | INLCR | IGNCR)
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else { return nil }
    StandardOutput.write(text: "\u{1B}[?2004h")
    return mode
  }

  /// Gives the terminal back as it was.
  func end() {
    StandardOutput.write(text: "\u{1B}[?2004l")
    var settings = before
    _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }

  /// Rows and columns of the terminal.
  static var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }
}
