import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Requests to connect by an address.

/// The outcome of a request to an address.
enum RequestOutcome: Sendable {
  /// A contact with this address exists.
  case known(Contact)
  /// The request was sent.
  case sent(Connection, incognito: Profile?)
}

/// What was made of a link before connecting by it.
enum PreparedChat: Sendable {
  /// A contact with the profile that the link shows.
  case contact(Contact)
  /// A group, whose host is asked.
  case group(GroupInfo)
}

/// The content of a request besides the profile.
struct RequestMessage: Sendable {
  /// The welcome message that the requester saw.
  var welcomeSharedMsgId: String?
  /// The message that is sent with the request, and its identifier.
  var message: (sharedMsgId: String, content: MsgContent)?
}

extension ChatController {
  /// Sends a request to connect to an address. A retry after an error continues where the first attempt stopped: the
  /// connection is stored before it is created at the agent, and reused. If the program ends, the next start continues.
  func connect(
    _ user: User, byAddress link: CreatedConnLink, request: ConnectionRequest, incognito: Bool,
    chat prepared: PreparedChat? = nil, message: RequestMessage = RequestMessage()
  ) async throws(ChatError) -> RequestOutcome {
    try await locked(.link(request.text)) { () throws(ChatError) in
      let (step, followUp) = try turn { turn -> (AskingStep, FollowUp?) in
        let step = try turn.prepareToAsk(
          link, request: request, incognito: incognito, chat: prepared, message: message, of: user)
        guard case .ask(let connection, _, let info) = step else { return (step, nil) }
        return (step, try turn.joinIfInterrupted(connection, request: request, info: info, of: user))
      }
      let (connection, shown, info): (Connection, Profile?, [UInt8])
      switch step {
      case .known(let contact): return .known(contact)
      case .asked(let connection, let profile): return .sent(connection, incognito: profile)
      case .ask(let prepared, let profile, let request): (connection, shown, info) = (prepared, profile, request)
      }
      _ = try await join(connection, request, info: info, followUp: followUp, of: user)
      let sent = try turn { turn in
        _ = try turn.finishJoining(connection.agentConnId)
        try turn.rows.setLinkStarted(by: connection.connId)
        return try turn.rows.setStatus(of: connection, from: .prepared, to: .joined)
      }
      return .sent(sent, incognito: shown)
    }
  }

  /// Connects to a contact by the address in its profile.
  func connectCard(_ user: User, contact id: Int64, incognito: Bool) async throws(ChatError) -> ChatResponse {
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let address = contact.profile.contactLink else { throw .command("no address in contact profile") }
    let link: CreatedConnLink
    switch try ParsedLink(address) {
    case .full(let request): link = self.link(request, nil)
    case .short(let short): link = self.link(try await resolve(short, of: user).request, short)
    }
    do throws(ChatError) {
      let outcome = try await connect(
        user, byAddress: link, request: try ConnectionRequest(link), incognito: incognito,
        chat: .contact(contact))
      guard case .sent(_, let shown) = outcome else { throw .command("contact already has connection") }
      let changed = try store.read { try $0.contact(id, of: user) }
      return .response1(.sentInvitationToContact(user: user, contact: changed, customUserProfile: shown))
    } catch {
      emitChatUpdate(id, of: user)
      throw error
    }
  }

  /// Reports the state of a contact after a failure, so that user interfaces show how far connecting came.
  func emitChatUpdate(_ id: Int64, of user: User) {
    guard let contact = try? store.read({ try $0.contact(id, of: user) }) else { return }
    emit(.chatInfoUpdated(user: user, chatInfo: .direct(contact: contact)))
  }
}

/// The first step of a request to an address.
private enum AskingStep: Sendable {
  /// The contact exists already.
  case known(Contact)
  /// The host of the group was asked already.
  case asked(Connection, incognito: Profile?)
  /// The request to send over a connection.
  case ask(Connection, incognito: Profile?, info: [UInt8])
}

extension Turn {
  /// The connection to ask with, and the request.
  fileprivate func prepareToAsk(
    _ link: CreatedConnLink, request: ConnectionRequest, incognito: Bool, chat: PreparedChat?,
    message: RequestMessage, of user: User
  ) throws -> AskingStep {
    // The user may have been deleted, or have another profile, since a relay was asked for the link.
    let user = try rows.user(user.userId)
    var known: Connection?
    // An earlier request to the address is recognized by its identifier.
    var earlier: Connection?
    var entity = NewConnection.Entity.contact(nil)
    var group: GroupInfo?
    switch chat {
    case .group(let prepared):
      // As it is now: an earlier attempt may have ended just before.
      let prepared = try rows.group(prepared.groupId, of: user)
      group = prepared
      let host = try rows.hostMember(ofGroup: prepared.groupId, of: user)
      entity = .member(host.groupMemberId)
      known = host.activeConn
      switch prepared.membership.memberStatus {
      // Who left or was rejected may prepare the group again.
      case .memLeft, .memRemoved, .memGroupDeleted, .memRejected: throw ChatErrorType.groupMemberUserRemoved
      default: break
      }
      if let asked = known, asked.connStatus.isUnderWay {
        return .asked(asked, incognito: try incognitoProfile(asked, of: user))
      }
      if let message = message.message, try !isAsking(over: known) {
        try store(message, to: GroupChat(user: user, group: prepared))
      }
    case .contact, nil:
      var contact: Contact?
      if case .contact(let prepared) = chat { contact = try rows.contact(prepared.contactId, of: user) }
      entity = .contact(contact?.contactId)
      if let found = try contact ?? rows.contact(viaLinkHashes: [request.hash], of: user) {
        earlier = found.activeConn
        known = contact == nil ? earlier : try discardingFailed(earlier, of: user)
        if known?.connStatus != .prepared, contact == nil || known != nil { return .known(found) }
      } else {
        known = try rows.connection(viaLinkHashes: [request.hash], of: user)
        earlier = known
      }
      if let contact, let message = message.message, try !isAsking(over: known) {
        try store(message, to: contact, of: user)
      }
    }
    let connection: Connection
    let shown: Profile?
    if let known, known.connStatus == .prepared {
      guard incognito == (known.customUserProfileId != nil) else {
        throw ChatError.command("incognito mode is different from prepared connection")
      }
      connection = known
      shown = try incognitoProfile(known, of: user)
    } else {
      shown = incognito ? Profile.random() : nil
      let profile = try shown.map { try rows.createIncognitoProfile($0, of: user) }
      // An attempt that failed must not bring the user into the group later, maybe with another profile.
      if group != nil, let known {
        try deleteAttempt(known, of: user)
      }
      let repeated = earlier?.xContactId
      connection = try rows.createConnection(
        newConnection(entity, by: link, of: request, incognito: profile, xContactId: repeated), of: user)
      if let group { try rows.setLinkPrepared(link, incognito: profile, of: group, for: user) }
    }
    var profile = user.sharedProfile(for: nil, incognito: shown, sharesTTL: true)
    if let group { profile = group.redacted(profile, of: group.membership) }
    // What an interrupted command stored is sent, whichever of the two gets to the agent first.
    return .ask(
      connection, incognito: shown,
      info: try joiningInfo(connection.agentConnId)
        ?? connectionInfo(.contact(contactRequest(connection, showing: profile, message: message)), connection))
  }

  /// Whether an interrupted command has begun to ask over a connection: that request is sent with its own message.
  private func isAsking(over connection: Connection?) throws -> Bool {
    guard let connection else { return false }
    return try isJoining(connection.agentConnId)
  }

  private func newConnection(
    _ entity: NewConnection.Entity, by link: CreatedConnLink, of request: ConnectionRequest, incognito: Int64?,
    xContactId: String?
  ) -> NewConnection {
    var new = NewConnection(
      agentConnId: ConnectionID.random().text, entity: entity, status: .prepared,
      chatVersion: Int(request.impliedChatVersion(for: environment.options)))
    new.initiated = true
    new.pqSupport = true
    new.viaLink = link
    new.viaLinkHash = request.hash
    new.xContactId = xContactId ?? Self.newXContactId()
    new.viaGroupLink = request.groupLinkId != nil
    new.groupLinkId = request.groupLinkId?.text
    new.customUserProfileId = incognito
    return new
  }

  private func contactRequest(
    _ connection: Connection, showing profile: Profile, message: RequestMessage
  ) -> ContactRequestInfo {
    ContactRequestInfo(
      profile: profile, contactReqId: connection.xContactId.flatMap { XContactId(text: $0) },
      welcomeMsgId: message.welcomeSharedMsgId.flatMap { SharedMsgId(text: $0) },
      requestMsg: message.message.flatMap { message in
        SharedMsgId(text: message.sharedMsgId)
          .map { ContactRequestInfo.RequestMessage(msgId: $0, content: message.content) }
      }, isPostQuantum: connection.viaGroupLink && connection.pqSupport)
  }

  /// Stores the message that goes with a request; a repeated request may have another one.
  private func store(
    _ message: (sharedMsgId: String, content: MsgContent), to contact: Contact, of user: User
  ) throws {
    let content = CIContent.sndMsgContent(msgContent: message.content)
    guard let known = try item(message.sharedMsgId, with: contact, of: user) else {
      try makeItem(content, in: contact, of: user, sharedMsgId: message.sharedMsgId)
      return
    }
    guard known.content != content else { return }
    _ = try rows.updateItem(
      known.meta.itemId, in: contact.chat, to: content, edited: false, live: false, of: user)
  }

  /// Stores the message that goes with a request to a business.
  private func store(_ message: (sharedMsgId: String, content: MsgContent), to chat: GroupChat) throws {
    let content = CIContent.sndMsgContent(msgContent: message.content)
    guard let known = try requestItem(message.sharedMsgId, in: chat) else {
      try makeItem(content, in: chat, sharedMsgId: message.sharedMsgId)
      return
    }
    guard known.content != content else { return }
    _ = try rows.updateItem(known.meta.itemId, in: chat.chat, to: content, edited: false, live: false, of: chat.user)
  }

  /// The item of the message that goes with a request to a business; nil where there is none.
  func requestItem(_ sharedMsgId: String, in chat: GroupChat) throws -> ChatItem? {
    try rows.groupItem(
      sharedMsgId: sharedMsgId, author: chat.group.membership.memberId, inGroup: chat.group.groupId, of: chat.user)?
      .item
  }

  /// Removes the message of a request to a business that was not sent. One that is under way, although the command was
  /// interrupted, is shown.
  func removeOrShowRequestMessage(_ sharedMsgId: String, toGroup id: Int64, of user: User) throws {
    let chat = try groupChat(id, of: user)
    guard let item = try requestItem(sharedMsgId, in: chat) else { return }
    guard try isUnderWay(try rows.hostMember(ofGroup: id, of: user).activeConn) else {
      return try rows.deleteItem(item.meta.itemId, in: chat.chat, of: user)
    }
    emit(.newChatItems(user: user, chatItems: [AChatItem(chatInfo: chat.info, chatItem: item)]))
  }

  /// Whether a request is sent, or will be.
  private func isUnderWay(_ connection: Connection?) throws -> Bool {
    guard let connection else { return false }
    return try connection.connStatus != .prepared || isJoining(connection.agentConnId)
  }

  /// Removes the message of a request that was not sent. One that is under way, although the command was interrupted,
  /// is shown.
  func removeOrShowRequestMessage(_ sharedMsgId: String, to id: Int64, of user: User) throws {
    let contact = try rows.contact(id, of: user)
    guard let item = try item(sharedMsgId, with: contact, of: user) else { return }
    guard try isUnderWay(contact.activeConn) else {
      return try rows.deleteItem(item.meta.itemId, in: contact.chat, of: user)
    }
    emit(.newChatItems(user: user, chatItems: [AChatItem(chatInfo: .direct(contact: contact), chatItem: item)]))
  }

  private static func newXContactId() -> String {
    var random = SystemRandom()
    return XContactId(random.bytes(16)).text
  }
}

extension ConnStatus {
  /// Whether the peer was asked, and did not fail to answer.
  var isUnderWay: Bool {
    switch self {
    case .prepared, .failed, .deleted: false
    default: true
    }
  }
}
