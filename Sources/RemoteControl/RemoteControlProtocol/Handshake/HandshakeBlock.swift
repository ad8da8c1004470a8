import SimplexCrypto
import WireCodec

/// The blocks of the handshake inside TLS: 16,384 bytes, padded but not encrypted. Source: XRCP, "Session handshake".
public enum HandshakeBlock {
  /// The size of a block in bytes.
  public static let size = 16_384
  /// The size in bytes to which the text of the boxes inside is padded.
  public static let paddedSize = 12_288

  /// The block of a message.
  /// - Throws: `blockSize` if the message does not fit, `syntax` if it has no wire form.
  public static func encode<Message>(_ message: Message, _ codec: Codec<Message>) throws(RemoteControlError) -> [UInt8]
  {
    let content: [UInt8]
    do throws(WireError) {
      content = try codec.encode(message)
    } catch {
      throw .syntax(error.description)
    }
    do {
      return try Padding.pad(content, to: size)
    } catch {
      throw .blockSize
    }
  }

  /// The message in a block.
  /// - Throws: `blockSize` unless it is a padded block of 16,384 bytes, `syntax` if the message is malformed.
  public static func decode<Message>(_ block: [UInt8], _ codec: Codec<Message>) throws(RemoteControlError) -> Message {
    guard block.count == size, let content = try? Padding.messageRange(in: block.span.bytes) else { throw .blockSize }
    do throws(WireError) {
      return try codec.decodeAll(block.span.bytes.extracting(content))
    } catch {
      throw .syntax(error.description)
    }
  }
}
