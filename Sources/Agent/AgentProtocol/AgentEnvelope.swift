import DoubleRatchet
import WireCodec

/// What an agent puts into the queue of its peer, inside the encryption of the queue. Source: agent-protocol.md, "SMP
/// agent messages".
public struct AgentEnvelope: Hashable, Sendable {
  /// The version of the agent protocol that its sender uses.
  public var version: UInt16
  /// What is in it.
  public var content: Content

  /// An envelope.
  public init(version: UInt16, content: Content) {
    self.version = version
    self.content = content
  }

  /// What an envelope holds.
  public enum Content: Hashable, Sendable {
    /// A side's information, encrypted with the ratchet; the joining side's keys come first.
    case confirmation(keys: E2EParameters?, encryptedInfo: [UInt8])
    /// A message, encrypted with the ratchet.
    case message(encrypted: [UInt8])
    /// A request to a contact address: an invitation to answer it with, and the requester's information, encrypted by
    /// the queue alone.
    case invitation(ConnectionRequest, info: [UInt8])
    /// Keys for a new ratchet of the connection.
    case ratchetKey(E2EParameters, info: [UInt8])
  }

  /// Version (2 bytes), a letter, and the content.
  public static let codec = Codec<AgentEnvelope>.record(
    Field("version", \.version, .integer), Field("content", \.content, Content.codec),
    build: { AgentEnvelope(version: $0, content: $1) })
}

extension AgentEnvelope.Content {
  fileprivate static let codec = Codec<AgentEnvelope.Content>.tagged(
    "an agent envelope",
    Alternative(
      "C", E2EParameters.codec.optional.pair(.tail, separator: ""),
      { .confirmation(keys: $0.0, encryptedInfo: $0.1) },
      { if case .confirmation(let keys, let info) = $0 { (keys, info) } else { nil } }),
    Alternative("M", .tail, { .message(encrypted: $0) }) {
      if case .message(let encrypted) = $0 { encrypted } else { nil }
    },
    Alternative(
      "I", ConnectionRequest.invitationTextCodec.inLarge.pair(.tail, separator: ""),
      { .invitation($0.0, info: $0.1) },
      { if case .invitation(let request, let info) = $0 { (request, info) } else { nil } }),
    Alternative(
      "R", E2EParameters.codec.pair(.tail, separator: ""), { .ratchetKey($0.0, info: $0.1) },
      { if case .ratchetKey(let keys, let info) = $0 { (keys, info) } else { nil } }))
}
