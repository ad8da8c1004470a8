import SMPProtocol
import SimplexCrypto
import WireCodec

/// The padded block at the beginning of each request and response, of ``size`` bytes. Source: xftp.md, "Transmission
/// block".
public enum XFTPBlock {
  /// The size of a block in bytes.
  public static let size = 16384

  /// The block with these bytes.
  /// - Throws: `tooLong`.
  public static func padded(_ content: [UInt8]) throws(WireError) -> [UInt8] {
    do { return try Padding.pad(content.span.bytes, to: size) } catch {
      throw WireError(.tooLong(limit: size - Padding.prefixSize))
    }
  }

  /// The block with a value that is not in a transmission: handshakes and their errors.
  public static func encode<Value>(_ value: Value, _ codec: Codec<Value>) throws(WireError) -> [UInt8] {
    try padded(try codec.encode(value))
  }

  /// The value in a block that is not in a transmission; nil where the padding or the value is malformed.
  public static func decode<Value>(_ block: [UInt8], _ codec: Codec<Value>) -> Value? {
    guard block.count == size, let content = try? Padding.unpad(block.span.bytes) else { return nil }
    return try? codec.decodeAll(content)
  }

  /// The block with a command that is authorized by `signer`; nil for PING.
  public static func command(
    _ command: FileCommand, entity: EntityID = .none, correlation: CorrelationID, signer: CommandSigner?,
    in session: SessionContext
  ) throws(WireError) -> [UInt8] {
    try batch(of: session) { (writer) throws(WireError) in
      if let signer {
        try session.write(command, entity: entity, correlation: correlation, signer: signer, to: &writer)
      } else {
        try session.write(command, entity: entity, correlation: correlation, to: &writer)
      }
    }
  }

  /// The block with a response.
  public static func response(
    _ response: FileResponse, entity: EntityID, correlation: CorrelationID, in session: SessionContext
  ) throws(WireError) -> [UInt8] {
    try batch(of: session) { (writer) throws(WireError) in
      try session.write(response, entity: entity, correlation: correlation, to: &writer)
    }
  }

  /// A list of a single transmission: relays and clients of this protocol do not batch.
  private static func batch(
    of session: SessionContext, _ write: (inout Writer) throws(WireError) -> Void
  ) throws(WireError) -> [UInt8] {
    var writer = Writer(version: session.version, capacity: 1024)
    writer.append(1)
    try writer.sized(UInt16.self, write)
    return try padded(writer.finish())
  }

  /// The transmission in a block; with the error ``TransmissionError/block`` where the block is malformed, or has more
  /// than one.
  public static func transmission<Message: ProtocolMessage>(
    of type: Message.Type, in block: [UInt8], session: SessionContext
  ) -> Result<ReceivedTransmission<Message>, TransmissionError> {
    guard block.count == size, let content = try? Padding.unpad(block.span.bytes) else { return .failure(.block) }
    let received = session.transmissions(of: type, in: content)
    guard received.count == 1, let transmission = received.first else { return .failure(.block) }
    return .success(transmission)
  }
}
