import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// The user's address, and requests that come to it.

extension ChatController {
  func performAddress(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiCreateMyAddress(let id): return try await createAddress(try runningUser(id))
    case .apiDeleteMyAddress(let id): return try await deleteAddress(try runningUser(id))
    case .apiShowMyAddress(let id):
      let user = try currentUser(id)
      return .response1(.userContactLink(user: user, contactLink: try store.read { try $0.address(of: user) }))
    case .apiAddMyAddressShortLink(let id):
      let user = try currentUser(id)
      let address = try store.read { try $0.address(of: user) }
      return .response1(.userContactLink(user: user, contactLink: try await publish(address, of: user)))
    case .apiSetProfileAddress(let id, let isOn):
      let user = try runningUser(id)
      let link = try isOn ? store.read { try $0.address(of: user) }.connLinkContact : nil
      var profile = user.profile.shared
      profile.contactLink = link.map { $0.connShortLink ?? $0.connFullLink }
      return try await updateProfile(of: user, profile)
    case .apiSetAddressSettings(let id, let settings): return try await setAddress(settings, of: try runningUser(id))
    case .apiAcceptContact(let incognito, let id): return try await accept(id, incognito)
    case .apiRejectContact(let id): return try await reject(id)
    default: return nil
    }
  }

  // MARK: The address

  private func createAddress(_ user: User) async throws(ChatError) -> ChatResponse {
    do throws(ChatError) {
      _ = try store.read { try $0.address(of: user) }
      throw .errorStore(storeError: .duplicateContactLink)
    } catch .errorStore(.userContactLinkNotFound) {
    }
    let agentUser = try agentUserID(user)
    let data = linkData(user.sharedProfile(for: nil, sharesTTL: true), isAddress: true)
    let created = try await withAgent { (agent) throws(AgentError) in
      try await agent.createConnection(agentUser, mode: .contact, linkData: data)
    }
    let link = link(created.link.full, created.link.short)
    _ = try store.transaction {
      try $0.createAddress(link: link, agentConnId: created.connection.text, of: user)
    }
    return .response1(.userContactLinkCreated(user: user, connLinkContact: link))
  }

  private func deleteAddress(_ user: User) async throws(ChatError) -> ChatResponse {
    let connection = try agentConnection(try store.read { try $0.addressConnection(of: user) }.agentConnId)
    try await withAgent(connection) { (agent) throws(AgentError) in try await agent.delete([connection]) }
    var profile = user.profile.shared
    profile.contactLink = nil
    var changed = try store.transaction { try $0.deleteAddress(of: user) }
    if activeUser?.userId == user.userId { activeUser = changed }
    if user.profile.contactLink != nil {
      _ = try await tellContacts(from: user, to: changed)
      changed = try store.read { try $0.user(user.userId) }
    }
    return .response1(.userContactLinkDeleted(user: changed))
  }

  /// Stores on the relay what the address shows.
  func publish(_ address: UserContactLink, of user: User) async throws(ChatError) -> UserContactLink {
    let connection = try agentConnection(try store.read { try $0.addressConnection(of: user) }.agentConnId)
    let data = linkData(
      user.sharedProfile(for: nil, sharesTTL: true), address.addressSettings, isAddress: true)
    let short = try await withAgent(connection) { (agent) throws(AgentError) in
      try await agent.setLinkData(connection, data)
    }
    let text = short.text(presets: linkServers)
    try store.transaction { try $0.setShortLink(text, ofAddress: address.userContactLinkId) }
    var changed = address
    changed.connLinkContact.connShortLink = text
    changed.shortLinkDataSet = true
    changed.shortLinkLargeDataSet = true
    changed.addressSettings.autoAccept?.acceptIncognito = false
    return changed
  }

  private func setAddress(_ settings: AddressSettings, of user: User) async throws(ChatError) -> ChatResponse {
    var address = try store.read { try $0.address(of: user) }
    if settings.autoAccept?.acceptIncognito == true {
      if address.shortLinkDataSet { throw .command("incognito not allowed for address with short link data") }
      if settings.businessAddress { throw .command("requests to business address cannot be accepted incognito") }
    }
    guard address.addressSettings != settings else {
      return .response1(.userContactLinkUpdated(user: user, contactLink: address))
    }
    address.addressSettings = settings
    if address.shortLinkDataSet { address = try await publish(address, of: user) }
    let id = address.userContactLinkId
    try store.transaction { try $0.setSettings(settings, ofAddress: id) }
    return .response1(.userContactLinkUpdated(user: user, contactLink: address))
  }

  // MARK: Requests

  private func accept(_ id: Int64, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try await locked(.request(id)) { () throws(ChatError) in
      let request = try store.read { try $0.contactRequest(id, of: user) }
      let address = try request.userContactLinkId_.flatMap { (id) throws(ChatError) in
        try? store.read { try $0.address(id, of: user) }.link
      }
      guard !incognito || address?.shortLinkDataSet == false else {
        throw .command(
          address == nil
            ? "incognito not allowed when address is not found"
            : "incognito not allowed for address with short link data")
      }
      let (prepared, shown) = try await prepareToAccept(request, user, incognito)
      var (contact, connection) = prepared
      let info = try connectionInfo(
        .info(user.sharedProfile(for: contact, incognito: shown, sharesTTL: true)), connection)
      let agentId = try agentConnection(connection.agentConnId)
      let agentUser = try agentUserID(user)
      let invitation = try invitation(request)
      let joined = try await withAgent(agentId) { (agent) throws(AgentError) in
        try await agent.acceptContact(agentUser, connection: agentId, invitation, info: info)
      }
      (contact, connection) = try store.transaction { [connection, contact] transaction in
        let connection =
          try joined.isSecured
          ? transaction.setStatus(of: connection, from: .new, to: .sndReady) : connection
        _ = try transaction.setUsed(true, of: contact)
        return (try transaction.contact(contact.contactId, of: user), connection)
      }
      if joined.isSecured, let address { try await sendWelcome(address, request, contact, user) }
      return .response1(.acceptingContactRequest(user: user, contact: contact))
    }
  }

  /// The agent's identifier of a request.
  func invitation(_ request: UserContactRequest) throws(ChatError) -> InvitationID {
    InvitationID(try agentConnection(request.agentInvitationId).bytes)
  }

  private func prepareToAccept(
    _ request: UserContactRequest, _ user: User, _ incognito: Bool
  ) async throws(ChatError) -> ((Contact, Connection), incognito: Profile?) {
    guard let contactId = request.contactId_ else {
      throw .errorStore(storeError: .invalidContactRequestEntity(contactRequestId: request.contactRequestId))
    }
    let contact = try store.read { try $0.contact(contactId, of: user) }
    if let connection = contact.activeConn {
      return ((contact, connection), try incognitoProfile(connection, of: user))
    }
    let agentUser = try agentUserID(user)
    let invitation = try invitation(request)
    let id = try await withAgent { (agent) throws(AgentError) in
      try await agent.prepareToAccept(agentUser, invitation, pq: request.pqSupport)
    }
    let shown = incognito ? Self.randomProfile() : nil
    return (try addConnection(id, request, contact, user, shown), shown)
  }

  /// Stores the connection that a request was accepted with.
  func addConnection(
    _ id: ConnectionID, _ request: UserContactRequest, _ contact: Contact, _ user: User, _ shown: Profile?
  ) throws(ChatError) -> (Contact, Connection) {
    try store.transaction { transaction in
      if let id = request.xContactId {
        try transaction.setAcceptedXContactId(id, ofContact: contact.contactId)
      }
      let peer = request.cReqChatVRange
      var new = NewConnection(
        agentConnId: id.text, entity: .contact(contact.contactId),
        chatVersion: Int(ChatVersion.agreed(peer: ChatVersionRange(peer))), peerVersions: peer)
      new.viaAddress = request.userContactLinkId_
      new.xContactId = request.xContactId
      new.pqSupport = request.pqSupport
      new.customUserProfileId = try shown.map { try transaction.createIncognitoProfile($0, of: user) }
      let connection = try transaction.createConnection(new, of: user)
      return (try transaction.contact(contact.contactId, of: user), connection)
    }
  }

  private func reject(_ id: Int64) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try await locked(.request(id)) { () throws(ChatError) in
      let (request, contact) = try store.transaction { transaction in
        let request = try transaction.contactRequest(id, of: user)
        let contact = try request.contactId_.map { try transaction.contact($0, of: user) }
        try transaction.deleteContactRequest(id, of: user)
        if let contact { try transaction.deleteContact(contact, of: user) }
        return (request, contact)
      }
      let invitation = try invitation(request)
      try await withAgent { (agent) throws(AgentError) in try await agent.rejectContact(invitation) }
      return .response1(.contactRequestRejected(user: user, contactRequest: request, contact_: contact))
    }
  }

  /// Sends the welcome message of an address to somebody who was just accepted.
  func sendWelcome(
    _ address: UserContactLink, _ request: UserContactRequest?, _ contact: Contact, _ user: User
  ) async throws(ChatError) {
    guard let content = address.addressSettings.autoReply else { return }
    if let shared = request?.welcomeSharedMsgId.flatMap({ SharedMsgId(text: $0) }) {
      // The requester saw it; who has the id can be told of a later edit.
      _ = try await send(.msgUpdate(MsgUpdate(msgId: shared, content: content)), to: contact, of: user)
    } else {
      let items = try await sendMessages(
        [OutgoingContent(content: content)], to: contact, of: user, live: false, ttl: nil)
      tell(.newChatItems(user: user, chatItems: items))
    }
  }
}

extension ChatVersionRange {
  /// The range of the API; one that makes no sense becomes the lowest version.
  init(_ range: ChatAPI.VersionRange) {
    let lowest = UInt16(clamping: max(1, range.minVersion))
    self.init(lowest...max(lowest, UInt16(clamping: range.maxVersion)))
  }
}

extension ChatAPI.VersionRange {
  init(_ range: ChatVersionRange) { self.init(Int(range.lowest), Int(range.highest)) }
}
