import SMPServerCore
import WireCodec

/// A line of the reference server's `smp-server-messages.log`: a message as it was sent.
struct MessageLogLine {
  /// The identifier of the recipient.
  var queue: [UInt8]
  var message: QueuedMessage

  /// Whether it is the mark that the queue was full.
  var isMark: Bool { message.content == .quotaExceeded }

  /// Reads a line: `v3 queue message time flags=T
  /// F body`, or `v3 queue message time quota`; nil for any other.
  init?(_ line: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count >= 5, words[0] == "v3", let queue = identifier(words[1]), let id = identifier(words[2]),
      id.count == 24, let time = Int64(words[3])
    else { return nil }
    self.queue = queue
    switch (words[4], words.count) {
    case ("quota", 5): message = QueuedMessage(id: id, timestamp: time, content: .quotaExceeded)
    case (let flags, 6) where flags == "flags=T" || flags == "flags=F":
      guard let body = Base64URL.decode(words[5]) else { return nil }
      message = QueuedMessage(id: id, timestamp: time, content: .message(notify: flags == "flags=T", body: body))
    default: return nil
    }
  }
}
