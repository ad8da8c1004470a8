import AgentCore
import AgentProtocol
import ChatAPI
import ChatLogic
import ChatProtocol
import DoubleRatchet
import SMPProtocol
import SimplexCrypto
import WireCodec

/// A link as somebody gave it.
enum ParsedLink: Hashable, Sendable {
  /// With everything that is needed.
  case full(ConnectionRequest)
  /// With its data on a relay.
  case short(ShortLink)

  /// Reads a link of any spelling.
  init(_ text: String) throws(ChatError) {
    if let link = try? ShortLink.textCodec.decode(text: text) {
      self = .short(link)
    } else if let request = try? ConnectionRequest.textCodec.decode(text: text) {
      self = .full(request)
    } else {
      throw .error(errorType: .invalidConnReq)
    }
  }
}

extension ConnectionRequest {
  /// The one spelling that the database has.
  var text: String { (try? Self.textCodec.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  /// What addresses are compared by.
  var hash: String { Base64URL.string(HashFunction.sha256.digest(of: Array(text.utf8).span.bytes)) }

  /// Whether it is for one person.
  var isInvitation: Bool { kind != .contact }

  /// Whether its ratchet begins with post-quantum keys; nil for an address, which has no ratchet yet.
  var isPostQuantum: Bool? {
    guard case .invitation(let offer) = kind else { return nil }
    return offer.kem != nil && offer.versions.highest >= E2EVersion.postQuantum
  }

  /// The chat version that whoever made it surely speaks.
  var impliedChatVersion: UInt16 {
    ChatVersion.implied(byAgent: min(agentVersions.highest, AgentVersion.supported.highest))
  }
}

extension ShortLink {
  /// The one spelling that the database has.
  func text(presets: [SMPServer]) -> String {
    var link = shortened(presets: presets)
    link.scheme = .server
    return (try? Self.textCodec.encode(link)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Whether it is for one person.
  var isInvitation: Bool { if case .invitation = kind { true } else { false } }

  /// The spelling that messages have.
  func plainText(presets: [SMPServer]) -> String {
    var link = shortened(presets: presets)
    link.scheme = .simplex
    return (try? Self.textCodec.encode(link)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension ChatController {
  /// The relays that short links name by their host alone.
  nonisolated var linkServers: [SMPServer] { options.agent.presetServers }

  /// A link as the API and the database have it.
  nonisolated func link(_ full: ConnectionRequest, _ short: ShortLink?) -> CreatedConnLink {
    CreatedConnLink(connFullLink: full.text, connShortLink: short.map { $0.text(presets: linkServers) })
  }

  /// The request that a link of the database stands for.
  nonisolated func request(_ link: CreatedConnLink) throws(ChatError) -> ConnectionRequest {
    guard case .full(let request) = try ParsedLink(link.connFullLink) else {
      throw .error(errorType: .invalidConnReq)
    }
    return request
  }

  /// Gets what a short link leads to, and the profile that it shows.
  func resolve(
    _ short: ShortLink, of user: User
  ) async throws(ChatError) -> (
    request: ConnectionRequest, content: AgentProtocol.LinkContent, data: ContactShortLinkData?
  ) {
    let agentUser = try agentUserID(user)
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

  /// What a short link of the user shows.
  nonisolated func linkData(
    _ profile: Profile, _ settings: AddressSettings? = nil, isAddress: Bool
  ) -> UserLinkData {
    let shown = ContactShortLinkData(
      profile: profile, message: settings?.autoReply, business: settings?.businessAddress ?? false)
    return UserLinkData(
      agentVersions: AgentVersion.supported,
      kind: isAddress ? .contact(ContactLinkData(isDirect: true)) : .invitation,
      content: ShortLinkContent.encode(shown))
  }
}
