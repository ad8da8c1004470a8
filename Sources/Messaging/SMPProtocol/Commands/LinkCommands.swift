import WireCodec

/// The parameters of LSET, which stores the data of a queue's short link. Source: simplex-messaging.md, "Set queue
/// link data".
public struct LinkUpdate: Hashable, Sendable {
  /// The identifier of the link. It cannot be changed later.
  public var linkID: EntityID
  /// The data.
  public var data: QueueLinkData

  public init(linkID: EntityID, data: QueueLinkData) {
    self.linkID = linkID
    self.data = data
  }

  static let codec = Codec<LinkUpdate>.record(
    Field("linkID", \.linkID, EntityID.codec), Field("data", \.data, QueueLinkData.codec),
    build: { LinkUpdate(linkID: $0, data: $1) })
}

extension Command {
  static let lsetForm = MessageForm<Command>(
    "LSET", since: SMPVersion.shortLinks, .recipient, .both, LinkUpdate.codec, { .lset($0) },
    { if case .lset(let update) = $0 { update } else { nil } })

  static let ldelForm = MessageForm<Command>("LDEL", since: SMPVersion.shortLinks, .recipient, .both, .ldel)

  static let lkeyForm = MessageForm<Command>(
    "LKEY", since: SMPVersion.shortLinks, .linkClient, .both, AuthorizationKey.codec, { .lkey($0) },
    { if case .lkey(let key) = $0 { key } else { nil } })

  static let lgetForm = MessageForm<Command>("LGET", since: SMPVersion.shortLinks, .linkClient, .entityOnly, .lget)
}
