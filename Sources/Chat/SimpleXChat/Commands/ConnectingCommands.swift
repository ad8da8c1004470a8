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
      let user = try runningUser(id)
      return try await connect(user, to: try await completed(link, of: user), incognito: incognito)
    case .apiSetConnectionIncognito(let id, let incognito):
      // Concurrent changes would start from the same profile, and leave one behind.
      return try await locked(.pendingConnection(id)) { () throws(ChatError) in try await setIncognito(id, incognito) }
    case .apiChangeConnectionUser(let id, let newUser): return try await changeUser(ofPending: id, to: newUser)
    default: return nil
    }
  }

  // MARK: Inviting

  private func addContact(_ user: User, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let shown = incognito ? Profile.random() : nil
    return try await createInvitation(of: user, shown) { turn, connection, link in
      var new = NewConnection(invitation: connection, link)
      new.customUserProfileId = try shown.map { try turn.rows.createIncognitoProfile($0, of: user) }
      let pending = try turn.rows.createPendingConnection(new, of: user)
      return .response1(.invitation(user: user, connLinkInvitation: link, connection: pending))
    }
  }

  private func createInvitation(
    of user: User, _ incognito: Profile?,
    store: (Turn, ConnectionID, CreatedConnLink) throws -> ChatResponse
  ) async throws(ChatError) -> ChatResponse {
    let profile = user.sharedProfile(for: nil, incognito: incognito, sharesTTL: true)
    return try await createConnection(
      of: user, mode: .invitation, linkData(profile, mode: .invitation), store: store)
  }

  /// Creates an invitation or an address at the agent, and stores it. Where it fails, or the program ends before it is
  /// stored, the connection is deleted, because its link was not shown.
  func createConnection<Value: Sendable>(
    of user: User, mode: AgentCore.ConnectionMode, _ data: UserLinkData?, clientData: String? = nil,
    type: ShortLink.ContactType = .contact, options: ConnectionOptions = ConnectionOptions(),
    store: (Turn, ConnectionID, CreatedConnLink) throws -> Value
  ) async throws(ChatError) -> Value {
    let id = ConnectionID.random()
    let agentUser = try user.agentID
    let followUp = try turn { try $0.ifInterrupted(.delete(waitForDelivery: false), for: id.text) }
    do throws(ChatError) {
      let created = try await withAgent { (agent) throws(AgentError) in
        try await agent.createConnection(
          agentUser, connection: id, mode: mode, linkData: data, clientData: clientData, options: options)
      }
      var short = created.link.short
      if mode == .contact { short?.kind = .contact(type) }
      let link = link(created.link.full, short)
      return try turn { turn in
        // The user may have been deleted while the relay was asked.
        _ = try turn.rows.user(user.userId)
        try turn.finish(followUp)
        return try store(turn, id, link)
      }
    } catch {
      try? turn { try $0.carryOut(followUp) }
      throw error
    }
  }

  private func setIncognito(_ id: Int64, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let pending = try store.read { try $0.pendingConnection(id, of: user) }
    guard pending.pccConnStatus == .new, incognito == (pending.customUserProfileId == nil) else {
      throw .error(errorType: .connectionIncognitoChangeProhibited)
    }
    let shown = incognito ? Profile.random() : nil
    let followUp: FollowUp?
    let shortLink: String?
    if pending.connLinkInv?.connShortLink != nil {
      let connection = try ConnectionID(agentText: pending.pccAgentConnId)
      let data = linkData(user.sharedProfile(for: nil, incognito: shown, sharesTTL: true), mode: .invitation)
      // After a crash or a stop the link must not show another profile than the one that is stored.
      followUp = try turn { try $0.restoreLinkIfInterrupted(of: pending, user) }
      let link = try await withAgent(followUp) { (agent) throws(AgentError) in
        try await agent.setLinkData(connection, data)
      }
      shortLink = link.text(presets: linkServers)
    } else {
      (followUp, shortLink) = (nil, nil)
    }
    do throws(ChatError) {
      return try turn { turn in
        if let followUp { try turn.finish(followUp) }
        try turn.requireUnchanged(pending, of: user, else: .connectionIncognitoChangeProhibited)
        let profile = try shown.map { try turn.rows.createIncognitoProfile($0, of: user) }
        let changed = try turn.rows.setIncognito(profile: profile, shortLink: shortLink, ofPending: pending, of: user)
        return .response1(
          .connectionIncognitoUpdated(user: user, toConnection: changed, customUserProfile: shown))
      }
    } catch {
      if let followUp { try? turn { try $0.carryOut(followUp) } }
      throw error
    }
  }

  /// Moves a pending invitation to another user; the agent makes a new link for it.
  private func changeUser(ofPending id: Int64, to newId: Int64) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    let pending = try store.read { try $0.pendingConnection(id, of: user) }
    guard pending.pccConnStatus == .new, pending.connLinkInv != nil else {
      throw .error(errorType: .connectionUserChangeProhibited)
    }
    let newUser = try privateUser(newId)
    return try await createInvitation(of: newUser, nil) { turn, connection, link in
      try turn.requireUnchanged(pending, of: user, else: .connectionUserChangeProhibited)
      try turn.rows.deletePendingConnection(id, of: user)
      try turn.deleteConnections([pending.pccAgentConnId], waitForDelivery: false)
      let changed = try turn.rows.createPendingConnection(
        NewConnection(invitation: connection, link), of: newUser)
      return .response1(
        .connectionUserChanged(user: user, fromConnection: pending, toConnection: changed, newUser: newUser))
    }
  }

  // MARK: Plans

  /// What a link leads to.
  func plan(
    _ link: ParsedLink, _ signature: LinkOwnerSig? = nil, of user: User
  ) async throws(ChatError) -> (CreatedConnLink, ConnectionPlan) {
    switch link {
    case .full(let request):
      return (self.link(request, nil), try plan(request, data: nil, verification: nil, of: user))
    case .short(let short):
      if let known = try knownPlan(short, of: user) { return known }
      switch short.kind {
      case .contact(.relay): throw .command("chat relay links are not supported in this version")
      case .contact(.channel): return try await channelPlan(short, signature, of: user)
      case .contact(.group): return try await groupPlan(short, of: user)
      case .contact(.contact), .invitation: break
      }
      let (request, content, data) = try await resolve(short, of: user)
      let verification = signature.map { Self.verify($0, of: short, in: content) }
      let connLink = self.link(request, short)
      if !short.isInvitation,
        let card = try store.read({ try $0.contactWithoutConnection(viaAddresses: spellings(short), of: user) }),
        card.contactStatus == .active
      {
        return (connLink, .contactAddress(contactAddressPlan: .contactViaAddress(contact: card)))
      }
      return (connLink, try plan(request, data: data, verification: verification, of: user))
    }
  }

  private func spellings(_ short: ShortLink) -> [String] {
    [short.text(presets: linkServers), short.plainText(presets: linkServers)]
  }

  private func plan(
    _ request: ConnectionRequest, data: ContactShortLinkData?, verification: OwnerVerification?, of user: User
  ) throws(ChatError) -> ConnectionPlan {
    try store.read { transaction in
      guard !request.isInvitation else {
        let entity = try transaction.connectionEntity(invitations: [request.text], of: user)
        return .invitationLink(
          invitationLinkPlan: InvitationLinkPlan(entity: entity, linkData: data, verification: verification))
      }
      if request.groupLinkId != nil {
        return .groupLink(groupLinkPlan: try transaction.groupLinkPlan(request, data: nil, of: user))
      }
      if try transaction.address(links: [request.text], of: user) != nil {
        return .contactAddress(contactAddressPlan: .ownLink)
      }
      let entity = try transaction.connectionEntity(viaLinkHashes: [request.hash], of: user)
      // The address of a business leads to the chat with it, while the user is in it.
      if case .rcvGroupMsgConnection(_, let group, _) = entity {
        let plan = GroupLinkPlan(group: group, connection: nil, data: nil)
        if case .ok = plan {} else { return .groupLink(groupLinkPlan: plan) }
      }
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
      if let contact = try transaction.contact(shortLinkToConnect: text, of: user) {
        guard contact.contactStatus == .active, let link = contact.preparedContact?.connLinkToConnect else {
          return nil
        }
        return (link, .contactAddress(contactAddressPlan: .known(contact: contact)))
      }
      guard let group = try transaction.group(shortLinkToConnect: text, of: user),
        let link = group.preparedGroup?.connLinkToConnect
      else { return nil }
      return (link, .groupLink(groupLinkPlan: .known(groupInfo: group, ownerVerification: nil)))
    }
  }

  /// Whether an owner of the link signed it for this conversation.
  static func verify(
    _ signature: LinkOwnerSig, of short: ShortLink, in content: AgentProtocol.LinkContent
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

  /// A link with its full form: where only a short one is given, its relay has the rest.
  private func completed(_ link: CreatedConnLink, of user: User) async throws(ChatError) -> CreatedConnLink {
    let parsed = try ParsedLink(link.connFullLink)
    guard case .short = parsed else { return link }
    return try await plan(parsed, of: user).0
  }

  private func connect(
    _ user: User, to connLink: CreatedConnLink, incognito: Bool
  ) async throws(ChatError) -> ChatResponse {
    if let text = connLink.connShortLink, case .short(let short) = try ParsedLink(text),
      short.kind == .contact(.channel)
    {
      throw .command("channel links must be connected via APIConnectPreparedGroup")
    }
    let request = try ConnectionRequest(connLink)
    if request.isInvitation {
      let (connection, shown) = try await connect(user, byInvitation: connLink, request, incognito: incognito)
      return .response1(
        .sentConfirmation(
          user: user, connection: try store.read { try $0.startedConnection(connection.connId, of: user) },
          customUserProfile: shown))
    }
    switch try await connect(user, byAddress: connLink, request: request, incognito: incognito) {
    case .known(let contact): return .response1(.contactAlreadyExists(user: user, contact: contact))
    case .sent(let connection, let shown):
      return .response1(
        .sentInvitation(
          user: user, connection: try store.read { try $0.startedConnection(connection.connId, of: user) },
          customUserProfile: shown))
    }
  }

  /// Connects by a link, if its plan says that this makes sense.
  func connectWithPlan(_ user: User, to text: String, incognito: Bool) async throws(ChatError) -> ChatResponse {
    let parsed = try ParsedLink(text)
    let (connLink, plan) = try await plan(parsed, of: user)
    guard plan.proceeds else {
      return .response1(.connectionPlan(user: user, connLink: connLink, connectionPlan: plan))
    }
    if case .contactAddress(.contactViaAddress(let contact)) = plan {
      return try await connectCard(user, contact: contact.contactId, incognito: incognito)
    }
    if case .groupLink(.ok(let info?, let data?, _)) = plan, !info.direct {
      return try await connect(user, toChannel: data, by: connLink, incognito: incognito)
    }
    return try await connect(user, to: connLink, incognito: incognito)
  }

  /// Prepares a channel and joins it. Nothing is left of it where no relay can be asked.
  private func connect(
    _ user: User, toChannel data: GroupShortLinkData, by link: CreatedConnLink, incognito: Bool
  ) async throws(ChatError) -> ChatResponse {
    let shown = try turn { try $0.prepareChannel(data, by: link, of: user) }
    guard case .group(let group, _) = shown.chatInfo else { throw .error(errorType: .invalidConnReq) }
    do throws(ChatError) {
      return try await joinChannel(group.groupId, incognito: incognito, owner: nil, of: user)
    } catch {
      try? turn { try $0.deletePreparedChannel(group.groupId, of: user) }
      throw error
    }
  }
}

// MARK: Links of groups

extension ChatController {
  /// What the short link of a group leads to.
  private func groupPlan(_ short: ShortLink, of user: User) async throws(ChatError) -> (CreatedConnLink, ConnectionPlan)
  {
    let text = short.text(presets: linkServers)
    if let own = try store.read({ try $0.ownGroup(link: [text], of: user) }) {
      let link = try store.read { try $0.groupLink(of: own) }.connLinkContact
      return (link, .groupLink(groupLinkPlan: .ownLink(groupInfo: own)))
    }
    let (request, content, _) = try await resolve(short, of: user)
    let data: GroupShortLinkData? = (try? ShortLinkContent.decode(content.user.content)) ?? nil
    let plan = try store.read { try $0.groupLinkPlan(request, data: data, of: user) }
    return (link(request, short), .groupLink(groupLinkPlan: plan))
  }
}

extension ChatTransaction {
  /// What the full link of a group leads to.
  fileprivate func groupLinkPlan(
    _ request: ConnectionRequest, data: GroupShortLinkData?, of user: User
  ) throws(StoreError) -> GroupLinkPlan {
    if let own = try ownGroup(link: [request.text], of: user) { return .ownLink(groupInfo: own) }
    let group = try joinedGroup(viaLinkHashes: [request.hash], of: user)
    let connection = try connection(viaLinkHashes: [request.hash], of: user)
    return GroupLinkPlan(group: group, connection: connection, data: data)
  }
}

extension Turn {
  /// Throws unless an invitation is as it was read before the agent was asked: it may have been joined or changed.
  fileprivate func requireUnchanged(
    _ pending: PendingContactConnection, of user: User, else error: ChatErrorType
  ) throws {
    let current = try rows.pendingConnection(pending.pccConnId, of: user)
    guard current.pccConnStatus == .new, current.pccAgentConnId == pending.pccAgentConnId,
      current.customUserProfileId == pending.customUserProfileId
    else { throw error }
  }

  /// Stores, before the data of an invitation's link change, that the next start sets those of before if the program
  /// ends.
  fileprivate func restoreLinkIfInterrupted(
    of pending: PendingContactConnection, _ user: User
  ) throws -> FollowUp {
    // What an earlier change left is of no use any more.
    _ = try rows.removeCommands(agentConnId: pending.pccAgentConnId, kinds: [AgentCommand.invitationDataKind])
    let shown = try pending.customUserProfileId.map { try rows.profile($0, of: user).shared }
    let profile = user.sharedProfile(for: nil, incognito: shown, sharesTTL: true)
    return try ifInterrupted(
      .setInvitationData(ShortLinkContent.encode(ContactShortLinkData(profile, nil))), for: pending.pccAgentConnId)
  }
}

extension NewConnection {
  /// The connection of an invitation that was created just now.
  fileprivate init(invitation connection: ConnectionID, _ link: CreatedConnLink) {
    self.init(agentConnId: connection.text, entity: .contact(nil))
    initiated = true
    pqSupport = true
    invitation = link
  }
}
