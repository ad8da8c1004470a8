import WireCodec

/// The data of a short link as a relay stores it: two boxes that only the link can open. Source:
/// simplex-messaging.md, "Set queue link data".
public struct QueueLinkData: Hashable, Sendable {
  /// What never changes: the connection request, signed.
  public var fixedData: [UInt8]
  /// What the owner may change: profile and settings, signed.
  public var userData: [UInt8]

  public init(fixedData: [UInt8], userData: [UInt8]) {
    self.fixedData = fixedData
    self.userData = userData
  }

  /// Both parts with a 2-byte length.
  public static let codec = Codec<QueueLinkData>.record(
    Field("fixedData", \.fixedData, .large), Field("userData", \.userData, .large),
    build: { QueueLinkData(fixedData: $0, userData: $1) })
}
