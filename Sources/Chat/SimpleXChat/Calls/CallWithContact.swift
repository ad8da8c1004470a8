import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import FoundationTypes
import SimplexCrypto
import WireCodec

/// The call with a contact within a turn: what each side does becomes the state of its row, the status of its item,
/// events, and messages to the contact.
struct CallWithContact {
  let turn: Turn
  let user: User
  let contact: Contact

  var rows: ChatTransaction { turn.rows }

  /// The call; nil where there is none.
  func current() throws -> ContactCall? { try rows.call(withContact: contact.contactId) }

  // MARK: Beginning

  /// Calls the contact.
  func invite(_ type: CallType) throws {
    try contact.checkAllowed(event: "x.call.inv")
    _ = try contact.sendingConnection()
    guard contact.isAllowed(.calls, for: .user) else {
      throw ChatError.command("feature not allowed \(ChatFeature.calls.coreText)")
    }
    try DirectConversation(user: user, contact: contact).requireSynchronized(turn)
    if let call = try current() { try end(call) }
    var random = SystemRandom()
    let key = type.capabilities.encryption ? X25519.PrivateKey(using: &random) : nil
    let callId = CallId(random.bytes(16))
    let messageId = SharedMsgId.random()
    let item = try turn.makeItem(
      .sndCall(status: .pending, duration: 0), in: contact, of: user, sharedMsgId: messageId.text)
    try rows.setCall(
      ContactCall(
        contactId: contact.contactId, callId: callId.bytes, callUUID: ContactCall.newUUID(),
        itemId: item.chatItem.meta.itemId, state: .invitationSent, callType: type, callTs: rows.now,
        keys: key.map { .own($0.secret) }))
    try turn.send(
      [(messageId, .callInv(callId, CallInvitation(callType: type, callDhPubKey: key?.publicKey)))], to: contact,
      showing: [[item.chatItem.meta.itemId]])
    turn.emit(.newChatItems(user: user, chatItems: [item]))
  }

  /// Handles that the contact calls.
  ///
  /// Where both call each other at the same time, the call with the lower identifier is the one that rings, on both
  /// sides; the other one was missed.
  func invited(_ callId: CallId, _ invitation: CallInvitation, message: ReceivedMessage) throws {
    guard contact.isAllowed(.calls, for: .contact) else {
      try turn.addItem(
        .rcvChatFeatureRejected(feature: .calls), to: contact, of: user, sharedMsgId: message.sharedMsgId,
        at: message.time)
      return
    }
    let other = try current()
    if let other, other.callId == callId.bytes { return }
    if let other, other.state == .invitationSent, other.callId.lexicographicallyPrecedes(callId.bytes) {
      try turn.addItem(
        .rcvCall(status: .missed, duration: 0), to: contact, of: user, sharedMsgId: message.sharedMsgId,
        at: message.time)
      return
    }
    if let other { try end(other) }
    let item = try turn.makeItem(
      .rcvCall(status: .pending, duration: 0), in: contact, of: user, sharedMsgId: message.sharedMsgId,
      at: message.time)
    let call = ContactCall(
      contactId: contact.contactId, callId: callId.bytes, callUUID: ContactCall.newUUID(),
      itemId: item.chatItem.meta.itemId, state: .invitationReceived, callType: invitation.callType,
      callTs: item.chatItem.meta.itemTs, keys: try keys(for: invitation))
    try rows.setCall(call)
    turn.emit(.callInvitation(callInvitation: RcvCallInvitation(call, user: user, contact: contact)))
    turn.emit(.newChatItems(user: user, chatItems: [item]))
  }

  private func keys(for invitation: CallInvitation) throws -> CallKeys? {
    guard invitation.callType.capabilities.encryption, let theirs = invitation.callDhPubKey else { return nil }
    var random = SystemRandom()
    let own = X25519.PrivateKey(using: &random)
    return .agreed(publicKey: own.publicKey.rawBytes, shared: try own.sharedSecret(with: theirs))
  }

  // MARK: Steps

  /// Carries out a command of the user about the call that there is.
  func perform(_ step: CallStep, sending message: ((CallId, ContactCall) throws -> ChatMessageEvent)? = nil) throws {
    guard let call = try current() else { throw ChatError.error(errorType: .noCurrentCall) }
    guard step.isAllowed(in: call.state) else {
      throw ChatError.error(errorType: .callState(currentCallState: call.state))
    }
    if let message { try send(message(CallId(call.callId), call)) }
    try advance(call, by: step)
  }

  /// Rejects the contact's call; the contact is not told.
  func reject() throws { try perform(.reject) }

  /// Accepts the contact's call, with an offer of a session.
  func offer(_ offer: WebRTCCallOffer) throws {
    try perform(.offer) { callId, call in
      var key: X25519.PublicKey?
      if offer.callType.capabilities.encryption, case .agreed(let own, _) = call.keys {
        key = try X25519.PublicKey(rawBytes: own.span.bytes)
      }
      return .callOffer(
        callId, CallOffer(callType: offer.callType, rtcSession: offer.rtcSession, callDhPubKey: key))
    }
  }

  /// Answers the contact's offer.
  func answer(_ session: WebRTCSession) throws {
    try perform(.answer) { callId, _ in .callAnswer(callId, CallAnswer(rtcSession: session)) }
  }

  /// Sends further candidates for the connection.
  func sendExtra(_ info: WebRTCExtraInfo) throws {
    try perform(.extra) { callId, _ in .callExtra(callId, CallExtraInfo(rtcExtraInfo: info)) }
  }

  /// Ends the call, and tells the contact.
  func hangUp() throws {
    guard let call = try current() else { throw ChatError.error(errorType: .noCurrentCall) }
    try send(.callEnd(CallId(call.callId)))
    try end(call)
  }

  /// Stores what became of the connection of the call.
  func report(_ connection: WebRTCCallStatus) throws {
    guard var call = try current() else { throw ChatError.error(errorType: .noCurrentCall) }
    if connection == .connected, call.connectedAt == nil {
      call.connectedAt = rows.now
      try rows.setCall(call)
    }
    try setItem(of: call, after: connection)
  }

  /// Stores the state after a step, and what the item shows of it. Keys are removed as soon as both sides have what
  /// they make of them.
  private func advance(_ call: ContactCall, by step: CallStep) throws {
    switch step {
    case .reject: try setItem(of: call, to: .rejected, isRead: true)
    case .offer: try setItem(of: call, to: .accepted, isRead: true)
    case .offered: try setItem(of: call, to: .accepted)
    case .answer, .answered: try setItem(of: call, to: .negotiated)
    case .extra, .extraReceived: return
    }
    if call.keys != nil { turn.purgeSoon() }
    guard let state = step.state(after: call.state) else { return try rows.removeCall(withContact: contact.contactId) }
    var changed = call
    changed.state = state
    changed.keys = nil
    try rows.setCall(changed)
  }

  // MARK: Messages of the contact

  /// Handles a message of the contact about the call that there is.
  func received(_ event: ChatMessageEvent) throws {
    switch event {
    case .callOffer(let callId, let offer):
      guard let call = try expected(.offered, callId, of: event) else { return try refuse(callId) }
      var shared: SecretBytes?
      if case .own(let secret) = call.keys, let theirs = offer.callDhPubKey {
        shared = try X25519.PrivateKey(secret: secret).sharedSecret(with: theirs)
      }
      turn.emit(
        .callOffer(
          user: user, contact: contact, callType: offer.callType, offer: offer.rtcSession,
          sharedKey: shared.map(\.base64URL),
          askConfirmation: call.callType.capabilities.encryption && !offer.callType.capabilities.encryption))
      try advance(call, by: .offered)
    case .callAnswer(let callId, let answer):
      guard let call = try expected(.answered, callId, of: event) else { return }
      turn.emit(.callAnswer(user: user, contact: contact, answer: answer.rtcSession))
      try advance(call, by: .answered)
    case .callExtra(let callId, let info):
      guard try expected(.extraReceived, callId, of: event) != nil else { return }
      turn.emit(.callExtraInfo(user: user, contact: contact, extraInfo: info.rtcExtraInfo))
    case .callEnd(let callId):
      guard let call = try expected(nil, callId, of: event) else { return }
      turn.emit(.callEnded(user: user, contact: contact))
      try end(call)
    default: break
    }
  }

  /// The call, if a message is about it and fits its state; nil, with an event that says why, if it does not.
  private func expected(_ step: CallStep?, _ callId: CallId, of event: ChatMessageEvent) throws -> ContactCall? {
    let reason: String
    if let call = try current() {
      if call.callId != callId.bytes {
        reason = "wrong contact or callId"
      } else if let step, !step.isAllowed(in: call.state) {
        reason = "wrong call state \(call.state.errorName)"
      } else {
        return call
      }
    } else {
      reason = "no current call"
    }
    turn.emit(.messageError(user: user, severity: "error", errorMessage: "\(event.tag): \(reason)"))
    return nil
  }

  /// Ends a call of the contact that is none here, so that the contact does not wait for its answer; no-op for the call
  /// that there is. A message that has many of them is answered once: each answer is a message of the full size.
  private func refuse(_ callId: CallId) throws {
    guard try current()?.callId != callId.bytes, (try? contact.sendingConnection()) != nil,
      turn.refusedCalls.insert(contact.contactId).inserted
    else { return }
    try turn.send(.callEnd(callId), to: contact)
  }

  // MARK: Ending

  /// Ends the call on this side.
  func end(_ call: ContactCall) throws {
    try setItem(of: call, after: .disconnected)
    try rows.removeCall(withContact: contact.contactId)
    if call.keys != nil { turn.purgeSoon() }
  }

  /// Ends the call, and tells the contact if that is possible.
  func abandon(_ call: ContactCall) throws {
    if (try? contact.sendingConnection()) != nil { try turn.send(.callEnd(CallId(call.callId)), to: contact) }
    try end(call)
  }

  // MARK: The item

  private func setItem(of call: ContactCall, after connection: WebRTCCallStatus) throws {
    guard let item = try item(of: call), let old = item.content.callStatus, let status = old.after(connection) else {
      return
    }
    let isOver = old == .progress && status == .ended
    let seconds = isOver ? call.connectedAt.map { rows.now.timeIntervalSince($0) } ?? 0 : 0
    try set(item, to: status, duration: Int(max(0, seconds)))
  }

  private func setItem(of call: ContactCall, to status: CICallStatus, isRead: Bool = false) throws {
    guard let item = try item(of: call) else { return }
    if isRead { try rows.markRead(items: [item.meta.itemId], in: contact.chat, of: user) }
    try set(item, to: status, duration: 0)
  }

  private func item(of call: ContactCall) throws -> ChatItem? {
    try call.itemId.flatMap { try rows.itemIfPresent($0, in: contact.chat, of: user) }
  }

  /// Stores the status of the item. Where the call is over, the time begins after which messages of the chat disappear.
  private func set(_ item: ChatItem, to status: CICallStatus, duration: Int) throws {
    let changed = try rows.updateItem(
      item.meta.itemId, in: contact.chat, to: item.content.withCallStatus(status, duration: duration), edited: false,
      live: false,
      timed: status.isFinal ? contact.timedForSent(ttl: nil, live: false, now: rows.now) : nil, of: user)
    turn.emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: .direct(contact: contact), chatItem: changed)))
  }

  private func send(_ event: ChatMessageEvent) throws {
    try DirectConversation(user: user, contact: contact).deliver([event], in: turn)
  }
}

extension RcvCallInvitation {
  /// The invitation of a call.
  init(_ call: ContactCall, user: User, contact: Contact) {
    var shared: String?
    if case .agreed(_, let secret) = call.keys { shared = secret.base64URL }
    self.init(
      user: user, contact: contact, callType: call.callType, sharedKey: shared, callUUID: call.callUUID,
      callTs: call.callTs)
  }
}

extension SecretBytes {
  /// The text by which an app gets a key.
  fileprivate var base64URL: String { withUnsafeBytes { Base64URL.string(Array($0)) } }
}
