import AgentCore
import AgentProtocol
import AgentStore
import SMPProtocol
import SimplexCrypto

/// The agent without its network: everything it decides and remembers.
///
/// Governs: connections, their queues and ratchets, what has to be sent and what was received. Each operation and each
/// input is one transaction; what it wants done outside is returned as effects, after the transaction was committed.
/// When an operation throws, nothing changed and nothing is to be done. Does not govern: connections to relays, time and
/// the order in which things happen; the caller owns them. Time comes in as `now`, in milliseconds since 1970.
///
/// An engine belongs to one thread at a time. One that is thrown away at any moment, even within a transaction, loses
/// nothing: a new one on the same database goes on.
public final class AgentEngine {
  let store: AgentStore
  let configuration: AgentConfiguration

  /// An engine on a database. Call ``start(now:)`` first.
  public init(
    store: AgentStore, configuration: AgentConfiguration = AgentConfiguration(),
    random: any RandomSource = SystemRandom()
  ) {
    self.store = store
    self.configuration = configuration
  }
}
