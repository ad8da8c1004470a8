import SimplexCrypto
import WireCodec

/// The shared state of the session that transmissions belong to.
public struct SessionContext: Hashable, Sendable {
  /// The negotiated version, or that of a forwarded transmission.
  public let version: UInt16
  /// The TLS session, which every authorization covers.
  public let sessionID: SessionID
  /// The session identifier as it precedes the content where it is not implied, and in the authorized data.
  let sessionPrefix: [UInt8]

  /// A context of its members.
  public init(version: UInt16, sessionID: SessionID) {
    self.version = version
    self.sessionID = sessionID
    sessionPrefix = [UInt8(truncatingIfNeeded: sessionID.bytes.count)] + sessionID.bytes
  }

  /// Whether transmissions omit the session identifier (from version 7 on).
  public var impliesSessionID: Bool { version >= SMPVersion.authenticators }
  /// Whether authorizations may have a second signature, by a service (from version 16 on).
  public var hasServiceSignatures: Bool { version >= SMPVersion.services }
}

extension SessionContext {
  /// Writes the part after the authorization: identifiers and message.
  func writeContent(
    _ message: some ProtocolMessage, entity: EntityID, correlation: CorrelationID, _ writer: inout Writer
  ) throws(WireError) {
    try correlation.write(&writer)
    try entity.write(&writer)
    try message.write(&writer)
  }
}
