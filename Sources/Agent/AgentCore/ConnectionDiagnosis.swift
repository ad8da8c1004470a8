import SMPProtocol

/// Why a connection does not deliver, as far as the agent can tell.
public struct ConnectionDiagnosis: Hashable, Sendable {
  /// The connection.
  public var connection: ConnectionID
  /// The findings, the most important first; empty if the connection works.
  public var findings: [Finding]
  /// Messages that wait to be sent.
  public var waitingMessages: Int
  /// Since when the first of them waits, in milliseconds.
  public var waitingSince: Int64?
  /// When a message was last received, in milliseconds.
  public var lastReceivedAt: Int64?

  /// A diagnosis.
  public init(
    connection: ConnectionID, findings: [Finding], waitingMessages: Int, waitingSince: Int64?, lastReceivedAt: Int64?
  ) {
    self.connection = connection
    self.findings = findings
    self.waitingMessages = waitingMessages
    self.waitingSince = waitingSince
    self.lastReceivedAt = lastReceivedAt
  }

  /// A reason why a connection does not deliver.
  public enum Finding: Hashable, Sendable {
    /// The device has no network, as the application says.
    case offline
    /// The agent is suspended.
    case suspended
    /// The handshake is not finished; what is waited for.
    case notEstablished(String)
    /// The ratchet has to be renegotiated.
    case ratchet(AgentRatchetSyncState)
    /// Queues at this relay are not subscribed.
    case notSubscribed(SMPServerAddress, SubscriptionState)
    /// The relay holds messages back, or has forgotten who is subscribed; the value is the number of waiting messages.
    case silent(SMPServerAddress, waiting: Int)
    /// The peer does not take its messages: its queue is full.
    case queueFull(SMPServerAddress)
    /// A relay does not answer; the attempts so far and when the next one is, in milliseconds.
    case retrying(SMPServerAddress, attempts: Int64, nextAt: Int64)
    /// A command is in flight for this long, in milliseconds.
    case noAnswer(SMPServerAddress, since: Int64)
    /// The application has not acknowledged a message, so that no further one is delivered.
    case notAcknowledged(AgentMessageID, since: Int64)
    /// A queue is being replaced.
    case switching(AgentQueueDirection)
    /// The connection is deleted once its messages are sent.
    case deleting
  }
}
