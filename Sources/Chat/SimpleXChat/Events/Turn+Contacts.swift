import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import WireCodec

// Profiles of contacts, their deletion, and the state of their connections.

extension Turn {
  /// Stores a contact's new profile with its preferences.
  func changeProfile(of contact: Contact, to profile: Profile, addsItems: Bool, _ user: User) throws -> Contact {
    let profile = profile.withValidName
    let old = contact.profile.shared
    guard profile != old else { return contact }
    var changed = contact
    if let preferences = changed.preferences(takingTimeFrom: profile, of: user) {
      changed = try rows.setPreferences(preferences, of: changed, of: user)
    }
    changed = try rows.updateProfile(of: changed, to: profile, of: user)
    if changed.directOrUsed && addsItems {
      if profile.differsVisibly(from: old) {
        try showProfile(of: changed, from: old, to: profile, user)
      }
      try addFeatureChanges(from: contact, to: changed, of: user, isSent: false, offers: .contact)
    }
    emit(.contactUpdated(user: user, fromContact: contact, toContact: changed))
    return changed
  }

  /// Adds the item of a contact's new profile. If the contact's last item about its profile is less than an hour old or
  /// the last of the chat, it is updated and shows the change since its first profile: a contact cannot fill a chat
  /// with profiles.
  private func showProfile(of contact: Contact, from old: Profile, to new: Profile, _ user: User) throws {
    if let last = try rows.lastProfileChange(in: contact.chat, of: user),
      case .rcvDirectEvent(.profileUpdated(let first, let known)) = last.content,
      try mayShowChange(in: last, at: contact.chat, of: user)
    {
      let (from, to) = CIContent.profileChange((first, known), from: old, to: new)
      let item = try rows.updateItem(
        last.meta.itemId, in: contact.chat,
        to: .rcvDirectEvent(rcvDirectEvent: .profileUpdated(fromProfile: from, toProfile: to)), edited: false,
        live: false, of: user)
      return emit(
        .chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: .direct(contact: contact), chatItem: item)))
    }
    try addItem(
      .rcvDirectEvent(rcvDirectEvent: .profileUpdated(fromProfile: old, toProfile: new)), to: contact, of: user)
  }

  /// Whether an item about a change of a profile may show the next change, too: while it is less than an hour old, and
  /// while it is the last of the chat.
  func mayShowChange(in item: ChatItem, at chat: ChatRef, of user: User) throws -> Bool {
    if rows.now.timeIntervalSince(item.meta.createdAt) < 3_600 { return true }
    return try rows.lastItem(in: chat, of: user)?.meta.itemId == item.meta.itemId
  }

  /// Handles that a contact deleted the user.
  func deletedByContact(_ contact: Contact, _ context: ConnectionContext, at message: ReceivedMessage) throws {
    let user = context.user
    let connections = try rows.connections(ofContact: contact.contactId)
    guard contact.directOrUsed else {
      try rows.deleteContact(contact, of: user)
      return try deleteConnections(connections.map(\.agentConnId), waitForDelivery: false)
    }
    let call = CallWithContact(turn: self, user: user, contact: contact)
    if let current = try call.current() { try call.end(current) }
    var changed = try rows.setStatus(.deleted, of: contact)
    for connection in connections { try rows.setStatus(.deleted, ofConnection: connection.connId) }
    changed.activeConn?.connStatus = .deleted
    try addItem(
      .rcvDirectEvent(rcvDirectEvent: .contactDeleted), to: changed, of: user, sharedMsgId: message.sharedMsgId,
      at: message.time)
    emit(.contactDeletedByContact(user: user, contact: changed))
    try deleteConnections(connections.map(\.agentConnId), waitForDelivery: false)
  }

  /// Deletes connections at the agent.
  /// - Parameter waitForDelivery: whether what was sent over them is delivered first.
  func deleteConnections(_ agentConnIds: [String], waitForDelivery: Bool) throws {
    for id in agentConnIds {
      if !waitForDelivery { try rows.removeCommands(agentConnId: id) }
      try command(.delete(waitForDelivery: waitForDelivery), for: id)
    }
  }

  // MARK: Connections

  /// Handles the progress of a queue rotation.
  func switched(
    _ context: ConnectionContext, direction: AgentQueueDirection, phase: AgentSwitchPhase,
    stats: AgentConnectionStats
  ) throws {
    guard let contact = context.contact else { return }
    let phase = SwitchPhase(phase)
    emit(
      .contactSwitch(
        user: context.user, contact: contact,
        switchProgress: SwitchProgress(
          queueDirection: QueueDirection(direction), switchPhase: phase,
          connectionStats: ConnectionStats(stats))))
    guard phase == .started || phase == .completed else { return }
    try addItem(
      direction == .receive
        ? .sndConnEvent(sndConnEvent: .switchQueue(phase: phase, member: nil))
        : .rcvConnEvent(rcvConnEvent: .switchQueue(phase: phase)), to: contact, of: context.user)
  }

  /// Handles the progress of a ratchet synchronization, or that one is required.
  func synchronized(
    _ context: ConnectionContext, state: AgentRatchetSyncState, error: AgentError?,
    stats: AgentConnectionStats
  ) throws {
    guard var contact = context.contact else { return }
    let user = context.user
    try rows.setSendingProhibited(state.prohibitsSending, ofConnection: context.connection.connId)
    let state = RatchetSyncState(state)
    let progress = RatchetSyncProgress(
      ratchetSyncStatus: state, connectionStats: ConnectionStats(stats))
    if state == .required || state == .allowed, let error = error.flatMap({ DecryptionFailure($0) }) {
      let last = try rows.lastItem(in: contact.chat, of: user)
      if try count(error, in: last, at: contact.chat, .direct(contact: contact), of: user) { return }
      emit(.contactRatchetSync(user: user, contact: contact, ratchetSyncProgress: progress))
      try addItem(
        .rcvDecryptionError(msgDecryptError: error.kind, msgCount: error.count), to: contact, of: user)
      return
    }
    let isReset = state == .agreed && context.connection.connectionCode != nil
    if isReset {
      try rows.setVerified(code: nil, ofConnection: context.connection.connId)
      contact.activeConn?.connectionCode = nil
    }
    emit(.contactRatchetSync(user: user, contact: contact, ratchetSyncProgress: progress))
    try addItem(.rcvConnEvent(rcvConnEvent: .ratchetSync(syncStatus: state)), to: contact, of: user)
    if isReset {
      emit(.terminalEvent(.contactVerificationReset(user: user, contact: contact)))
      try addItem(.rcvConnEvent(rcvConnEvent: .verificationCodeReset), to: contact, of: user)
    }
  }

  // MARK: Post-quantum encryption

  /// Stores whether received messages are encrypted post-quantum, and adds an item where that changed for the chat.
  func notePQ(received isOn: Bool, from contact: Contact, over connection: Connection, of user: User) throws -> Contact
  {
    guard isOn != connection.pqRcvEnabled, connection.pqRcvEnabled != nil || isOn else { return contact }
    try rows.setPQEnabled(sending: nil, receiving: isOn, ofConnection: connection.connId)
    var changed = contact
    changed.activeConn?.pqRcvEnabled = isOn
    guard contact.activeConn?.connPQEnabled != changed.activeConn?.connPQEnabled else { return changed }
    try addItem(
      connection.pqRcvEnabled == nil
        ? .rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: isOn))
        : .rcvConnEvent(rcvConnEvent: .pqEnabled(enabled: isOn)),
      to: changed, of: user)
    emit(.contactPQEnabled(user: user, contact: changed, pqEnabled: isOn))
    return changed
  }

  /// Stores whether sent messages are encrypted post-quantum, and adds an item where that changed for the chat.
  func notePQ(sent isOn: Bool, over agentConnId: String) throws {
    let context: ConnectionContext
    do {
      context = try self.context(ConnectionID(Base64URL.decode(agentConnId) ?? []))
    } catch {
      // The connection was deleted meanwhile.
      if rows.hadOutage { throw error }
      return
    }
    let connection = context.connection
    guard isOn != connection.pqSndEnabled else { return }
    try rows.setPQEnabled(sending: isOn, receiving: nil, ofConnection: connection.connId)
    guard let contact = context.contact else { return }
    var changed = contact
    changed.activeConn?.pqSndEnabled = isOn
    guard connection.pqSndEnabled != nil || isOn,
      contact.activeConn?.connPQEnabled != changed.activeConn?.connPQEnabled
    else { return }
    try addItem(
      connection.pqSndEnabled == nil
        ? .sndDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: isOn))
        : .sndConnEvent(sndConnEvent: .pqEnabled(enabled: isOn)),
      to: changed, of: context.user)
    emit(.contactPQEnabled(user: context.user, contact: changed, pqEnabled: isOn))
  }
}
