import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes

// What the agent says. Every event is handled whole before the next one is taken; the agent is told that events were
// taken only after what follows from them is durable. That messages were sent nobody waits for: the agent is told of
// those events together with others.

extension ChatController {
  /// Handles events that were taken from the agent, in order, until there is no room for what they cause. While a database
  /// cannot be used, because its disk is full for example, an event is tried again: nothing after it is handled, and
  /// nothing is lost.
  /// - Returns: false where the controller was stopped before what follows from them could be stored.
  func handleTaken() async -> Bool {
    while let event = unhandled.first {
      let isHandled = await untilDatabasesWork { () throws(ChatError) in
        if let connection = event.connection {
          try await self.handle(event.kind, of: connection)
        } else {
          try self.handle(event.kind)
        }
      }
      guard isHandled else {
        _ = await confirm()
        return false
      }
      unhandled.removeFirst()
      if let id = event.id {
        handledThrough = id
        unconfirmed += 1
        if case .sent = event.kind {} else { unconfirmed = Self.unconfirmedLimit }
      }
      if Task.isCancelled || !eventQueue.hasRoom { break }
    }
    if acknowledgements.isEmpty, unconfirmed < Self.unconfirmedLimit { return true }
    return await confirm()
  }

  /// How many events that messages were sent may come again after the program ended.
  private static let unconfirmedLimit = 64

  /// Tells the agent what was taken care of, at once for many events.
  private func confirm() async -> Bool {
    let (messages, last) = (acknowledgements, handledThrough)
    guard last != nil || !messages.isEmpty, agent != nil else { return true }
    return await untilDatabasesWork { () throws(ChatError) in
      let results = try await self.withAgent { (agent) throws(AgentError) in
        try await agent.ack(messages, confirming: last)
      }
      self.acknowledgements.removeAll()
      self.handledThrough = nil
      self.unconfirmed = 0
      for (message, error) in zip(messages, results) {
        if let error { self.tell(.errorAgent(agentError: AgentErrorType(error), agentConnId: message.connection.text)) }
      }
    }
  }

  /// Does something, again and again while a database cannot be used; other errors are told.
  /// - Returns: false where the controller was stopped meanwhile.
  private func untilDatabasesWork(_ body: () async throws(ChatError) -> Void) async -> Bool {
    var pause = Duration.milliseconds(500)
    while true {
      let before = outages
      do throws(ChatError) { try await body() } catch { tell(error) }
      if outages == before { return true }
      do { try await Task.sleep(for: pause) } catch { return false }
      pause = min(pause * 2, .seconds(30))
    }
  }

  /// How often one of the databases could not be used.
  var outages: Int { store.outages + agentOutages }

  // MARK: About no connection

  private func handle(_ kind: AgentEvent.Kind) throws(ChatError) {
    switch kind {
    case .serverConnected where !options.tellsHosts, .serverDisconnected where !options.tellsHosts: break
    case .serverConnected(let server):
      tell(.hostConnected(protocol: .smp, transportHost: server.hosts.first?.description ?? ""))
    case .serverDisconnected(let server):
      tell(.hostDisconnected(protocol: .smp, transportHost: server.hosts.first?.description ?? ""))
    case .down(let server, let connections):
      tell(
        .subscriptionStatus(
          server: server.description, subscriptionStatus: .pending, connections: connections.map(\.text)))
    case .up(let server, let connections):
      tell(
        .subscriptionStatus(
          server: server.description, subscriptionStatus: .active, connections: connections.map(\.text)))
    case .suspended: tell(.chatSuspended)
    case .userDeleted(let user): tell(.agentUserDeleted(agentUserId: user.rawValue))
    case .receiveQueuesDeleted(let queues):
      tell(
        .agentRcvQueuesDeleted(
          deletedRcvQueues: queues.map {
            DeletedRcvQueue(
              agentConnId: $0.connection.text, server: $0.server.description, agentQueueId: $0.queue.description,
              agentError_: $0.error.map { AgentErrorType($0) })
          }))
    case .connectionsDeleted(let connections): tell(.agentConnsDeleted(agentConnIds: connections.map(\.text)))
    case .connectionsFailed(let failures):
      tell(
        .chatErrors(
          chatErrors: failures.map {
            .errorAgent(agentError: AgentErrorType($0.error), agentConnId: $0.connection.text)
          }))
    case .failed(let error): throw .errorAgent(agentError: AgentErrorType(error))
    case .stuck(let diagnosis):
      tell(
        .errorAgent(
          agentError: .INTERNAL(internalErr: "not delivering: \(diagnosis.findings)"),
          agentConnId: diagnosis.connection.text))
    default: break
    }
  }

  // MARK: About a connection

  /// What a connection is of, and whose.
  struct Context: Sendable {
    var user: User
    var id: ConnectionID
    var entity: ConnectionEntity

    var connection: Connection {
      switch entity {
      case .rcvDirectMsgConnection(let connection, _), .rcvGroupMsgConnection(let connection, _, _),
        .userContactConnection(let connection, _):
        connection
      }
    }

    var contact: Contact? { if case .rcvDirectMsgConnection(_, let contact) = entity { contact } else { nil } }
  }

  private func context(_ id: ConnectionID) throws(ChatError) -> Context {
    try store.read { transaction in
      guard let user = try transaction.user(ofConnection: id.text) else {
        throw ChatErrorType.noConnectionUser(agentConnId: id.text)
      }
      return Context(user: user, id: id, entity: try transaction.connectionEntity(agentConnId: id.text, of: user))
    }
  }

  private func handle(_ kind: AgentEvent.Kind, of id: ConnectionID) async throws(ChatError) {
    switch kind {
    case .connectionsDeleted(let connections): return tell(.agentConnsDeleted(agentConnIds: connections.map(\.text)))
    case .receiveQueuesDeleted, .queueDeleted: return try handle(kind)
    default: break
    }
    let first: Context
    let before = outages
    do throws(ChatError) {
      first = try context(id)
    } catch {
      guard outages == before else { throw error }
      // Whatever it is, nobody waits for it: a message would only come again.
      if case .message(let metadata, _, _) = kind { acknowledge(id, metadata) }
      if case .received(let metadata, _) = kind { acknowledge(id, metadata) }
      throw error
    }
    let key = first.contact.map { KeyedLocks.Key.contact($0.contactId) } ?? .connection(first.connection.connId)
    try await locked(key) { (waited) throws(ChatError) in
      // Who had the lock may have changed everything.
      let context = waited ? try self.context(id) : first
      switch context.entity {
      case .rcvDirectMsgConnection: try await self.handleDirect(kind, context)
      case .userContactConnection(_, let address): try await self.handleAddress(kind, context, address)
      case .rcvGroupMsgConnection: throw .command("not implemented yet: groups")
      }
    }
  }

  /// Lets the agent know that a message was taken care of, as soon as that is durable.
  func acknowledge(_ id: ConnectionID, _ metadata: MessageMetadata, receipt: Bool = false) {
    acknowledgements.append(MessageAcknowledgement(id, metadata.id, receipt: receipt ? [] : nil))
  }

  /// How far the connection is by this event; nil where it says nothing about that.
  private func status(after kind: AgentEvent.Kind, _ connection: Connection) -> ConnStatus? {
    switch kind {
    case .joined(let isSecured): isSecured ? .sndReady : nil
    case .confirmation: .requested
    case .information: .sndReady
    case .connected: .ready
    case .failed(let error):
      connection.connStatus == .ready || error.isTemporary || error.isHostError
        ? nil : .failed(connError: AgentErrorType(error).text)
    default: nil
    }
  }

  private func handleDirect(_ kind: AgentEvent.Kind, _ context: Context) async throws(ChatError) {
    var context = context
    if let status = status(after: kind, context.connection) {
      try store.transaction { try $0.setStatus(status, ofConnection: context.connection.connId) }
      context = try self.context(context.id)
    }
    switch kind {
    case .confirmation(let confirmation, let pqSupport, _, let info):
      try await confirmed(context, confirmation, pqSupport, info)
    case .information(_, let info): try informed(context, info)
    case .connected(let pq): try await connected(context, pq)
    case .message(let metadata, _, let body): try await received(context, metadata, body)
    case .received(let metadata, let receipts): try await delivered(context, metadata, receipts)
    case .sent(let message, let proxy): try sent(context, message, viaProxy: proxy != nil)
    case .messageWarning(let message, let error):
      try setStatus(.sndWarning(agentError: SndError(error)), of: [message], context)
      try noteQuota(context, error, limit: false)
    case .messageFailed(let message, let error):
      try setStatus(.sndError(agentError: SndError(error)), of: [message], context)
      try noteFailure(context, error)
      throw failure(error, context)
    case .messagesFailed(let messages, let error):
      try setStatus(.sndError(agentError: SndError(error)), of: messages, context)
      throw failure(error, context)
    case .joined(let isSecured): try await joined(context, isSecured)
    case .queueContinues: try continueSending(context)
    case .switched(let direction, let phase, let stats): try switched(context, direction, phase, stats)
    case .ratchetSync(let state, let error, let stats): try synchronized(context, state, error, stats)
    case .subscriptionEnded:
      if let contact = context.contact {
        tell(.contactAnotherClient(user: context.user, contact: contact))
      } else {
        tell(.subscriptionEnd(user: context.user, connectionEntity: context.entity))
      }
    case .failed(.peer(.duplicate(let dropped?))):
      guard let contact = context.contact else { return }
      try addItem(
        .rcvMsgError(rcvMsgError: .dropped(attempts: Int(clamping: dropped.attempts))), to: contact, of: context.user,
        at: Date(timeIntervalSince1970: Double(dropped.relayTime)))
    case .failed(let error): throw failure(error, context)
    default: break
    }
  }

  /// The error of a connection as the API shows it.
  func failure(_ error: AgentError, _ context: Context) -> ChatError {
    .errorAgent(
      agentError: AgentErrorType(error), agentConnId: context.id.text, connectionEntity_: context.entity)
  }

  // MARK: Peers that cannot be reached

  private func noteFailure(_ context: Context, _ error: AgentError) throws(ChatError) {
    guard case .server(_, .relay(.AUTH)) = error else { return try noteQuota(context, error, limit: true) }
    let id = context.connection.connId
    let count = try store.transaction { try $0.countAuthorizationError(ofConnection: id) }
    var connection = context.connection
    connection.authErrCounter = count
    guard connection.connDisabled else { return }
    if var contact = context.contact {
      contact.activeConn = connection
      tell(.contactDisabled(user: context.user, contact: contact))
    } else {
      tell(.connectionDisabled(connectionEntity: context.entity))
    }
  }

  private func noteQuota(_ context: Context, _ error: AgentError, limit: Bool) throws(ChatError) {
    guard case .server(_, .relay(.QUOTA)) = error, !context.connection.connInactive else { return }
    let id = context.connection.connId
    // A message that was given up says more than many that wait.
    let givenUp = 999
    let count = try store.transaction { transaction in
      guard limit else { return try transaction.countQuotaError(ofConnection: id) }
      try transaction.setQuotaErrors(givenUp, ofConnection: id)
      return givenUp
    }
    var connection = context.connection
    connection.quotaErrCounter = count
    if connection.connInactive { tell(.connectionInactive(connectionEntity: context.entity, inactive: true)) }
  }

  func continueSending(_ context: Context) throws(ChatError) {
    guard context.connection.connInactive else { return }
    let id = context.connection.connId
    try store.transaction { try $0.setQuotaErrors(0, ofConnection: id) }
    tell(.connectionInactive(connectionEntity: context.entity, inactive: false))
  }
}
