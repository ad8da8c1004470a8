#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The mode of a terminal in which it returns every key at once, marks pasted text, and reports whether its window has
/// the keyboard.
struct RawMode {
  /// Pasted text is marked, and focus reported.
  private static let marks = "\u{1B}[?2004h\u{1B}[?1004h"

  private let before: termios
  private let raw: termios

  /// Begins; nil where the standard input is no terminal.
  static func begin() -> RawMode? {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    settings.c_iflag &= ~tcflag_t(ICRNL | IXON | INLCR | IGNCR)
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else { return nil }
    StandardOutput.write(text: Self.marks)
    return RawMode(before: before, raw: settings)
  }

  /// Takes the terminal again after ``end()``.
  func resume() {
    var settings = raw
    _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    StandardOutput.write(text: Self.marks)
  }

  /// Restores the terminal.
  func end() {
    StandardOutput.write(text: "\u{1B}[?1004l\u{1B}[?2004l")
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
