import SimplexCrypto
import WireCodec

/// The shared state of the session that transmissions belong to.
public struct SessionContext: Hashable, Sendable {
  /// The negotiated version, or that of a forwarded transmission.
  public let version: UInt16
  /// The TLS session, which every authorization covers.
  public let sessionID: SessionID
  /// The form of blocks and transmissions.
  public let form: TransmissionForm
  /// The session identifier as it precedes the content where it is not implied, and in the authorized data.
  let sessionPrefix: [UInt8]

  /// A session with a message relay or a file relay.
  public init(version: UInt16, sessionID: SessionID) {
    self.init(version: version, sessionID: sessionID, form: .relay(version: version))
  }

  /// A session of a protocol with another form of transmissions.
  public init(version: UInt16, sessionID: SessionID, form: TransmissionForm) {
    self.version = version
    self.sessionID = sessionID
    self.form = form
    sessionPrefix = [UInt8(truncatingIfNeeded: sessionID.bytes.count)] + sessionID.bytes
  }

  /// Whether transmissions omit the session identifier.
  public var impliesSessionID: Bool { form.impliesSessionID }
  /// Whether authorizations may have a second signature, by a service.
  public var hasServiceSignatures: Bool { form.hasServiceSignatures }
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
