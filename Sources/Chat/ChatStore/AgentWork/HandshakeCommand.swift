import WireCodec

/// A command for the agent that establishes a connection, as ``StoredAgentCommand`` has it. An import of a profile
/// stores them too.
public enum HandshakeCommand: Hashable, Sendable {
  /// Accepts the confirmation with this identifier; the peer gets the information.
  case allow(confirmation: [UInt8], info: [UInt8])
  /// Accepts a request to an address, by the agent's numbers of the user and of the request.
  case accept(user: Int64, invitation: [UInt8], pq: Bool, info: [UInt8])
  /// Joins by a link.
  case join(user: Int64, request: String, pq: Bool, info: [UInt8])
  /// Creates the connection as an invitation.
  case create(user: Int64, pq: Bool)

  // The numbers are stored.
  private static let allowKind = 3
  private static let acceptKind = 4
  private static let joinKind = 8
  private static let createKind = 9

  /// The kinds whose outcome comes as an event.
  public static let joiningKinds = [acceptKind, joinKind, createKind]

  private static let allowed = Codec<[UInt8]>.short.pair(.tail, separator: "")
  private static let accepted = Codec<Int64>.integer.pair(
    Codec<[UInt8]>.short.pair(Codec<Bool>.bool.pair(.tail, separator: ""), separator: ""), separator: "")
  private static let joined = Codec<Int64>.integer.pair(
    Codec<String>.largeText.pair(Codec<Bool>.bool.pair(.tail, separator: ""), separator: ""), separator: "")
  private static let created = Codec<Int64>.integer.pair(.bool, separator: "")

  /// The command as it is stored.
  public func stored() throws(WireError) -> (kind: Int, payload: [UInt8]) {
    switch self {
    case .allow(let confirmation, let info): (Self.allowKind, try Self.allowed.encode((confirmation, info)))
    case .accept(let user, let invitation, let pq, let info):
      (Self.acceptKind, try Self.accepted.encode((user, (invitation, (pq, info)))))
    case .join(let user, let request, let pq, let info):
      (Self.joinKind, try Self.joined.encode((user, (request, (pq, info)))))
    case .create(let user, let pq): (Self.createKind, try Self.created.encode((user, pq)))
    }
  }

  /// The command as it was stored; nil for one of another kind.
  public init?(kind: Int, payload: [UInt8]) throws(WireError) {
    switch kind {
    case Self.allowKind:
      let (confirmation, info) = try Self.allowed.decode(payload)
      self = .allow(confirmation: confirmation, info: info)
    case Self.acceptKind:
      let (user, (invitation, (pq, info))) = try Self.accepted.decode(payload)
      self = .accept(user: user, invitation: invitation, pq: pq, info: info)
    case Self.joinKind:
      let (user, (request, (pq, info))) = try Self.joined.decode(payload)
      self = .join(user: user, request: request, pq: pq, info: info)
    case Self.createKind:
      let (user, pq) = try Self.created.decode(payload)
      self = .create(user: user, pq: pq)
    default: return nil
    }
  }
}
