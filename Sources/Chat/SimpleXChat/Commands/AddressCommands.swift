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
    case .apiRejectContact(let id): return try reject(id)
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
    let shown = user.sharedProfile(for: nil, sharesTTL: true)
    let data = linkData(shown, mode: .contact)
    return try await createConnection(of: user, mode: .contact, data) { turn, connection, link in
      // The profile may have changed while the relay was asked.
      let current = try turn.rows.user(user.userId)
      _ = try turn.rows.createAddress(link: link, agentConnId: connection.text, of: current)
      if current.sharedProfile(for: nil, sharesTTL: true) != shown { _ = try turn.updateAddressData(of: current) }
      return .response1(.userContactLinkCreated(user: current, connLinkContact: link))
    }
  }

  private func deleteAddress(_ user: User) async throws(ChatError) -> ChatResponse {
    var (changed, job) = try turn { turn in
      let connection = try turn.rows.addressConnection(of: user)
      turn.endLinkDataWait(connection.agentConnId)
      let changed = try turn.rows.deleteAddress(of: user)
      try turn.deleteConnections([connection.agentConnId], waitForDelivery: false)
      if changed.activeUser { turn.setActive(changed) }
      return (changed, user.profile.contactLink == nil ? nil : try turn.addProfileJob(from: user, to: changed))
    }
    if let job {
      try await notifyContacts(job, from: user, to: changed)
      changed = try store.read { try $0.user(user.userId) }
    }
    return .response1(.userContactLinkDeleted(user: changed))
  }

  /// Stores on the relay what the address shows.
  private func publish(_ address: UserContactLink, of user: User) async throws(ChatError) -> UserContactLink {
    let connection = try ConnectionID(agentText: try store.read { try $0.addressConnection(of: user) }.agentConnId)
    let shown = ContactShortLinkData(user.sharedProfile(for: nil, sharesTTL: true), address.addressSettings)
    let data = options.linkData(ofContent: ShortLinkContent.encode(shown), mode: .contact)
    let short = try await withAgent { (agent) throws(AgentError) in
      try await agent.setLinkData(connection, data)
    }
    let text = short.text(presets: linkServers)
    return try turn { turn in
      // All may have changed while the relay was asked.
      let user = try turn.rows.user(user.userId)
      let current = try turn.rows.address(of: user)
      guard current.userContactLinkId == address.userContactLinkId else { throw StoreError.userContactLinkNotFound }
      try turn.rows.setShortLink(text, ofAddress: current.userContactLinkId)
      let wanted = ContactShortLinkData(user.sharedProfile(for: nil, sharesTTL: true), current.addressSettings)
      if wanted != shown { try turn.reportingErrors { _ = try turn.updateAddressData(of: user) } }
      return try turn.rows.address(of: user)
    }
  }

  private func setAddress(_ settings: AddressSettings, of user: User) async throws(ChatError) -> ChatResponse {
    let address = try store.read { try $0.address(of: user) }
    if settings.autoAccept?.acceptIncognito == true {
      if address.shortLinkDataSet { throw .command("incognito not allowed for address with short link data") }
      if settings.businessAddress { throw .command("requests to business address cannot be accepted incognito") }
    }
    guard address.addressSettings != settings else {
      return .response1(.userContactLinkUpdated(user: user, contactLink: address))
    }
    let id = address.userContactLinkId
    let (changed, link) = try turn { turn in
      try turn.rows.setSettings(settings, ofAddress: id)
      let link = try turn.updateAddressData(of: user)
      return (try turn.rows.address(of: user), link)
    }
    await waitForLinkData(link)
    return .response1(.userContactLinkUpdated(user: user, contactLink: changed))
  }

  // MARK: Requests

  private func accept(_ id: Int64, _ incognito: Bool) async throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    // Two at once would give two answers of the agent to one connection.
    return try await locked(.request(id)) { () throws(ChatError) in
      let prepared = try turn { try $0.prepareToAccept(id, incognito: incognito, of: user) }
      let agentUser = try user.agentID
      let connection = try ConnectionID(agentText: prepared.connection.agentConnId)
      let invitation = try prepared.request.agentInvitation
      let options = ConnectionOptions(pq: prepared.request.pqSupport)
      let isSecured = try await withAgent(prepared.followUp) { (agent) throws(AgentError) in
        try await agent.acceptContact(
          agentUser, connection: connection, invitation, info: prepared.info, options: options)
      }.isSecured
      return try turn { turn in
        // A repeated acceptance gets the agent's first answer; the welcome message was sent with that one.
        let isFirst = try turn.finishJoining(prepared.connection.agentConnId) && !prepared.isRepeated
        if isSecured { _ = try turn.rows.setStatus(of: prepared.connection, from: .new, to: .sndReady) }
        let contact = try turn.rows.contact(prepared.contact.contactId, of: user)
        if isFirst, isSecured, let address = prepared.address {
          try turn.sendWelcome(address, request: prepared.request, to: contact, of: user)
        }
        return .response1(.acceptingContactRequest(user: user, contact: contact))
      }
    }
  }

  private func reject(_ id: Int64) throws(ChatError) -> ChatResponse {
    let user = try runningUser()
    return try turn { turn in
      let request = try turn.rows.contactRequest(id, of: user)
      let contact = try request.contactId_.map { try turn.rows.contact($0, of: user) }
      try turn.rows.deleteContactRequest(id, of: user)
      if let contact {
        let connections = try turn.rows.connections(ofContact: contact.contactId)
        try turn.rows.deleteContact(contact, of: user)
        try turn.deleteConnections(connections.map(\.agentConnId), waitForDelivery: false)
      }
      try turn.command(.reject(try request.agentInvitation))
      return .response1(.contactRequestRejected(user: user, contactRequest: request, contact_: contact))
    }
  }
}

/// A request that is being accepted.
private struct PreparedAcceptance: Sendable {
  var request: UserContactRequest
  var contact: Contact
  var connection: Connection
  /// The address it came to, if it is there still.
  var address: UserContactLink?
  /// The message that is sent to the requester.
  var info: [UInt8]
  /// The command that continues if the program ends; nil where an interrupted command stored it.
  var followUp: FollowUp?

  /// Whether an earlier acceptance came so far that messages could be sent.
  var isRepeated: Bool { connection.connStatus == .sndReady || connection.connStatus == .ready }
}

extension Turn {
  /// Updates what the short link of the user's address shows, if the user made one. It reaches the relay as soon as
  /// that can be used.
  /// - Returns: the agent's identifier of the address, for ``ChatController/waitForLinkData(_:)``; nil where the
  ///   address shows nothing.
  /// - Throws: an error of the agent where the relay cannot store so much.
  func updateAddressData(of user: User) throws -> String? {
    let user = try rows.user(user.userId)
    guard let address = try? rows.address(of: user), address.shortLinkDataSet,
      let link = address.connLinkContact.connShortLink
    else { return nil }
    let shown = ContactShortLinkData(user.sharedProfile(for: nil, sharesTTL: true), address.addressSettings)
    let data = environment.options.linkData(ofContent: ShortLinkContent.encode(shown), mode: .contact)
    let limit = try AgentProtocol.LinkContent.contentLimit(of: data)
    guard data.content.count <= limit else {
      throw ChatError.errorAgent(agentError: AgentErrorType(.tooLarge(limit: limit)))
    }
    let connection = try rows.addressConnection(of: user).agentConnId
    try command(.setLinkData(data.content), for: connection)
    try rows.setShortLink(link, ofAddress: address.userContactLinkId)
    return connection
  }

  /// Stores the connection that a request is accepted with; one of an earlier attempt is used again.
  fileprivate func prepareToAccept(_ id: Int64, incognito: Bool, of user: User) throws -> PreparedAcceptance {
    let request = try rows.contactRequest(id, of: user)
    let address = request.userContactLinkId_.flatMap { try? rows.address($0, of: user).link }
    guard !incognito || address?.shortLinkDataSet == false else {
      throw ChatError.command(
        address == nil
          ? "incognito not allowed when address is not found"
          : "incognito not allowed for address with short link data")
    }
    guard let contactId = request.contactId_ else {
      throw StoreError.invalidContactRequestEntity(contactRequestId: id)
    }
    var contact = try rows.contact(contactId, of: user)
    var shown = incognito ? Profile.random() : nil
    let connection: Connection
    if let known = contact.activeConn {
      connection = known
      shown = try incognitoProfile(known, of: user)
    } else {
      (contact, connection) = try addConnection(for: request, contact, user, incognito: shown)
    }
    contact = try rows.setUsed(true, of: contact)
    try rows.releaseRequest(id)
    let profile = user.sharedProfile(for: contact, incognito: shown, sharesTTL: true)
    let info = try connectionInfo(.info(profile), connection)
    let followUp = try joinIfInterrupted(
      .accept(user: try user.agentID, try request.agentInvitation, pq: request.pqSupport, info: info),
      for: connection.agentConnId)
    return PreparedAcceptance(
      request: request, contact: contact, connection: connection, address: address, info: info,
      followUp: followUp)
  }
}
