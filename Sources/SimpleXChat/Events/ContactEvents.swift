import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// What contacts say of themselves, and what happens to their connections.

extension ChatController {
  /// Takes a contact's new profile, with what it allows.
  func changeProfile(
    of contact: Contact, to profile: Profile, addsItems: Bool, _ user: User
  ) throws(ChatError) -> Contact {
    let profile = profile.usable
    let old = contact.profile.shared
    guard profile != old else { return contact }
    let changed = try store.transaction { transaction in
      var contact = contact
      if let preferences = contact.preferences(takingTimeFrom: profile, of: user) {
        contact = try transaction.setPreferences(preferences, of: contact, of: user)
      }
      return try transaction.updateProfile(of: contact, to: profile, of: user)
    }
    if changed.directOrUsed && addsItems {
      if profile.differsVisibly(from: old) {
        try addItem(
          .rcvDirectEvent(rcvDirectEvent: .profileUpdated(fromProfile: old, toProfile: profile)), to: changed, of: user)
      }
      try addFeatureChanges(from: contact, to: changed, of: user, isSent: false, offers: .contact)
    }
    tell(.contactUpdated(user: user, fromContact: contact, toContact: changed))
    return changed
  }

  /// A contact deleted the user.
  func deletedByContact(_ contact: Contact, _ context: Context, at message: ReceivedMessage) async throws(ChatError) {
    let user = context.user
    let connections = try store.read { try $0.connections(ofContact: contact.contactId) }
    var ids: [ConnectionID] = []
    for connection in connections { ids.append(try agentConnection(connection.agentConnId)) }
    let all = ids
    guard contact.directOrUsed else {
      try await withAgent { (agent) throws(AgentError) in try await agent.delete(all) }
      try store.transaction { try $0.deleteContact(contact, of: user) }
      return
    }
    var (changed, item) = try store.transaction { transaction in
      let changed = try transaction.setStatus(.deleted, of: contact)
      let item = try transaction.createItem(
        NewItem(
          chat: contact.chat, content: .rcvDirectEvent(rcvDirectEvent: .contactDeleted),
          sharedMsgId: message.sharedMsgId, itemTs: message.time), of: user)
      for connection in connections { try transaction.setStatus(.deleted, ofConnection: connection.connId) }
      return (changed, item)
    }
    changed.activeConn?.connStatus = .deleted
    tell(.newChatItems(user: user, chatItems: [AChatItem(chatInfo: .direct(contact: changed), chatItem: item)]))
    tell(.contactDeletedByContact(user: user, contact: changed))
    try await withAgent { (agent) throws(AgentError) in try await agent.delete(all) }
  }

  // MARK: Connections

  /// Moving a queue went on.
  func switched(
    _ context: Context, _ direction: AgentCore.QueueDirection, _ phase: AgentCore.SwitchPhase,
    _ stats: AgentCore.ConnectionStats
  ) throws(ChatError) {
    guard let contact = context.contact else { return }
    let phase = ChatAPI.SwitchPhase(phase)
    tell(
      .contactSwitch(
        user: context.user, contact: contact,
        switchProgress: SwitchProgress(
          queueDirection: ChatAPI.QueueDirection(direction), switchPhase: phase,
          connectionStats: ChatAPI.ConnectionStats(stats))))
    guard phase == .started || phase == .completed else { return }
    try addItem(
      direction == .receive
        ? .sndConnEvent(sndConnEvent: .switchQueue(phase: phase, member: nil))
        : .rcvConnEvent(rcvConnEvent: .switchQueue(phase: phase)), to: contact, of: context.user)
  }

  /// Repairing the encryption went on, or turned out to be necessary.
  func synchronized(
    _ context: Context, _ state: AgentCore.RatchetSyncState, _ error: AgentError?,
    _ stats: AgentCore.ConnectionStats
  ) throws(ChatError) {
    guard var contact = context.contact else { return }
    let user = context.user
    let state = ChatAPI.RatchetSyncState(state)
    let progress = RatchetSyncProgress(
      ratchetSyncStatus: state, connectionStats: ChatAPI.ConnectionStats(stats))
    if state == .required || state == .allowed, let error = error.flatMap({ DecryptionFailure($0) }) {
      if let item = try countFailure(error, contact, user) {
        return tell(.chatItemUpdated(user: user, chatItem: item))
      }
      tell(.contactRatchetSync(user: user, contact: contact, ratchetSyncProgress: progress))
      try addItem(
        .rcvDecryptionError(msgDecryptError: error.kind, msgCount: error.count), to: contact, of: user)
      return
    }
    let isReset = state == .agreed && context.connection.connectionCode != nil
    if isReset {
      try store.transaction { try $0.setVerified(code: nil, ofConnection: context.connection.connId) }
      contact.activeConn?.connectionCode = nil
    }
    tell(.contactRatchetSync(user: user, contact: contact, ratchetSyncProgress: progress))
    try addItem(.rcvConnEvent(rcvConnEvent: .ratchetSync(syncStatus: state)), to: contact, of: user)
    if isReset { try addItem(.rcvConnEvent(rcvConnEvent: .verificationCodeReset), to: contact, of: user) }
  }

  /// Failures one after the other are counted in one item.
  private func countFailure(
    _ failure: DecryptionFailure, _ contact: Contact, _ user: User
  ) throws(ChatError) -> AChatItem? {
    let changed = try store.transaction { transaction -> ChatItem? in
      guard let last = try transaction.lastItem(in: contact.chat, of: user),
        case .rcvDecryptionError(failure.kind, let count) = last.content
      else { return nil }
      let (sum, overflow) = count.addingReportingOverflow(failure.count)
      let new = failure.kind == .tooManySkipped ? failure.count : failure.kind == .ratchetSync ? 0 : sum
      return try transaction.updateItem(
        last.meta.itemId, in: contact.chat,
        to: .rcvDecryptionError(msgDecryptError: failure.kind, msgCount: overflow ? .max : new), edited: false,
        live: false, of: user)
    }
    return changed.map { AChatItem(chatInfo: .direct(contact: contact), chatItem: $0) }
  }
}

/// Why messages could not be decrypted, and how many.
struct DecryptionFailure {
  var kind: MsgDecryptError
  var count: UInt32

  init?(_ error: AgentError) {
    guard case .AGENT(.A_CRYPTO(let error)) = AgentErrorType(error) else { return nil }
    switch error {
    case .DECRYPT_AES, .DECRYPT_CB: (kind, count) = (.other, 1)
    case .RATCHET_HEADER: (kind, count) = (.ratchetHeader, 1)
    case .RATCHET_EARLIER: (kind, count) = (.ratchetEarlier, 1)
    case .RATCHET_SKIPPED(let number): (kind, count) = (.tooManySkipped, number)
    case .RATCHET_SYNC: (kind, count) = (.ratchetSync, 0)
    }
  }
}
