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

  private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
