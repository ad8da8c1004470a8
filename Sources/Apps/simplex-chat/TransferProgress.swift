import SimplexCrypto

/// What an import or export of a profile reports while it runs: tenths of the messages, on standard error.
struct TransferProgress {
  private var shown = 0

  /// Writes a line for each further tenth.
  mutating func show(_ done: Int, of total: Int) {
    guard total > 0, done * 10 / total > shown else { return }
    shown = done * 10 / total
    SimplexChatCommand.note("\(shown * 10)% of the messages")
  }
}

extension SecretBytes {
  /// A passphrase that was typed; nil for none.
  static func passphrase(_ text: String) -> SecretBytes? { text.isEmpty ? nil : SecretBytes(Array(text.utf8)) }
}
