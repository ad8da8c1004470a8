import SimplexCrypto
import WireCodec

/// A received transmission: its message, and the credentials of its sender. Source: simplex-messaging.md, "SMP
/// Transmission and transport block structure".
///
/// A malformed part makes `message` an error and leaves the others empty where they are unknown, so that the error can
/// be sent as a response.
public struct ReceivedTransmission<Message: ProtocolMessage>: Sendable {
  /// Correlates a response with its command; empty for events.
  public var correlationID: CorrelationID
  /// The entity that the message is about.
  public var entityID: EntityID
  /// The authorization, not checked yet. Nil for responses and for commands that need none.
  public var authorization: ReceivedAuthorization?
  /// The message; its credentials are those that its form requires.
  public var message: Result<Message, TransmissionError>

  init(
    correlationID: CorrelationID = .none, entityID: EntityID = .none, authorization: ReceivedAuthorization? = nil,
    _ message: Result<Message, TransmissionError>
  ) {
    self.correlationID = correlationID
    self.entityID = entityID
    self.authorization = authorization
    self.message = message
  }
}

/// Why a transmission is rejected.
public enum TransmissionError: Error, Hashable, Sendable {
  /// The block, or the frame of the transmission, is malformed.
  case block
  /// It belongs to another session.
  case session
  /// The message is malformed, or its credentials are not those that its form requires.
  case message(ProtocolCommandError)
}

extension ProtocolErrorType {
  /// The error response of a relay.
  public init(_ error: TransmissionError) {
    switch error {
    case .block: self = .BLOCK
    case .session: self = .SESSION
    case .message(let error): self = .CMD(cmdErr: error)
    }
  }
}

extension SessionContext {
  /// The transmissions in the content of a block, in order; at least one. A block that is no list of transmissions
  /// gives a single one with the error ``TransmissionError/block``. Without batches the content is one transmission.
  public func transmissions<Message: ProtocolMessage>(
    of type: Message.Type, in content: RawSpan
  ) -> [ReceivedTransmission<Message>] {
    received(in: content)
  }

  // The common implementation: only in this module the compiler can specialize it, which is faster.

  /// The commands in the content of a block.
  public func transmissions(of type: Command.Type, in content: RawSpan) -> [ReceivedTransmission<Command>] {
    received(in: content)
  }

  /// The responses and events in the content of a block.
  public func transmissions(of type: BrokerMessage.Type, in content: RawSpan) -> [ReceivedTransmission<BrokerMessage>] {
    received(in: content)
  }

  private func received<Message: ProtocolMessage>(in content: RawSpan) -> [ReceivedTransmission<Message>] {
    var reader = Reader(content, version: version)
    guard form.isBatched else { return [transmission(&reader)] }
    do throws(WireError) {
      let count = Int(try reader.byte())
      guard count > 0 else { return [ReceivedTransmission(.failure(.block))] }
      var transmissions: [ReceivedTransmission<Message>] = []
      transmissions.reserveCapacity(min(count, content.byteCount / 2))
      for _ in 0..<count {
        let size = Int(try reader.integer(UInt16.self))
        var nested = try reader.nested(size)
        transmissions.append(transmission(&nested))
      }
      try reader.finish()
      return transmissions
    } catch {
      return [ReceivedTransmission(.failure(.block))]
    }
  }

  /// The transmission that extends to the end.
  private func transmission<Message: ProtocolMessage>(_ reader: inout Reader) -> ReceivedTransmission<Message> {
    do throws(WireError) {
      let proof = try reader.shortSpan()
      var serviceSignature: [UInt8]?
      if hasServiceSignatures, proof.byteCount > 0 { serviceSignature = try Self.serviceSignature(&reader) }
      let content = reader.unread
      let isOwn: Bool
      if impliesSessionID { isOwn = true } else { isOwn = try reader.shortSpan().elementsEqual(sessionID.bytes) }
      let correlation = CorrelationID([UInt8](copying: try reader.shortSpan()))
      let entity = EntityID([UInt8](copying: try reader.shortSpan()))
      guard isOwn else { return ReceivedTransmission(correlationID: correlation, .failure(.session)) }
      var message = Message.parse(&reader)
      var authorization: ReceivedAuthorization?
      if proof.byteCount > 0 {
        var tail: [UInt8] = []
        if case .success(let parsed) = message { tail = parsed.tail }
        authorization = ReceivedAuthorization(
          proof, serviceSignature: serviceSignature, prefix: impliesSessionID ? sessionPrefix : [], content: content,
          tail: tail)
        if authorization == nil { return ReceivedTransmission(correlationID: correlation, .failure(.block)) }
      }
      if case .success(let parsed) = message,
        let violation = parsed.form.credentials.violation(
          isAuthorized: authorization != nil, hasEntity: !entity.isNone)
      {
        message = .failure(violation)
      }
      return ReceivedTransmission(
        correlationID: correlation, entityID: entity, authorization: authorization,
        message.mapError { .message($0) })
    } catch {
      return ReceivedTransmission(.failure(.block))
    }
  }

  /// `0`, or `1` and a signature.
  @_lifetime(reader: copy reader)
  private static func serviceSignature(_ reader: inout Reader) throws(WireError) -> [UInt8]? {
    let start = reader.offset
    let signature = try optionalSignature.decode(&reader)
    guard signature.map({ $0.count == Ed25519.signatureSize }) ?? true else {
      throw WireError(.expected("a signature of 64 bytes"), offset: start)
    }
    return signature
  }

  private static let optionalSignature = Codec<[UInt8]>.short.optional
}

extension Reader {
  /// A view of the bytes after a 1-byte length.
  @_lifetime(copy self) @_lifetime(self: copy self)
  mutating func shortSpan() throws(WireError) -> RawSpan {
    let count = Int(try byte())
    return try span(count)
  }

  /// A view of the remaining bytes, which are not consumed.
  var unread: RawSpan {
    @_lifetime(copy self)
    get {
      var ahead = self
      return ahead.restSpan()
    }
  }
}
