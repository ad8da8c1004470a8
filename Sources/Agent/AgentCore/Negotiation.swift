import AgentProtocol
import DoubleRatchet
import SMPProtocol

/// What two sides agree on when one joins by the other's request: in each protocol the highest version both speak.
public struct Negotiation: Sendable {
  /// The queue to send to: the first of the request.
  public let queue: QueueAddress
  /// The version of what is put in it.
  public let clientVersion: UInt16
  /// The version of the agent protocol.
  public let agentVersion: UInt16
  /// The keys of an invitation in the version of the ratchet; nil for an address.
  public let e2e: E2EParameters?
  /// Whether post-quantum encryption is requested and both sides support it.
  public let pqSupport: Bool

  /// Agrees, or throws ``AgentError/PeerProblem/version``.
  public init(_ request: ConnectionRequest, _ configuration: AgentConfiguration, pq: Bool) throws(AgentError) {
    guard let queue = request.queues.first,
      let client = queue.clientVersions.intersection(configuration.clientVersions)?.highest,
      let agent = request.agentVersions.intersection(configuration.agentVersions)?.highest
    else { throw .peer(.version) }
    self.queue = queue.address
    clientVersion = client
    agentVersion = agent
    var canPQ = agent >= AgentVersion.postQuantum
    if case .invitation(let offer) = request.kind {
      guard let parameters = offer.parameters(for: configuration.e2eVersions) else { throw .peer(.version) }
      e2e = parameters
      canPQ = canPQ && parameters.version >= E2EVersion.postQuantum
    } else {
      e2e = nil
    }
    pqSupport = pq && canPQ
  }
}
