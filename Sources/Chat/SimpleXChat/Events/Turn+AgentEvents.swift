import AgentCore
import ChatAPI
import ChatLogic
import ChatStore
import FoundationTypes

/// A connection with its user and the entity that it belongs to.
struct ConnectionContext: Sendable {
  /// The user whose connection it is.
  var user: User
  /// The agent's identifier.
  var id: ConnectionID
  /// The contact, member or address that the connection belongs to.
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

// Events of the agent. An event with a number is handled once: its number is stored with its effects.

extension Turn {
  /// Handles an event of the agent.
  func handle(_ event: AgentEvent) throws {
    if let id = event.id, try !rows.setHandled(event: id.rawValue) { return }
    guard let connection = event.connection else {
      try reportingErrors { try handle(event.kind) }
      return
    }
    switch event.kind {
    case .message(let metadata, _, let body): try handleMessage(metadata, body, of: connection)
    case .received(let metadata, let receipts): try handleReceipts(metadata, receipts, of: connection)
    case .notifiedMessageHandled(let message, let time): try reportHandled(message, at: time, of: connection)
    case .connectionsDeleted, .receiveQueuesDeleted, .queueDeleted, .stuck:
      try reportingErrors { try handle(event.kind) }
    default:
      try reportingErrors {
        if case .sent(let message, let proxy) = event.kind {
          if try noteSent(message, viaProxy: proxy != nil, over: connection) { return }
          // The last message of a connection that is gone here, such as that the user left.
          if try rows.user(ofConnection: connection.text) == nil { return }
        }
        let context = try context(connection)
        switch context.entity {
        case .rcvDirectMsgConnection: try handleDirect(event.kind, context)
        case .userContactConnection(_, let address): try handleAddress(event.kind, context: context, of: address)
        case .rcvGroupMsgConnection(_, let group, let member):
          try handleMember(event.kind, over: context, of: member, in: group)
        }
      }
    }
  }

  /// The user and the entity of the connection with this identifier of the agent.
  func context(_ id: ConnectionID) throws -> ConnectionContext {
    guard let user = try rows.user(ofConnection: id.text) else {
      throw ChatErrorType.noConnectionUser(agentConnId: id.text)
    }
    return ConnectionContext(user: user, id: id, entity: try rows.connectionEntity(agentConnId: id.text, of: user))
  }

  /// The user and the entity of a connection, as ``context(_:)``; nil where it was deleted here. What peers sent before
  /// they knew of the deletion is no error.
  func contextIfPresent(_ id: ConnectionID) throws -> ConnectionContext? {
    do { return try context(id) } catch {
      switch error {
      case ChatErrorType.noConnectionUser, StoreError.connectionNotFound: return nil
      default: throw error
      }
    }
  }

  // MARK: Events without a connection

  private func handle(_ kind: AgentEvent.Kind) throws {
    switch kind {
    case .serverConnected(let server):
      guard environment.options.tellsHosts else { return }
      emit(.hostConnected(protocol: .smp, transportHost: server.hosts.first?.description ?? ""))
    case .serverDisconnected(let server):
      guard environment.options.tellsHosts else { return }
      emit(.hostDisconnected(protocol: .smp, transportHost: server.hosts.first?.description ?? ""))
    case .down(let server, let connections):
      emit(
        .subscriptionStatus(
          server: server.description, subscriptionStatus: .pending, connections: connections.map(\.text)))
    case .up(let server, let connections):
      emit(
        .subscriptionStatus(
          server: server.description, subscriptionStatus: .active, connections: connections.map(\.text)))
    // The controller reports it when the databases are closed.
    case .suspended: break
    case .userDeleted(let user): emit(.agentUserDeleted(agentUserId: user.rawValue))
    case .receiveQueuesDeleted(let queues):
      emit(
        .agentRcvQueuesDeleted(
          deletedRcvQueues: queues.map {
            DeletedRcvQueue(
              agentConnId: $0.connection.text, server: $0.server.description, agentQueueId: $0.queue.description,
              agentError_: $0.error.map { AgentErrorType($0) })
          }))
    case .connectionsDeleted(let connections): emit(.agentConnsDeleted(agentConnIds: connections.map(\.text)))
    case .connectionsFailed(let failures):
      emit(
        .chatErrors(
          chatErrors: failures.map {
            .errorAgent(agentError: AgentErrorType($0.error), agentConnId: $0.connection.text)
          }))
    case .failed(let error): throw ChatError.errorAgent(agentError: AgentErrorType(error))
    case .stuck(let diagnosis):
      emit(
        .errorAgent(
          agentError: .INTERNAL(internalErr: "not delivering: \(diagnosis.findings)"),
          agentConnId: diagnosis.connection.text))
    case .fileReceiveProgress(let file, let received, let total):
      try downloading(file, received: received, total: total)
    case .fileReceived(let file, _): try downloaded(file)
    case .fileReceiveWarning(let file, let error): try downloadDelayed(file, error)
    case .fileReceiveFailed(let file, let error): try downloadFailed(file, error)
    case .fileSendProgress(let file, let sent, let total): try uploading(file, sent: sent, total: total)
    case .fileSent(let file, let user, let sender, let recipients):
      try uploaded(file, by: user, sender: sender, recipients: recipients)
    case .fileSendWarning(let file, let error): try uploadDelayed(file, error)
    case .fileSendFailed(let file, let error): try uploadFailed(file, error)
    // The results of asynchronous commands without a connection, for which no caller waits.
    case .done, .created, .linkSet, .linkData, .queueDeleted: break
    // Always about a connection.
    case .confirmation, .request, .information, .connected, .joined, .subscriptionEnded, .switched, .ratchetSync, .sent,
      .messageWarning, .messageFailed, .messagesFailed, .message, .received, .queueContinues, .notifiedMessageHandled:
      break
    }
  }

  // MARK: Events of a contact's connection

  /// The status of the connection after this event; nil where the event does not change it.
  func status(after kind: AgentEvent.Kind, _ connection: Connection) -> ConnStatus? {
    switch kind {
    case .joined(let isSecured):
      switch connection.connStatus {
      case .ready: nil
      case .prepared where !isSecured: .joined
      default: isSecured ? .sndReady : nil
      }
    case .confirmation: .requested
    case .information: .sndReady
    case .connected: .ready
    case .failed(let error):
      connection.connStatus == .ready || error.isTemporary || error.isHostError
        ? nil : .failed(connError: AgentErrorType(error).text)
    default: nil
    }
  }

  private func handleDirect(_ kind: AgentEvent.Kind, _ context: ConnectionContext) throws {
    var context = context
    let before = context.connection.connStatus
    if let status = status(after: kind, context.connection) {
      try rows.setStatus(status, ofConnection: context.connection.connId)
      context = try self.context(context.id)
    }
    switch kind {
    case .confirmation(let confirmation, let pqSupport, _, let info):
      try confirmed(context, confirmation, pqSupport: pqSupport, info: info)
    case .information(_, let info): try informed(context, info)
    case .connected(let pq): try connected(context, pq: pq)
    case .sent(let message, let proxy): try sent(context, message, viaProxy: proxy != nil)
    case .messageWarning(let message, let error):
      try setStatus(.sndWarning(agentError: SndError(error)), of: [message], context)
      try noteQuota(context, error, isGivenUp: false)
    case .messageFailed(let message, let error):
      try setStatus(.sndError(agentError: SndError(error)), of: [message], context)
      try noteDescriptionsFailed([message].compactMap(\.key), error, of: context.user)
      try noteFailure(context, error)
    case .messagesFailed(let messages, let error):
      try setStatus(.sndError(agentError: SndError(error)), of: messages, context)
      try noteDescriptionsFailed(messages.compactMap(\.key), error, of: context.user)
      emit(failure(error, context))
    case .joined(let isSecured): try joined(context, isSecured: isSecured, from: before)
    case .queueContinues: try continueSending(context)
    case .switched(let direction, let phase, let stats):
      try switched(context, direction: direction, phase: phase, stats: stats)
    case .ratchetSync(let state, let error, let stats):
      try synchronized(context, state: state, error: error, stats: stats)
    case .subscriptionEnded:
      if let contact = context.contact {
        emit(.contactAnotherClient(user: context.user, contact: contact))
      } else {
        emit(.subscriptionEnd(user: context.user, connectionEntity: context.entity))
      }
    case .failed(.peer(.duplicate(let dropped?))):
      guard let contact = context.contact else { return }
      try addItem(
        .rcvMsgError(rcvMsgError: .dropped(attempts: Int(clamping: dropped.attempts))), to: contact, of: context.user,
        at: Date(timeIntervalSince1970: Double(dropped.relayTime)))
    case .failed(let error):
      // The user may try again.
      if case .failed = context.connection.connStatus { _ = try finishJoining(context.connection.agentConnId) }
      emit(failure(error, context))
    // The results of asynchronous commands for which no caller waits.
    case .done, .created, .linkSet, .linkData: break
    // Handled before, or never about a contact.
    case .request, .message, .received, .queueDeleted, .serverConnected, .serverDisconnected, .down, .up,
      .receiveQueuesDeleted, .connectionsDeleted, .userDeleted, .connectionsFailed, .suspended, .stuck,
      .fileReceiveProgress, .fileReceived, .fileReceiveWarning, .fileReceiveFailed, .fileSendProgress, .fileSent,
      .fileSendWarning, .fileSendFailed, .notifiedMessageHandled:
      break
    }
  }

  /// The error of a connection as the API shows it.
  func failure(_ error: AgentError, _ context: ConnectionContext) -> ChatError {
    .errorAgent(
      agentError: AgentErrorType(error), agentConnId: context.id.text, connectionEntity_: context.entity)
  }
}
