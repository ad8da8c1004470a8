/// The form of blocks and transmissions, in which protocols and their versions differ.
public struct TransmissionForm: Hashable, Sendable {
  /// The size of a block in bytes.
  public var blockSize: Int
  /// Whether a block has a list of transmissions; otherwise it has one.
  public var isBatched: Bool
  /// Whether transmissions omit the session identifier, which is authorized nevertheless.
  public var impliesSessionID: Bool
  /// Whether authorizations may have a second signature, by a service.
  public var hasServiceSignatures: Bool

  public init(blockSize: Int, isBatched: Bool, impliesSessionID: Bool, hasServiceSignatures: Bool) {
    self.blockSize = blockSize
    self.isBatched = isBatched
    self.impliesSessionID = impliesSessionID
    self.hasServiceSignatures = hasServiceSignatures
  }

  /// The form of a message relay; in versions 1 to 3 that of a file relay.
  public static func relay(version: UInt16) -> TransmissionForm {
    TransmissionForm(
      blockSize: BlockBatch.blockSize, isBatched: true, impliesSessionID: version >= SMPVersion.authenticators,
      hasServiceSignatures: version >= SMPVersion.services)
  }
}
