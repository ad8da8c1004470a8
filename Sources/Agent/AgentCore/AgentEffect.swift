import NotificationProtocol
import SMPClientCore
import SMPProtocol

/// The key of a connection to a relay: commands with equal keys share it.
public struct SessionKey: Hashable, Sendable {
  /// The relay.
  public var server: SMPServerAddress
  /// Whose session it is.
  public var user: UserID
  /// The connection it is for, where each has sessions of its own.
  public var entity: EntityID?

  /// The session of a user at a relay.
  public init(server: SMPServerAddress, user: UserID, entity: EntityID? = nil) {
    self.server = server
    self.user = user
    self.entity = entity
  }
}

/// The route of a sender's command to its relay.
public enum SendRoute: Hashable, Sendable {
  /// Over a connection to the relay.
  case direct
  /// Through another relay, so that this one does not see where the sender is. Where the other one cannot do it,
  /// the command may go directly if `allowsDirect` says so.
  case proxied(through: SMPServerAddress, allowsDirect: Bool)
}

/// A command to a notification server.
public struct NotificationRequest: Sendable {
  /// The command.
  public var command: NotificationCommand
  /// The token or subscription that it is about.
  public var entity: EntityID
  /// The key that authorizes the command; nil for PING.
  public var key: AuthorizationPrivateKey?

  /// A command.
  public init(_ command: NotificationCommand, entity: EntityID = .none, key: AuthorizationPrivateKey? = nil) {
    self.command = command
    self.entity = entity
    self.key = key
  }
}

/// What the driver does after the transaction that decided it was committed. To be performed in order, for
/// each session.
public enum AgentEffect: Sendable {
  /// Send a command; its answer comes back as ``AgentInput/completed(_:_:proxy:)``.
  case perform(RequestID, SessionKey, RequestPipeline.Request, SendRoute)
  /// Send a command to a notification server; its answer comes back as ``AgentInput/notified(_:_:)``.
  case notify(RequestID, NotificationServer, NotificationRequest)
  /// Subscribe to queues, now and after every loss of the connection; answered by session events.
  case subscribe(SessionKey, [(queue: EntityID, key: AuthorizationPrivateKey)])
  /// Remember a queue that was subscribed when it was created; it is subscribed again if that connection is lost.
  case addSubscribed(SessionKey, queue: EntityID, key: AuthorizationPrivateKey)
  /// Forget subscriptions.
  case unsubscribe(SessionKey, [EntityID])
  /// Close the session's connection.
  case disconnect(SessionKey)
  /// Close all connections, also those that are being made; what was asked of them is not answered any more.
  case disconnectAll
  /// Tell the application.
  case event(AgentEvent)
  /// A call of the application is finished.
  case complete(CallID, Result<CallOutcome, AgentError>)
  /// Set the timer: ``AgentInput/wake`` follows at this time (milliseconds) or soon after; `.max` for none. A later
  /// effect of this kind replaces it.
  case wake(at: Int64)
}

/// An input of the agent's machine.
public enum AgentInput: Sendable {
  /// A command was answered, or failed; `proxy` is the relay it went through, if any.
  case completed(RequestID, Result<BrokerMessage, SMPClientError>, proxy: SMPServerAddress? = nil)
  /// A notification server answered a command, or the command failed.
  case notified(RequestID, Result<NotificationResponse, SMPClientError>)
  /// Something happened in a session.
  case session(SessionKey, SessionEvent)
  /// The time of ``AgentEffect/wake(at:)`` came.
  case wake
}

/// An event of a session that is not the response to a command.
public enum SessionEvent: Sendable {
  /// There is a connection.
  case connected
  /// There is none any more. Subscriptions are made again with the next one.
  case disconnected(SMPClientError)
  /// These queues are subscribed.
  case subscribed([EntityID])
  /// This queue cannot be subscribed, and is not retried.
  case subscriptionFailed(EntityID, SMPClientError)
  /// The relay sent this about a queue: MSG, END, DELD and so on.
  case message(EntityID, BrokerMessage)
}
