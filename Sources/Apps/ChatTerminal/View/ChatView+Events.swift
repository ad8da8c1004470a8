import ChatAPI

extension ChatView {
  /// The lines of an event.
  public func lines(_ event: ChatEvent) -> [StyledText] {
    switch event {
    case .newChatItems(let user, let items): newItems(user, items)
    case .chatItemUpdated(let user, let item): updated(user, item)
    case .chatItemNotChanged(let user, let item): notChanged(user, item)
    case .chatItemReaction(let user, let added, let reaction): self.reaction(user, reaction, added: added)
    case .chatItemsDeleted(let user, let deletions, let byUser, let timed):
      deleted(user, deletions, byUser: byUser, timed: timed)
    case .groupChatItemsDeleted(let user, let group, let ids, let byUser, let member):
      of(user, groupItemsDeleted(group, items: ids, byUser: byUser, member: member))
    case .chatItemDeletedNotFound(let user, let contact, _):
      of(user, .from("\(contact.localDisplayName)> [deleted - original message not found]"))
    case .chatItemsStatusesUpdated(let user, let items): of(user, testReceipts(items))
    case .chatInfoUpdated: []
    case .chatSuspended: ["chat suspended"]
    case .messageError(let user, let severity, let message):
      severity == "error" || logLevel <= .warn ? of(user, StyledText("\(severity): \(message)")) : []
    case .chatErrors(let errors): errors.flatMap { lines($0, isOfCommand: false) }
    case .chatError(let error): lines(error, isOfCommand: false)
    case .customChatEvent(let user, let text): of(user, text.split(separator: "\n").map { "\($0)" })
    case .terminalEvent(let event): lines(event)
    case .timedAction, .ntfMessage: []
    default: connectionLines(event)
    }
  }

  private func connectionLines(_ event: ChatEvent) -> [StyledText] {
    switch event {
    case .contactConnected(let user, let contact, let profile): of(user, connected(contact, profile))
    case .contactConnecting: []
    case .contactSndReady(let user, let contact):
      of(user, "\(fullName(contact)): you can send messages to contact")
    case .contactAnotherClient(let user, let contact):
      of(user, "\(name(contact)): contact is connected to another client")
    case .contactDeletedByContact(let user, let contact):
      of(user, "\(fullName(contact)) deleted contact with you")
    case .contactUpdated(let user, let old, let new):
      of(user, updated(old, new) + preferences("\(name(new)) updated preferences for you:", of: new, before: old))
    case .receivedContactRequest(let user, let request, _): of(user, self.request(request))
    case .acceptingContactRequest(let user, let contact): of(user, accepting(contact))
    case .acceptingBusinessRequest(let user, let group):
      of(user, "\(fullName(group)): accepting business address request...")
    case .contactRequestAlreadyAccepted(let user, let contact):
      of(
        user,
        "\(fullName(contact)): sent you a duplicate contact request, but you are already connected, no action needed")
    case .contactDisabled(let user, let contact): of(user, disabled("[\(name(contact))]", contact))
    case .contactSwitch(let user, let contact, let progress): of(user, switching(contact, progress))
    case .contactRatchetSync(let user, let contact, let progress): of(user, synchronizing(contact, progress))
    case .contactPQEnabled(let user, let contact, let isEnabled):
      of(
        user, "\(name(contact)): \(isEnabled ? "quantum resistant" : "standard") end-to-end encryption enabled")
    case .subscriptionStatus(let server, let status, let connections):
      [StyledText("\(text(status)) \(connections.count) connections on server \(host(server))")]
    case .subscriptionEnd(let user, let entity): of(user, "\(entity.connection.connId): END")
    case .connectionsDiff(let users, let connections):
      [users, connections].allSatisfy { $0.missingIds.isEmpty && $0.extraIds.isEmpty }
        ? []
        : difference(users, connections)
          + (users.extraIds.isEmpty ? [] : ["removed extra users in agent"])
          + (connections.extraIds.isEmpty ? [] : ["removed extra connections in agent"])
    case .connectionDisabled(let entity): disabled(entity)
    case .connectionInactive(let entity, let isInactive):
      [
        isInactive
          ? "[\(label(entity))] connection is marked as inactive"
          : "[\(label(entity))] inactive connection is marked as active"
      ]
    case .hostConnected(let kind, let host):
      [StyledText("connected to \(kind.rawValue.uppercased()) host \(host)")]
    case .hostDisconnected(let kind, let host):
      [StyledText("disconnected from \(kind.rawValue.uppercased()) host \(host)")]
    case .agentRcvQueuesDeleted(let queues):
      isVerbose ? ["completed deleting rcv queues: \(queues.count)"] : []
    case .agentConnsDeleted(let ids): isVerbose ? ["completed deleting connections: \(ids.count)"] : []
    case .agentUserDeleted(let id):
      [StyledText("completed deleting user" + (isVerbose ? ", agent user id: \(id)" : ""))]
    default: callLines(event) ?? remoteLines(event) ?? fileLines(event)
    }
  }

  private func text(_ status: SubscriptionStatus) -> String {
    switch status {
    case .active: "subscribed"
    case .pending: "disconnected"
    case .removed(let error): "removed: \(error)"
    case .noSub: "no subscription"
    }
  }

  private func disabled(_ label: StyledText, _ contact: Contact) -> StyledText {
    let enable = StyledText.highlight("/enable \(typed(contact))")
    return "\(label) connection is disabled, to enable: \(enable), to delete: \(.highlight("/d \(typed(contact))"))"
  }

  private func disabled(_ entity: ConnectionEntity) -> [StyledText] {
    let line: StyledText = "[\(label(entity))] connection is disabled"
    switch entity {
    case .rcvDirectMsgConnection(_, let contact?): return [disabled("[\(label(entity))]", contact)]
    case .rcvGroupMsgConnection(_, let group, let member):
      return [line + ", to enable: \(.highlight("/enable #\(typed(group)) \(typed(member))"))"]
    default: return [line]
    }
  }

  func label(_ entity: ConnectionEntity) -> StyledText {
    switch entity {
    case .rcvDirectMsgConnection(_, let contact?): StyledText(contact.localDisplayName)
    case .rcvDirectMsgConnection(_, nil): "rcv direct msg"
    case .rcvGroupMsgConnection(_, let group, let member):
      StyledText("#\(group.localDisplayName) \(member.localDisplayName)")
    case .userContactConnection: "contact address"
    }
  }
}

extension ConnectionEntity {
  /// The connection itself.
  var connection: Connection {
    switch self {
    case .rcvDirectMsgConnection(let connection, _), .rcvGroupMsgConnection(let connection, _, _),
      .userContactConnection(let connection, _):
      connection
    }
  }
}
