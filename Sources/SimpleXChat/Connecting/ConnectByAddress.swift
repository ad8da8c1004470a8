import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Asking to connect by an address.

extension ChatController {
  /// What asking by an address came to.
  enum RequestOutcome: Sendable {
    /// There is a contact by this address.
    case known(Contact)
    /// The request was sent.
    case sent(Connection, incognito: Profile?)
  }

  /// What a request says besides the profile.
  struct RequestMessage: Sendable {
    /// The welcome message that the requester saw.
    var welcomeSharedMsgId: String?
    /// The message that goes with the request, and what names it.
    var message: (sharedMsgId: String, content: MsgContent)?
  }

  /// Asks to connect by an address. After an error it goes on where it stopped.
  func connect(
    _ user: User, byAddress link: CreatedConnLink, _ request: ConnectionRequest, _ incognito: Bool,
    contact prepared: Contact? = nil, _ message: RequestMessage = RequestMessage()
  ) async throws(ChatError) -> RequestOutcome {
    try await locked(.link(request.text)) { () throws(ChatError) in
      let hash = request.hash
      if let prepared {
        guard let connection = prepared.activeConn else {
          return try await ask(user, link, request, incognito, contact: prepared.contactId, message)
        }
        guard connection.connStatus == .prepared else { return .known(prepared) }
        return try await askAgain(user, connection, request, incognito, message)
      }
      if let contact = try store.read({ try $0.contact(viaLinkHashes: [hash], of: user) }) {
        guard let connection = contact.activeConn, connection.connStatus == .prepared else { return .known(contact) }
        return try await askAgain(user, connection, request, incognito, message)
      }
      let earlier = try store.read { try $0.connection(viaLinkHashes: [hash], of: user) }
      if let earlier, earlier.connStatus == .prepared {
        return try await askAgain(user, earlier, request, incognito, message)
      }
      return try await ask(
        user, link, request, incognito, contact: nil, message, xContactId: earlier?.xContactId)
    }
  }

  private func ask(
    _ user: User, _ link: CreatedConnLink, _ request: ConnectionRequest, _ incognito: Bool, contact: Int64?,
    _ message: RequestMessage, xContactId: String? = nil
  ) async throws(ChatError) -> RequestOutcome {
    let agentUser = try agentUserID(user)
    let id = try await withAgent { (agent) throws(AgentError) in
      try await agent.prepareToJoin(agentUser, request, pq: true)
    }
    let shown = incognito ? Self.randomProfile() : nil
    let connection = try store.transaction { transaction in
      var new = NewConnection(
        agentConnId: id.text, entity: .contact(contact), status: .prepared,
        chatVersion: Int(request.impliedChatVersion))
      new.initiated = true
      new.pqSupport = true
      new.viaLink = link
      new.viaLinkHash = request.hash
      new.xContactId = xContactId ?? Self.newXContactId()
      new.customUserProfileId = try shown.map { try transaction.createIncognitoProfile($0, of: user) }
      return try transaction.createConnection(new, of: user)
    }
    return .sent(try await send(user, connection, request, shown, message), incognito: shown)
  }

  private func askAgain(
    _ user: User, _ connection: Connection, _ request: ConnectionRequest, _ incognito: Bool,
    _ message: RequestMessage
  ) async throws(ChatError) -> RequestOutcome {
    guard incognito == (connection.customUserProfileId != nil) else {
      throw .command("incognito mode is different from prepared connection")
    }
    let shown = try incognitoProfile(connection, of: user)
    return .sent(try await send(user, connection, request, shown, message), incognito: shown)
  }

  private func send(
    _ user: User, _ connection: Connection, _ request: ConnectionRequest, _ shown: Profile?,
    _ message: RequestMessage
  ) async throws(ChatError) -> Connection {
    let event = ChatMessageEvent.contact(
      ContactRequestInfo(
        profile: user.sharedProfile(for: nil, incognito: shown, sharesTTL: true),
        contactReqId: connection.xContactId.flatMap { XContactId(text: $0) },
        welcomeMsgId: message.welcomeSharedMsgId.flatMap { SharedMsgId(text: $0) },
        requestMsg: message.message.flatMap { message in
          SharedMsgId(text: message.sharedMsgId)
            .map { ContactRequestInfo.RequestMessage(msgId: $0, content: message.content) }
        }))
    let info = try connectionInfo(event, connection)
    let id = try agentConnection(connection.agentConnId)
    let agentUser = try agentUserID(user)
    _ = try await withAgent(id) { (agent) throws(AgentError) in
      try await agent.join(agentUser, connection: id, request, info: info)
    }
    return try store.transaction { try $0.setStatus(of: connection, from: .prepared, to: .joined) }
  }

  private static func newXContactId() -> String {
    var random = SystemRandom()
    return XContactId(random.bytes(16)).text
  }

  /// Connects to somebody known by the address in the profile.
  func connectCard(_ user: User, _ id: Int64, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let contact = try store.read { try $0.contact(id, of: user) }
    guard let address = contact.profile.contactLink else { throw .command("no address in contact profile") }
    let link: CreatedConnLink
    switch try ParsedLink(address) {
    case .full(let request): link = self.link(request, nil)
    case .short(let short): link = self.link(try await resolve(short, of: user).request, short)
    }
    do throws(ChatError) {
      let outcome = try await connect(user, byAddress: link, try request(link), incognito, contact: contact)
      guard case .sent(_, let shown) = outcome else { throw .command("contact already has connection") }
      let changed = try store.read { try $0.contact(id, of: user) }
      return .response1(.sentInvitationToContact(user: user, contact: changed, customUserProfile: shown))
    } catch {
      tellChat(id, of: user)
      throw error
    }
  }

  /// Tells what a contact is like after something failed, so that user interfaces know how far it came.
  func tellChat(_ id: Int64, of user: User) {
    guard let contact = try? store.read({ try $0.contact(id, of: user) }) else { return }
    tell(.chatInfoUpdated(user: user, chatInfo: .direct(contact: contact)))
  }
}
