import AgentCore
import AgentProtocol
import ChatAPI
import ChatProtocol
import SimplexCrypto
import WireCodec

/// The verified content of a channel's link. Its signatures are those of the root key; see `LinkContent`.
struct ChannelLink: Sendable {
  /// An owner, whom the root key authorized.
  struct Owner: Sendable {
    let memberId: MemberId
    let key: Ed25519.PublicKey
  }

  /// The identifier of the channel: that of the link and of the profile.
  let publicGroupID: [UInt8]
  let rootKey: Ed25519.PublicKey
  let owners: [Owner]
  /// The links of relays for this channel.
  let relays: [ShortLink]
  /// What the link shows.
  let data: GroupShortLinkData

  /// The greatest number of relays that are joined: owners use two or three.
  static let relaysLimit = 16
  /// The greatest number of owners that are stored.
  static let ownersLimit = 64

  /// Reads the content of a channel's link.
  /// - Throws: `invalidConnReq` for a link of something else, and where the identifiers differ.
  init(_ content: AgentProtocol.LinkContent) throws(ChatError) {
    guard case .contact(let contact) = content.user.kind, !contact.isDirect,
      let data = Self.data(of: content), let profile = data.groupProfile.publicGroup,
      let id = content.fixed.entityID, id == Base64URL.decode(profile.publicGroupId)
    else { throw .error(errorType: .invalidConnReq) }
    publicGroupID = id
    rootKey = content.fixed.rootKey
    owners = contact.owners.prefix(Self.ownersLimit).map { Owner(memberId: MemberId($0.ownerID), key: $0.key) }
    relays = contact.relays
    self.data = data
  }

  /// What a link shows; nil for one that shows no group.
  static func data(of content: AgentProtocol.LinkContent) -> GroupShortLinkData? {
    (try? ShortLinkContent.decode(content.user.content)) ?? nil
  }

  /// Whether the identifiers of the link and of the profile that it shows agree; both may be missing.
  static func isConsistent(_ content: AgentProtocol.LinkContent, _ data: GroupShortLinkData?) -> Bool {
    let shown = data?.groupProfile.publicGroup?.publicGroupId
    return content.fixed.entityID == shown.flatMap { Base64URL.decode($0) }
      && (shown == nil) == (content.fixed.entityID == nil)
  }
}

/// The verified content of the link that a relay made for a channel.
struct ChannelRelayLink: Sendable {
  /// The relay as a member: nobody else can tell who it is.
  let memberId: MemberId
  let key: Ed25519.PublicKey
  let profile: Profile

  /// Reads the content of a relay's link.
  /// - Throws: for a link of something else.
  init(_ content: AgentProtocol.LinkContent) throws(ChatError) {
    let data: RelayShortLinkData? = (try? ShortLinkContent.decode(content.user.content)) ?? nil
    guard let data, let id = content.fixed.entityID, !id.isEmpty else {
      throw .error(errorType: .exception(message: "relay link: no relay link data or entity id"))
    }
    memberId = MemberId(id)
    key = content.fixed.rootKey
    let shown = data.relayProfile
    profile =
      Profile(
        displayName: shown.displayName, fullName: shown.fullName, shortDescr: shown.shortDescr, image: shown.image
      ).withValidName
  }
}

extension ChatController {
  /// Gets the request and the data of a short link from its relay.
  func linkContent(
    of short: ShortLink, for user: User
  ) async throws(ChatError) -> (request: ConnectionRequest, content: AgentProtocol.LinkContent) {
    let agentUser = try user.agentID
    let whole = short.restored(presets: linkServers)
    return try await withAgent { (agent) throws(AgentError) in try await agent.getLinkData(agentUser, whole) }
  }

  /// What the short link of a channel leads to, where the user is not in the channel.
  func channelPlan(
    _ short: ShortLink, _ signature: LinkOwnerSig?, of user: User
  ) async throws(ChatError) -> (CreatedConnLink, ConnectionPlan) {
    let (request, content) = try await linkContent(of: short, for: user)
    let data = ChannelLink.data(of: content)
    guard case .contact(let contact) = content.user.kind, !contact.isDirect else {
      throw .error(errorType: .invalidConnReq)
    }
    let plan = GroupLinkPlan(
      channel: GroupShortLinkInfo(
        direct: false, groupRelays: contact.relays.map { $0.text(presets: linkServers) },
        publicGroupId: content.fixed.entityID.map(Base64URL.string)), data: data,
      verification: signature.map { Self.verify($0, of: short, in: content) })
    if case .ok = plan, !ChannelLink.isConsistent(content, data) { throw .error(errorType: .invalidConnReq) }
    return (link(request, short), .groupLink(groupLinkPlan: plan))
  }
}
