import SimplexCrypto

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What an import or export of a profile reports while it runs, on standard error: a bar on a terminal, elsewhere a
/// line for each tenth of the messages.
struct TransferProgress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var shown = 0
  private static let width = 40

  /// Shows how many messages are done. It does so again only where that changes something.
  mutating func show(_ done: Int, of total: Int) {
    guard total > 0 else { return }
    let steps = isTerminal ? 100 : 10
    // Of a damaged database the total may be too small.
    let reached = min(done, total) * steps / total
    guard reached > shown else { return }
    shown = reached
    guard isTerminal else { return SimplexChatCommand.note("\(reached * 10)% of the messages") }
    let full = reached * Self.width / steps
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
    SimplexChatCommand.note("\r[\(bar)] \(reached)% of the messages", terminator: reached == steps ? "\n" : "")
  }

  /// Ends the line of the bar, where something failed.
  func end() { if isTerminal, shown > 0, shown < 100 { SimplexChatCommand.note("") } }
}

extension SecretBytes {
  /// A passphrase that was typed; nil for none.
  static func passphrase(_ text: String) -> SecretBytes? { text.isEmpty ? nil : SecretBytes(Array(text.utf8)) }
}
