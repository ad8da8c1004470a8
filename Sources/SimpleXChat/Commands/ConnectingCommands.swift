import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto
import WireCodec

// Invitations, connecting by links, plans.

extension ChatController {
  func performConnecting(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiAddContact(let id, let incognito): return try await addContact(try runningUser(id), incognito)
    case .apiConnectPlan(let id, let link, _, let signature):
      let user = try runningUser(id)
      let (link, plan) = try await plan(try ParsedLink(link), signature, of: user)
      return .response1(.connectionPlan(user: user, connLink: link, connectionPlan: plan))
    case .apiConnect(let id, let incognito, let link):
      return try await connect(try runningUser(id), link, incognito)
    case .apiSetConnectionIncognito(let id, let incognito): return try await setIncognito(id, incognito)
    case .apiChangeConnectionUser(let id, let newUser): return try await changeUser(ofPending: id, to: newUser)
    default: return nil
    }
  }

  // MARK: Inviting

  private func addContact(_ user: User, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let shown = incognito ? Self.randomProfile() : nil
    let (connection, link) = try await createInvitation(user, shown)
    let pending = try store.transaction { transaction in
      var new = newInvitation(connection, link)
      new.customUserProfileId = try shown.map { try transaction.createIncognitoProfile($0, of: user) }
      return try transaction.createPendingConnection(new, of: user)
    }
    return .response1(.invitation(user: user, connLinkInvitation: link, connection: pending))
  }

  private func newInvitation(_ connection: ConnectionID, _ link: CreatedConnLink) -> NewConnection {
    var new = NewConnection(agentConnId: connection.text, entity: .contact(nil))
    new.initiated = true
    new.pqSupport = true
    new.invitation = link
    return new
  }

  private func createInvitation(
    _ user: User, _ incognito: Profile?
  ) async throws(ChatError) -> (ConnectionID, CreatedConnLink) {
    let agentUser = try agentUserID(user)
    let data = linkData(user.sharedProfile(for: nil, incognito: incognito, sharesTTL: true), isAddress: false)
    let created = try await withAgent { (agent) throws(AgentError) in
      try await agent.createConnection(agentUser, mode: .invitation, linkData: data)
    }
    return (created.connection, link(created.link.full, created.link.short))
  }

  /// A profile of nobody in particular.
  static func randomProfile() -> Profile {
    var random = SystemRandom()
    return .random(random.next())
  }

  private func setIncognito(_ id: Int64, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let pending = try store.read { try $0.pendingConnection(id, of: user) }
    guard pending.pccConnStatus == .new, incognito == (pending.customUserProfileId == nil) else {
      throw .error(errorType: .connectionIncognitoChangeProhibited)
    }
    let shown = incognito ? Self.randomProfile() : nil
    var short: String?
    if pending.connLinkInv?.connShortLink != nil {
      let connection = try agentConnection(pending.pccAgentConnId)
      let data = linkData(user.sharedProfile(for: nil, incognito: shown, sharesTTL: true), isAddress: false)
      let link = try await withAgent(connection) { (agent) throws(AgentError) in
        try await agent.setLinkData(connection, data)
      }
      short = link.text(presets: linkServers)
    }
    let shortLink = short
    let changed = try store.transaction { transaction in
      let profile = try shown.map { try transaction.createIncognitoProfile($0, of: user) }
      return try transaction.setIncognito(profile: profile, shortLink: shortLink, ofPending: pending, of: user)
    }
    return .response1(
      .connectionIncognitoUpdated(user: user, toConnection: changed, customUserProfile: shown))
  }

  /// An invitation belongs to a user of the agent, so that another user gets another one.
  private func changeUser(ofPending id: Int64, to newId: Int64) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let pending = try store.read { try $0.pendingConnection(id, of: user) }
    guard pending.pccConnStatus == .new, pending.connLinkInv != nil else {
      throw .error(errorType: .connectionUserChangeProhibited)
    }
    let newUser = try privateUser(newId)
    let (connection, link) = try await createInvitation(newUser, nil)
    let changed = try store.transaction { transaction in
      try transaction.deletePendingConnection(id, of: user)
      return try transaction.createPendingConnection(newInvitation(connection, link), of: newUser)
    }
    let old = try agentConnection(pending.pccAgentConnId)
    try await withAgent(old) { (agent) throws(AgentError) in try await agent.delete([old]) }
    return .response1(
      .connectionUserChanged(user: user, fromConnection: pending, toConnection: changed, newUser: newUser))
  }

  // MARK: Plans

  /// What a link leads to.
  func plan(
    _ link: ParsedLink, _ signature: LinkOwnerSig? = nil, of user: User
  ) async throws(ChatError) -> (CreatedConnLink, ConnectionPlan) {
    switch link {
    case .full(let request):
      return (self.link(request, nil), try plan(request, nil, nil, of: user))
    case .short(let short):
      if let known = try knownPlan(short, of: user) { return known }
      if case .contact(let type) = short.kind, type != .contact {
        throw .command("not implemented yet: links of groups")
      }
      let (request, content, data) = try await resolve(short, of: user)
      let verification = signature.map { Self.verify($0, short, content) }
      let connLink = self.link(request, short)
      if !short.isInvitation,
        let card = try store.read({ try $0.contactWithoutConnection(viaAddresses: spellings(short), of: user) }),
        card.contactStatus == .active
      {
        return (connLink, .contactAddress(contactAddressPlan: .contactViaAddress(contact: card)))
      }
      return (connLink, try plan(request, data, verification, of: user))
    }
  }

  private func spellings(_ short: ShortLink) -> [String] {
    [short.text(presets: linkServers), short.plainText(presets: linkServers)]
  }

  private func plan(
    _ request: ConnectionRequest, _ data: ContactShortLinkData?, _ verification: OwnerVerification?, of user: User
  ) throws(ChatError) -> ConnectionPlan {
    try store.read { transaction in
      guard !request.isInvitation else {
        let entity = try transaction.connectionEntity(invitations: [request.text], of: user)
        return .invitationLink(
          invitationLinkPlan: InvitationLinkPlan(entity: entity, linkData: data, verification: verification))
      }
      if try transaction.address(links: [request.text], of: user) != nil {
        return .contactAddress(contactAddressPlan: .ownLink)
      }
      let entity = try transaction.connectionEntity(viaLinkHashes: [request.hash], of: user)
      let card = try transaction.contactWithoutConnection(viaAddresses: [request.text], of: user)
      return .contactAddress(
        contactAddressPlan: ContactAddressPlan(
          entity: entity, card: card, linkData: data, verification: verification))
    }
  }

  /// The plan of a short link that the database knows, so that no relay need be asked.
  private func knownPlan(_ short: ShortLink, of user: User) throws(ChatError) -> (CreatedConnLink, ConnectionPlan)? {
    let text = short.text(presets: linkServers)
    return try store.read { transaction in
      if short.isInvitation {
        if let (full, entity) = try transaction.connectionEntity(shortInvitation: text, of: user) {
          let plan = InvitationLinkPlan(entity: entity, linkData: nil, verification: nil)
          return (
            CreatedConnLink(connFullLink: full, connShortLink: text), .invitationLink(invitationLinkPlan: plan)
          )
        }
        guard let contact = try transaction.contact(shortLinkToConnect: text, of: user),
          let link = contact.preparedContact?.connLinkToConnect
        else { return nil }
        return (link, .invitationLink(invitationLinkPlan: .known(contact: contact)))
      }
      if let address = try transaction.address(shortLink: text, of: user) {
        return (
          CreatedConnLink(connFullLink: address.connLinkContact.connFullLink, connShortLink: text),
          .contactAddress(contactAddressPlan: .ownLink)
        )
      }
      guard let contact = try transaction.contact(shortLinkToConnect: text, of: user),
        contact.contactStatus == .active, let link = contact.preparedContact?.connLinkToConnect
      else { return nil }
      return (link, .contactAddress(contactAddressPlan: .known(contact: contact)))
    }
  }

  /// Whether an owner of the link signed it for this conversation.
  private static func verify(
    _ signature: LinkOwnerSig, _ short: ShortLink, _ content: AgentProtocol.LinkContent
  ) -> OwnerVerification {
    var key: Ed25519.PublicKey? = content.fixed.rootKey
    if let ownerId = signature.ownerId {
      guard case .contact(let data) = content.user.kind, let id = Base64URL.decode(ownerId) else {
        return .failed(reason: "unknown owner")
      }
      key = data.owners.first { $0.ownerID == id }?.key
    }
    guard let key else { return .failed(reason: "unknown owner") }
    guard let binding = Base64URL.decode(signature.chatBinding), let bytes = Base64URL.decode(signature.ownerSig),
      let link = try? ShortLink.codec.encode(short), key.isValid(bytes, of: binding + link)
    else { return .failed(reason: "signature verification failed") }
    return .verified
  }

  // MARK: Connecting

  private func connect(
    _ user: User, _ connLink: CreatedConnLink, _ incognito: Bool
  ) async throws(ChatError) -> ChatResponse {
    let request = try request(connLink)
    if request.isInvitation {
      let (connection, shown) = try await connect(user, byInvitation: connLink, request, incognito)
      return .response1(
        .sentConfirmation(
          user: user, connection: try store.read { try $0.startedConnection(connection.connId, of: user) },
          customUserProfile: shown))
    }
    switch try await connect(user, byAddress: connLink, request, incognito) {
    case .known(let contact): return .response1(.contactAlreadyExists(user: user, contact: contact))
    case .sent(let connection, let shown):
      return .response1(
        .sentInvitation(
          user: user, connection: try store.read { try $0.startedConnection(connection.connId, of: user) },
          customUserProfile: shown))
    }
  }

  /// Connects by a link, if its plan says that this makes sense.
  func connectWithPlan(_ user: User, _ text: String, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let parsed = try ParsedLink(text)
    let (connLink, plan) = try await plan(parsed, of: user)
    guard plan.proceeds else {
      return .response1(.connectionPlan(user: user, connLink: connLink, connectionPlan: plan))
    }
    if case .contactAddress(.contactViaAddress(let contact)) = plan {
      return try await connectCard(user, contact.contactId, incognito)
    }
    return try await connect(user, connLink, incognito)
  }

  /// Joins by an invitation. After an error it goes on where it stopped.
  func connect(
    _ user: User, byInvitation link: CreatedConnLink, _ request: ConnectionRequest, _ incognito: Bool,
    contact: Int64? = nil
  ) async throws(ChatError) -> (connection: Connection, incognito: Profile?) {
    try await locked(.link(request.text)) { () throws(ChatError) in
      let connection: Connection
      var shown: Profile?
      let entity = try store.read { try $0.connectionEntity(invitations: [request.text], of: user) }
      var known: Connection?
      if case .rcvDirectMsgConnection(let found, _) = entity { known = found }
      if let known, known.connStatus == .prepared {
        connection = known
        shown = try incognitoProfile(known, of: user)
      } else if entity == nil || (known?.connStatus == .new && known?.contactConnInitiated == true) {
        shown = incognito ? Self.randomProfile() : nil
        connection = try await prepare(user, link, request, shown, contact: contact)
      } else {
        throw .command("connection is not prepared")
      }
      return (try await join(user, connection, request, shown), shown)
    }
  }

  private func prepare(
    _ user: User, _ link: CreatedConnLink, _ request: ConnectionRequest, _ shown: Profile?, contact: Int64?
  ) async throws(ChatError) -> Connection {
    let agentUser = try agentUserID(user)
    let id = try await withAgent { (agent) throws(AgentError) in
      try await agent.prepareToJoin(agentUser, request, pq: true)
    }
    return try store.transaction { transaction in
      var new = NewConnection(
        agentConnId: id.text, entity: .contact(contact), status: .prepared,
        chatVersion: Int(request.impliedChatVersion))
      new.pqSupport = true
      new.invitation = link
      new.customUserProfileId = try shown.map { try transaction.createIncognitoProfile($0, of: user) }
      return try transaction.createConnection(new, of: user)
    }
  }

  private func join(
    _ user: User, _ connection: Connection, _ request: ConnectionRequest, _ shown: Profile?
  ) async throws(ChatError) -> Connection {
    let profile = user.sharedProfile(for: nil, incognito: shown, sharesTTL: true)
    let info = try connectionInfo(.info(profile), connection)
    let id = try agentConnection(connection.agentConnId)
    let agentUser = try agentUserID(user)
    let joined = try await withAgent(id) { (agent) throws(AgentError) in
      try await agent.join(agentUser, connection: id, request, info: info)
    }
    return try store.transaction {
      try $0.setStatus(of: connection, from: .prepared, to: joined.isSecured ? .sndReady : .joined)
    }
  }

  /// The profile that the other side of a connection sees instead of the user's own.
  func incognitoProfile(_ connection: Connection, of user: User) throws(ChatError) -> Profile? {
    guard let id = connection.customUserProfileId else { return nil }
    return try store.read { try $0.profile(id, of: user) }.shared
  }

  /// What the agent gives the other side while connecting.
  nonisolated func connectionInfo(
    _ event: ChatMessageEvent, _ connection: Connection
  ) throws(ChatError) -> [UInt8] {
    do throws(ChatProtocolError) {
      return try ConnectionInfo.encode(
        event, isPostQuantum: connection.pqSupport, version: UInt16(clamping: connection.connChatVersion))
    } catch {
      throw .error(errorType: .exception(message: "large info"))
    }
  }
}
