import WireCodec

/// The parameters of LNK: the data of a link. Source: simplex-messaging.md, "Link response".
public struct LinkResponse: Hashable, Sendable {
  /// The queue as the sender knows it.
  public var senderID: EntityID
  /// The data.
  public var data: QueueLinkData

  public init(senderID: EntityID, data: QueueLinkData) {
    self.senderID = senderID
    self.data = data
  }

  static let codec = Codec<LinkResponse>.record(
    Field("senderID", \.senderID, EntityID.codec), Field("data", \.data, QueueLinkData.codec),
    build: { LinkResponse(senderID: $0, data: $1) })
}

extension BrokerMessage {
  static let lnkForm = MessageForm<BrokerMessage>(
    "LNK", since: SMPVersion.shortLinks, (), .response, LinkResponse.codec, { .lnk($0) },
    { if case .lnk(let link) = $0 { link } else { nil } })
}
