import AgentCore

/// What one side knows of a connection, apart from its agent: kept by the application, so it survives crashes.
public final class Conversation {
  /// What became of an attempt to send.
  enum Attempt: Equatable {
    /// The agent took it.
    case accepted(AgentMessageID)
    /// The process died in the middle: it may be sent or not.
    case unknown
  }

  /// The connection.
  public let connection: ConnectionID
  /// Whether the agent said that it works in both directions.
  public internal(set) var isConnected = false
  /// Whether it was deleted.
  public internal(set) var isDeleted = false
  /// The other side.
  public internal(set) weak var peer: Conversation?
  /// For the trace.
  let name: String

  var attempts: [Attempt] = []
  /// Messages that the agent failed to send.
  var failed: Set<AgentMessageID> = []
  /// Messages that the peer confirmed.
  var receipts: Set<AgentMessageID> = []
  /// What was received, in order: the message here, and the attempt of the peer.
  var received: [(id: AgentMessageID, attempt: Int)] = []
  /// Whether the ratchet was renegotiated: the keys have a number among the messages, so that one seems to be missing.
  var hasGaps = false
  /// Whether messages may be lost: what comes through a queue that is being replaced cannot be decrypted with a ratchet
  /// that was agreed meanwhile.
  var mayLose: Bool { hasGaps && mayReorder || mayExpire }
  /// Whether relays delete messages that wait for long; that some are missing is reported.
  var mayExpire = false
  /// Whether a queue was replaced: what is in the old one may come after what is in the new one; that is reported.
  var mayReorder = false

  /// Whether replacing the queue was given up: the peer keeps the queue that was offered until the next offer.
  var wasKept = false

  init(_ connection: ConnectionID, name: String) {
    self.connection = connection
    self.name = name
  }

  /// How many messages were received.
  public var receivedCount: Int { received.count }
  /// How many messages the agent took.
  public var acceptedCount: Int {
    attempts.count { if case .accepted = $0 { true } else { false } }
  }

  /// Whether everything that the peer's agent took, and did not give up, was received.
  public var isComplete: Bool { missing == nil }

  /// The first message of the peer that should have been received.
  var missing: Int? {
    guard let peer else { return nil }
    let known = Set(received.map(\.attempt))
    return peer.attempts.indices.first { index in
      if case .accepted(let id) = peer.attempts[index] {
        !known.contains(index) && !peer.failed.contains(id)
      } else {
        false
      }
    }
  }

  /// Records a message; returns what is wrong with it.
  func receive(_ id: AgentMessageID, attempt: Int) -> String? {
    if let known = received.first(where: { $0.id == id }) {
      return known.attempt == attempt ? nil : "message \(id) came again with another content"
    }
    guard let peer else { return "a message without peer" }
    guard attempt < peer.attempts.count else { return "message \(attempt) was never sent" }
    if let last = received.last {
      if last.attempt >= attempt, !mayReorder { return "message \(attempt) came after \(last.attempt)" }
      if received.contains(where: { $0.attempt == attempt }) { return "message \(attempt) came twice" }
      // What was received before a crash, and not taken, comes again when its queue is subscribed, which may be later.
      if last.id >= id, !mayReorder { return "message numbers do not grow: \(id) after \(last.id)" }
    }
    received.append((id, attempt))
    return nil
  }
}
