import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A full or short link, parsed from any of its spellings.
enum ParsedLink: Hashable, Sendable {
  /// A full link, which contains the request.
  case full(ConnectionRequest)
  /// A short link, whose data is on a relay.
  case short(ShortLink)

  /// Reads a link of any spelling, also as it was pasted.
  /// - Throws: `invalidConnReq`; `commandError` with the character that no link has, where there is one.
  init(_ text: String) throws(ChatError) {
    if let link = Self.read(text) ?? Self.read(PastedLink.cleaned(text)) {
      self = link
    } else if let foreign = PastedLink.foreignCharacter(in: text), PastedLink.isLink(text) {
      throw .command("the link has a character that links do not have: \(foreign)")
    } else {
      throw .error(errorType: .invalidConnReq)
    }
  }

  private static func read(_ text: String) -> ParsedLink? {
    if let link = try? ShortLink.textCodec.decode(text: text) {
      return .short(link)
    }
    return (try? ConnectionRequest.textCodec.decode(text: text)).map { .full($0) }
  }
}

extension ConnectionRequest {
  /// The request of a stored link.
  init(_ link: CreatedConnLink) throws(ChatError) {
    guard case .full(let request) = try ParsedLink(link.connFullLink) else {
      throw .error(errorType: .invalidConnReq)
    }
    self = request
  }

  /// The canonical text, as the database has it.
  var text: String { (try? Self.textCodec.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// The hash by which addresses are compared.
  var hash: String { Base64URL.string(HashFunction.sha256.digest(of: Array(text.utf8).span.bytes)) }

  /// Whether it is for one person.
  var isInvitation: Bool { kind != .contact }

  /// Whether its ratchet begins with post-quantum keys; nil for an address, which has no ratchet yet.
  var isPostQuantum: Bool? {
    guard case .invitation(let offer) = kind else { return nil }
    return offer.kem != nil && offer.versions.highest >= E2EVersion.postQuantum
  }

  /// A chat version that the creator of the link certainly supports.
  func impliedChatVersion(for options: ChatOptions) -> UInt16 {
    let agentVersion = min(agentVersions.highest, options.agent.agentVersions.highest)
    return min(ChatVersion.implied(byAgent: agentVersion), options.chatVersions.highest)
  }
}

extension ShortLink {
  /// The canonical text, as the database has it.
  func text(presets: [SMPServerAddress]) -> String {
    var link = shortened(presets: presets)
    link.scheme = .server
    return (try? Self.textCodec.encode(link)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Whether it is for one person.
  var isInvitation: Bool { if case .invitation = kind { true } else { false } }

  /// The spelling that messages have.
  func plainText(presets: [SMPServerAddress]) -> String {
    var link = shortened(presets: presets)
    link.scheme = .simplex
    return (try? Self.textCodec.encode(link)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension ChatController {
  /// A link as the API and the database have it.
  nonisolated func link(_ full: ConnectionRequest, _ short: ShortLink?) -> CreatedConnLink {
    CreatedConnLink(connFullLink: full.text, connShortLink: short.map { $0.text(presets: linkServers) })
  }

  /// Gets the request of a short link from its relay, and the profile in its data.
  func resolve(
    _ short: ShortLink, of user: User
  ) async throws(ChatError) -> (
    request: ConnectionRequest, content: AgentProtocol.LinkContent, data: ContactShortLinkData?
  ) {
    let agentUser = try user.agentID
    let whole = short.restored(presets: linkServers)
    let (request, content) = try await withAgent { (agent) throws(AgentError) in
      try await agent.getLinkData(agentUser, whole)
    }
    if case .contact(let data) = content.user.kind, !data.isDirect, data.relays.isEmpty {
      throw .error(errorType: .unsupportedConnReq)
    }
    let data: ContactShortLinkData? = (try? ShortLinkContent.decode(content.user.content)) ?? nil
    return (request, content, data)
  }

  /// The data of a short link of the user.
  nonisolated func linkData(
    _ profile: Profile, _ settings: AddressSettings? = nil, mode: AgentCore.ConnectionMode
  ) -> UserLinkData {
    options.linkData(ofContent: ShortLinkContent.encode(ContactShortLinkData(profile, settings)), mode: mode)
  }
}

// MARK: Data that change

extension ChatController {
  /// How long commands wait for a relay that they need not wait for.
  private static var linkDataTime: Duration { .seconds(10) }

  /// Waits until the relay has the data of a short link that the turn before changed. It gives up after some seconds,
  /// and where the chat stops: the data get there later.
  /// - Parameter connection: the agent's identifier of the address; nil for none.
  func waitForLinkData(_ connection: String?) async {
    guard let connection, receiving != nil, session.isActivated, life.isNetworkOnline else { return }
    let limit = Task { [weak self] in
      try? await Task.sleep(for: Self.linkDataTime)
      if !Task.isCancelled { await self?.endLinkDataWaits(of: [connection]) }
    }
    await withCheckedContinuation { linkDataWaiters[connection, default: []].append($0) }
    limit.cancel()
  }

  /// Ends ``waitForLinkData(_:)``.
  /// - Parameter connections: the addresses; nil for all.
  func endLinkDataWaits(of connections: [String]? = nil) {
    for connection in connections ?? Array(linkDataWaiters.keys) {
      for waiter in linkDataWaiters.removeValue(forKey: connection) ?? [] { waiter.resume() }
    }
  }
}

extension ChatOptions {
  /// The relays that short links name by their host alone.
  var linkServers: [SMPServerAddress] {
    (shortLinkServers ?? presetServers.linkServers).compactMap { try? SMPServerAddress.textCodec.decode(text: $0) }
  }

  /// The data of a short link with this content; links of groups are as addresses are.
  func linkData(ofContent content: [UInt8], mode: AgentCore.ConnectionMode) -> UserLinkData {
    UserLinkData(
      agentVersions: agent.agentVersions,
      kind: mode == .contact ? .contact(ContactLinkData(isDirect: true)) : .invitation, content: content)
  }
}

extension ContactShortLinkData {
  /// What a link of the user shows.
  init(_ profile: Profile, _ settings: AddressSettings?) {
    self.init(profile: profile, message: settings?.autoReply, business: settings?.businessAddress ?? false)
  }
}

extension Profile {
  /// A profile of nobody in particular.
  static func random() -> Profile {
    var random = SystemRandom()
    return .random(random.next())
  }
}
