import AgentProtocol
import NotificationProtocol
import SMPProtocol

/// A link as it was created.
public struct CreatedLink: Hashable, Sendable {
  /// The whole link.
  public var full: ConnectionRequest
  /// The short link, where it has data on the relay.
  public var short: ShortLink?

  /// A link.
  public init(full: ConnectionRequest, short: ShortLink?) {
    self.full = full
    self.short = short
  }
}

/// The result of a call that waited for the network.
public enum CallOutcome: Sendable {
  /// A connection was created.
  case created(ConnectionID, CreatedLink)
  /// The data of a short link was stored.
  case linkSet(ShortLink)
  /// The data of a short link, with the request to join by.
  case linkData(ConnectionRequest, LinkContent)
  /// Joined; whether the peer's queue is secured already, so that messages can be sent before the peer confirms.
  case joined(ConnectionID, isSecured: Bool)
  /// The state of a queue on its relay.
  case queueInfo(QueueInfo)
  /// A relay was tested; nil where everything worked.
  case serverTested(ServerTestFailure?)
  /// The status of the device's token at its notification server.
  case tokenStatus(TokenStatus)
  /// A message that was fetched because a push announced it; it follows as an event. Nil where there was none.
  case notifiedMessage(NotifiedMessage?)
  /// Done.
  case done
}

/// Why a relay failed its test.
public struct ServerTestFailure: Hashable, Sendable {
  /// What was tried.
  public enum Step: Hashable, Sendable, CaseIterable {
    case connect, createQueue, secureQueue, deleteQueue, disconnect
  }

  /// The step that failed.
  public var step: Step
  /// Why.
  public var error: AgentError

  /// A failure at a step.
  public init(step: Step, error: AgentError) {
    self.step = step
    self.error = error
  }
}

/// The result of an operation, and its effects. The effects are to be performed in any case.
public struct Accepted<Value: Sendable>: Sendable {
  /// The result; for operations that wait for the network the call whose completion brings it.
  public var value: Value
  /// The effects.
  public var effects: [AgentEffect]

  /// A result with its effects.
  public init(_ value: Value, _ effects: [AgentEffect]) {
    self.value = value
    self.effects = effects
  }
}
