import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import WireCodec

// Connections being established.

extension Turn {
  /// The message that a peer sends while connecting, and the versions it speaks.
  func parse(_ info: [UInt8], _ context: ConnectionContext) throws -> ChatMessage {
    do throws(ChatProtocolError) {
      return try ConnectionInfo.decode(info)
    } catch {
      throw ChatErrorType.invalidChatMessage(
        connection: context.connection, msgMeta: nil,
        messageData: String(decoding: info.prefix(1_024), as: UTF8.self),
        message: error.description)
    }
  }

  /// Stores the versions of a peer; the version in use only grows.
  func updateVersions(_ connection: Connection, _ versions: ChatVersionRange) throws -> Connection {
    var changed = connection
    let agreed = environment.options.chatVersions.intersection(versions)?.highest
    changed.connChatVersion = max(connection.connChatVersion, Int(agreed ?? 0))
    changed.peerChatVRange = ChatAPI.VersionRange(versions)
    if changed.connType == .contact && changed.connChatVersion >= Int(ChatVersion.compression) {
      changed.pqSupport = true
      changed.pqEncryption = true
    }
    guard changed != connection else { return connection }
    try rows.setVersions(changed.connChatVersion, peer: changed.peerChatVRange, ofConnection: changed.connId)
    try rows.setPQSupport(changed.pqSupport, encryption: changed.pqEncryption, ofConnection: changed.connId)
    return changed
  }

  /// A connection whose peer may refuse post-quantum encryption: it is off then.
  func withoutPQ(_ connection: Connection, unless isSupported: Bool) throws -> Connection {
    guard connection.pqSupport, !isSupported else { return connection }
    try rows.setPQSupport(false, encryption: false, ofConnection: connection.connId)
    var changed = connection
    changed.pqSupport = false
    changed.pqEncryption = false
    return changed
  }

  /// The profile that the other side of a connection sees instead of the user's own.
  func incognitoProfile(_ connection: Connection, of user: User) throws -> Profile? {
    try connection.customUserProfileId.map { try rows.profile($0, of: user).shared }
  }

  /// Handles that a peer joins this side's invitation, or accepted this side's request.
  func confirmed(
    _ context: ConnectionContext, _ confirmation: ConfirmationID, pqSupport: Bool, info: [UInt8]
  ) throws {
    let message = try parse(info, context)
    let connection = try updateVersions(
      try withoutPQ(context.connection, unless: pqSupport), message.chatVRange)
    let isOwnInvitation = try rows.isOwnInvitation(connection: connection.connId)
    switch message.event {
    // Groups answer requests of the user; who has the user's own invitation cannot bring the user into a group.
    // A contact whose address was asked may turn out to be a business.
    case .grpLinkInv(let answer) where !isOwnInvitation && (context.contact == nil || connection.isByAddress):
      return try acceptedByHost(answer, context, confirmation: confirmation)
    case .grpLinkReject(let answer) where context.contact == nil && !isOwnInvitation:
      return try rejectedByHost(answer, context, confirmation: confirmation)
    default: break
    }
    guard case .info(let profile) = message.event else {
      throw ChatError.command("not implemented yet: connecting by \(message.event.tag)")
    }
    let contact: Contact
    if let known = context.contact {
      contact = try changeProfile(of: known, to: profile, addsItems: false, context.user)
      if known.contactGroupMemberId != nil { try rows.resetInviting(ofContact: known.contactId) }
    } else {
      contact = try addContact(profile, over: connection, of: context.user)
    }
    let shown = try incognitoProfile(connection, of: context.user)
    let own = context.user.sharedProfile(
      for: context.contact == nil ? nil : contact, incognito: shown, sharesTTL: true)
    try command(.allow(confirmation, info: try connectionInfo(.info(own), connection)), for: connection.agentConnId)
  }

  private func addContact(_ profile: Profile, over connection: Connection, of user: User) throws -> Contact {
    let contact = try rows.createContact(profile: profile.withValidName, connection: connection, of: user)
    emit(.contactConnecting(user: user, contact: contact))
    return contact
  }

  /// Handles the profile of the inviting side.
  func informed(_ context: ConnectionContext, _ info: [UInt8]) throws {
    let message = try parse(info, context)
    let connection = try updateVersions(context.connection, message.chatVRange)
    switch message.event {
    case .info(let profile):
      guard let contact = context.contact else {
        _ = try addContact(profile, over: connection, of: context.user)
        return
      }
      let wasPrepared = contact.preparedContact != nil || contact.contactRequestId != nil
      _ = try changeProfile(of: contact, to: profile, addsItems: wasPrepared, context.user)
    case .ok: break
    default: throw ChatError.command("not implemented yet: connecting by \(message.event.tag)")
    }
  }

  /// Handles that the connection is established.
  func connected(_ context: ConnectionContext, pq: Bool) throws {
    guard var contact = context.contact else { return }
    let user = context.user
    var connection = context.connection
    connection.pqSndEnabled = pq
    connection.pqRcvEnabled = pq
    contact.activeConn = connection
    let id = connection.connId
    if pq { try rows.setPQEnabled(sending: true, receiving: true, ofConnection: id) }
    let probes = connection.contactConnInitiated
    if probes { try rows.resetInitiated(ofConnection: id) }
    emit(
      .contactConnected(
        user: user, contact: contact, userCustomProfile: try incognitoProfile(connection, of: user)))
    try sendChangedProfile(to: contact, over: connection, of: user)
    if probes { try probe(.contact(contact), of: user) }
    guard contact.directOrUsed else { return }
    if let prepared = contact.preparedContact {
      let offered = try? ConnectionRequest(prepared.connLinkToConnect).isPostQuantum
      if offered != pq { try addEncryptionItem(contact, pq: pq, of: user) }
      try sendJoiningMessage(to: contact, of: user)
    } else if let requestId = contact.contactRequestId {
      let requested = try? rows.contactRequest(requestId, of: user).pqSupport
      if requested != pq { try addEncryptionItem(contact, pq: pq, of: user) }
    } else {
      try addFirstItems(contact, pq: pq, of: user)
    }
    if let addressId = connection.viaUserContactLink, connection.connChatVersion < Int(ChatVersion.batches),
      let address = try? rows.address(addressId, of: user).link
    {
      try sendWelcome(address, request: nil, to: contact, of: user)
    }
  }

  private func addEncryptionItem(_ contact: Contact, pq: Bool, of user: User) throws {
    try addItem(.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: pq)), to: contact, of: user)
  }

  private func addFirstItems(_ contact: Contact, pq: Bool, of user: User) throws {
    if try !rows.hasItems(contact.chat, of: user) { try addBanner(to: contact, of: user) }
    try addItems(
      [.rcvDirectE2EEInfo(e2eeInfo: E2EEInfo(pqEnabled: pq))] + FeatureItems.initial(contact.mergedPreferences),
      to: contact, of: user)
  }

  /// Stores that a connection was joined. If the command failed because the relay's response was lost, nothing is
  /// stored about it but the status of the connection.
  /// - Parameter status: the status of the connection before the event.
  /// - Returns: false where it was known already.
  func finishJoining(_ context: ConnectionContext, from status: ConnStatus) throws -> Bool {
    let wasStored = try finishJoining(context.connection.agentConnId)
    return wasStored || status == .new || status == .prepared
  }

  /// Handles that joining in the background succeeded: of a request that was accepted automatically, or of a command
  /// that was interrupted or failed.
  func joined(_ context: ConnectionContext, isSecured: Bool, from status: ConnStatus) throws {
    guard try finishJoining(context, from: status), let contact = context.contact else { return }
    try acceptedDirectInvitation(of: contact)
    guard isSecured, contact.directOrUsed else { return }
    emit(.contactSndReady(user: context.user, contact: contact))
    try sendJoiningMessage(to: contact, of: context.user)
    let connection = context.connection
    guard connection.connChatVersion >= Int(ChatVersion.batches), let addressId = connection.viaUserContactLink,
      let address = try? rows.address(addressId, of: context.user).link
    else { return }
    let request = contact.contactRequestId.flatMap { try? rows.contactRequest($0, of: context.user) }
    try sendWelcome(address, request: request, to: contact, of: context.user)
  }

  /// Sends the message that the user gave when joining a prepared invitation; a no-op while nothing can be sent yet.
  func sendJoiningMessage(to contact: Contact, of user: User) throws {
    guard (try? contact.sendingConnection()) != nil,
      let content = try rows.takeJoiningMessage(ofContact: contact.contactId)
    else { return }
    // Whatever is wrong with it, the contact is connected.
    try reportingErrors {
      let items = try sendMessages([OutgoingContent(content: content)], to: contact, of: user)
      emit(.newChatItems(user: user, chatItems: items))
    }
  }

  /// Sends the welcome message of an address to somebody who was just accepted. Whatever is wrong with it, the contact
  /// is accepted.
  func sendWelcome(
    _ address: UserContactLink, request: UserContactRequest?, to contact: Contact, of user: User
  ) throws {
    guard let content = address.addressSettings.autoReply else { return }
    try reportingErrors {
      if let shared = request?.welcomeSharedMsgId.flatMap({ SharedMsgId(text: $0) }) {
        // The requester saw it; with its id, a later edit can be sent.
        try send(.msgUpdate(MsgUpdate(msgId: shared, content: content)), to: contact)
      } else {
        let items = try sendMessages([OutgoingContent(content: content)], to: contact, of: user)
        emit(.newChatItems(user: user, chatItems: items))
      }
    }
  }
}

extension Profile {
  /// The profile of a peer with its name made valid: characters that are not allowed in names are removed.
  var withValidName: Profile {
    guard !DisplayName.isValid(displayName) else { return self }
    var valid = self
    let name = DisplayName.valid(displayName)
    valid.displayName = name.isEmpty ? "unnamed" : name
    return valid
  }
}
