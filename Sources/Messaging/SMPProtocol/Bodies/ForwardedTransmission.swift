import SimplexCrypto
import WireCodec

// Sending through a proxy. The client puts the content of a block for the relay in a box with a key of its own (PFWD);
// the proxy puts that box and what the relay needs to open it in another one, with the secret of its session with the
// relay (RFWD). The response comes back in boxes of the same keys with the bytes of the nonces reversed (RRES, PRES).
// Source: simplex-messaging.md, "Proxying sender commands".

/// The content of the box of an RFWD: a client's command from the proxy to the relay.
public struct ForwardedTransmission: Hashable, Sendable {
  /// The correlation identifier of the client's PFWD; the nonce of the inner box.
  public var correlationID: CorrelationID
  /// The client's request.
  public var request: ForwardRequest

  public init(correlationID: CorrelationID, request: ForwardRequest) {
    self.correlationID = correlationID
    self.request = request
  }

  /// Both members.
  public static let codec = Codec<ForwardedTransmission>.record(
    Field("correlationID", \.correlationID, CorrelationID.codec), Field("request", \.request, ForwardRequest.codec),
    build: { ForwardedTransmission(correlationID: $0, request: $1) })

  /// The parameter of RFWD; `secret` is that of the session of proxy and relay.
  public func seal(secret: BoxKey, correlation: CorrelationID) throws(MessageBoxError) -> [UInt8] {
    try sealUnpadded(self, Self.codec, key: secret, nonce: correlation.nonce)
  }

  /// Opens the parameter of RFWD.
  public init(opening box: [UInt8], secret: BoxKey, correlation: CorrelationID) throws(MessageBoxError) {
    self = try openUnpadded(box, Self.codec, key: secret, nonce: correlation.nonce)
  }
}

/// The content of the box of an RRES: the relay's response to the proxy.
public struct ForwardedResponse: Hashable, Sendable {
  /// The correlation identifier of the client's PFWD.
  public var correlationID: CorrelationID
  /// The parameter of PRES, which only the client can open.
  public var response: [UInt8]

  public init(correlationID: CorrelationID, response: [UInt8]) {
    self.correlationID = correlationID
    self.response = response
  }

  /// Both members.
  public static let codec = Codec<ForwardedResponse>.record(
    Field("correlationID", \.correlationID, CorrelationID.codec), Field("response", \.response, .tail),
    build: { ForwardedResponse(correlationID: $0, response: $1) })

  /// The parameter of RRES in response to the RFWD with this correlation identifier.
  public func seal(secret: BoxKey, correlation: CorrelationID) throws(MessageBoxError) -> [UInt8] {
    try sealUnpadded(self, Self.codec, key: secret, nonce: correlation.nonce.reversed)
  }

  /// Opens the parameter of RRES.
  public init(opening box: [UInt8], secret: BoxKey, correlation: CorrelationID) throws(MessageBoxError) {
    self = try openUnpadded(box, Self.codec, key: secret, nonce: correlation.nonce.reversed)
  }
}

/// The inner box of a forwarded command and its response, between client and relay.
public struct ProxiedBlock: Sendable {
  /// The size of the text in the box.
  public static let paddedSize = 16226
  /// The shortest box that a relay opens: clients pad to ``paddedSize``, and to 16 bytes more before version 11. So a
  /// block has one forwarded command; of short boxes it would have forty, each with a key agreement and a long
  /// response.
  public static let minimumBoxSize = 16_000

  /// Derived from the client's key for this command and the relay's key of its session with the proxy.
  public let key: BoxKey
  /// The correlation identifier of PFWD.
  public let correlationID: CorrelationID

  /// The boxes of one command.
  public init(key: BoxKey, correlationID: CorrelationID) {
    self.key = key
    self.correlationID = correlationID
  }

  /// Seals the content of a block with the command.
  public func sealCommand(_ content: [UInt8]) throws(CryptoError) -> [UInt8] {
    try key.seal(content.span.bytes, paddedTo: Self.paddedSize, nonce: correlationID.nonce)
  }

  /// The content of the block with the command.
  public func openCommand(_ box: [UInt8]) throws(CryptoError) -> [UInt8] {
    try key.openPadded(box.span.bytes, nonce: correlationID.nonce)
  }

  /// Seals the content of a block with the response.
  public func sealResponse(_ content: [UInt8]) throws(CryptoError) -> [UInt8] {
    try key.seal(content.span.bytes, paddedTo: Self.paddedSize, nonce: correlationID.nonce.reversed)
  }

  /// The content of the block with the response.
  public func openResponse(_ box: [UInt8]) throws(CryptoError) -> [UInt8] {
    try key.openPadded(box.span.bytes, nonce: correlationID.nonce.reversed)
  }
}

private func sealUnpadded<Value>(
  _ value: Value, _ codec: Codec<Value>, key secret: BoxKey, nonce: BoxNonce
) throws(MessageBoxError) -> [UInt8] {
  do throws(WireError) {
    let text = try codec.encode(value, capacity: ProxiedBlock.paddedSize + 128)
    return secret.seal(text.span.bytes, nonce: nonce)
  } catch {
    throw .malformed(error)
  }
}

private func openUnpadded<Value>(
  _ box: [UInt8], _ codec: Codec<Value>, key secret: BoxKey, nonce: BoxNonce
) throws(MessageBoxError) -> Value {
  let text: [UInt8]
  do { text = try secret.open(box.span.bytes, nonce: nonce) } catch { throw .crypto(error) }
  do { return try codec.decode(text) } catch { throw .malformed(error) }
}
