#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether styles are used.
enum TerminalStyle {
  /// False where the environment asks for none (https://no-color.org) or the terminal has none.
  static let isUsed = isUsed(noColor: value("NO_COLOR"), terminal: value("TERM"))

  static func isUsed(noColor: String?, terminal: String?) -> Bool {
    noColor?.isEmpty ?? true && terminal != "dumb"
  }

  /// A text with the control sequence that makes a link of it (OSC 8), where it is the address itself, and in
  /// characters of ASCII, as the sequence requires.
  static func link(_ address: String) -> String {
    guard address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), value("TERM") != "linux" else { return address }
    return "\u{1B}]8;;\(address)\u{1B}\\\(address)\u{1B}]8;;\u{1B}\\"
  }

  private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
