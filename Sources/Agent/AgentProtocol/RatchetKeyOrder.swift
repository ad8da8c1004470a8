import WireCodec

/// What an agent says beside its keys for a new ratchet, so that both sides end up with the same ratchet however their
/// keys crossed. It is in a field that the reference implementation leaves empty and does not read
/// (agent-protocol.md, "AgentRatchetKey": `ratchetInfo`).
public struct RatchetKeyOrder: Hashable, Sendable {
  /// Grows with each of the sender's keys for one connection. It begins with the time in milliseconds, so that it grows
  /// even when the sender went back to a backup.
  public var number: Int64
  /// The newest number of the recipient that the sender had seen; 0 for none.
  public var answered: Int64
  /// Whether these keys answer the recipient's, so that the sender has a ratchet; otherwise it waits for an answer,
  /// unless the recipient's newest keys are still in flight to it.
  public var isReply: Bool

  /// A value of its members.
  public init(number: Int64, answered: Int64, isReply: Bool) {
    self.number = number
    self.answered = answered
    self.isReply = isReply
  }

  /// The two numbers (8 bytes each) and whether it is a reply.
  public static let codec = Codec<RatchetKeyOrder>.record(
    Field("number", \.number, .integer), Field("answered", \.answered, .integer), Field("isReply", \.isReply, .bool),
    build: { RatchetKeyOrder(number: $0, answered: $1, isReply: $2) })
}
