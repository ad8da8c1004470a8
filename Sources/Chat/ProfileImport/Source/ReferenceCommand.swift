import SMPProtocol
import WireCodec

/// A command that the reference's agent has not finished, as far as an import needs it.
enum ReferenceCommand: Equatable {
  /// NEW: creates the queue of an invitation.
  case create
  /// JOIN: joins by a link.
  case join(request: String, info: [UInt8])
  /// LET: allows the peer that sent a confirmation.
  case allow(confirmation: [UInt8], info: [UInt8])
  /// ALLOW_SECURE: goes on with the confirmation that was accepted.
  case allowAccepted
  /// DUPLEX_SECURE: secures the queue with the peer's key, then sends HELLO.
  case secure(queue: [UInt8], AuthorizationKey, at: Int64)
  /// QSECURE: secures the replacement of a queue.
  case secureReplacement(queue: [UInt8], AuthorizationKey)
  /// QDELETE: deletes a queue that was replaced.
  case deleteReplaced(queue: [UInt8])
  /// SWCH: replaces the queue.
  case switchQueue
  /// One that is not needed any more: the relay or the peer does without it.
  case unneeded

  /// Nil for a command that cannot be read.
  /// - Parameters:
  ///   - bytes: the column `command`: words, in base64url where they are binary, and `LENGTH\nBYTES` at the end.
  ///   - time: since when, in microseconds.
  init?(_ bytes: [UInt8], at time: Int64) {
    var words = Words(bytes[...])
    switch (words.next(), words.next()) {
    case ("CLIENT", "NEW"): self = .create
    case ("CLIENT", "JOIN"):
      // Whether notifications are on.
      guard words.next() != nil, let request = words.next() else { return nil }
      // Two more words in later versions: post-quantum encryption, and how the queue is subscribed.
      guard let info = words.sized ?? words.sized(after: 1) ?? words.sized(after: 2) else { return nil }
      self = .join(request: request, info: info)
    case ("CLIENT", "LET"):
      guard let confirmation = words.next(), let info = words.sized else { return nil }
      self = .allow(confirmation: Array(confirmation.utf8), info: info)
    case ("CLIENT", "SWCH"): self = .switchQueue
    case ("INTERNAL", "ALLOW_SECURE"): self = .allowAccepted
    case ("INTERNAL", "DUPLEX_SECURE"):
      guard let (queue, key) = words.queueAndKey() else { return nil }
      self = .secure(queue: queue, key, at: time)
    case ("INTERNAL", "QSECURE"):
      guard let (queue, key) = words.queueAndKey() else { return nil }
      self = .secureReplacement(queue: queue, key)
    case ("INTERNAL", "QDELETE"):
      guard let queue = words.next().flatMap({ Base64URL.decode($0) }) else { return nil }
      self = .deleteReplaced(queue: queue)
    case ("CLIENT", "LSET"), ("CLIENT", "LGET"), ("CLIENT", "ACK"), ("CLIENT", "DEL"), ("INTERNAL", "ACK"),
      ("INTERNAL", "ACK_DEL"), ("INTERNAL", "DELETE_CONN"), ("INTERNAL", "DELETE_RCV_QUEUE"):
      self = .unneeded
    default: return nil
    }
  }
}

/// The words of a command.
private struct Words {
  var rest: ArraySlice<UInt8>

  init(_ rest: ArraySlice<UInt8>) { self.rest = rest }

  /// The next word, up to a space or the end; nil at the end.
  mutating func next() -> String? {
    guard !rest.isEmpty else { return nil }
    let word = rest.prefix { $0 != UInt8(ascii: " ") }
    rest = rest.dropFirst(word.count + 1)
    return String(validating: word, as: UTF8.self)
  }

  /// What is left, as bytes with their length before; nil where it is something else.
  var sized: [UInt8]? {
    let digits = rest.prefix { $0 != UInt8(ascii: "\n") }
    guard digits.count < rest.count, digits.count <= 6, let count = Int(String(decoding: digits, as: UTF8.self)) else {
      return nil
    }
    let bytes = rest.dropFirst(digits.count + 1)
    return bytes.count == count ? Array(bytes) : nil
  }

  /// The same after some words.
  func sized(after count: Int) -> [UInt8]? {
    var words = self
    for _ in 0..<count { guard words.next() != nil else { return nil } }
    return words.sized
  }

  mutating func queueAndKey() -> (queue: [UInt8], AuthorizationKey)? {
    guard let queue = next().flatMap({ Base64URL.decode($0) }), let text = next(),
      let key = try? AuthorizationKey.textCodec.decode(text: text)
    else { return nil }
    return (queue, key)
  }
}
