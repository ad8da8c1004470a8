import SMPProtocol
import SimplexCrypto

/// The box of a frame: the session identifier with a 1-byte length and the content, without padding, the tag last.
public enum FrameBody {
  /// The number of bytes that a box has in addition to its content, for identifiers of 32 bytes.
  public static let overhead = 1 + 32 + BoxKey.overhead

  /// The box of a content.
  public static func seal(_ content: [UInt8], session: SessionID, key: BoxKey, nonce: BoxNonce) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(1 + session.bytes.count + content.count)
    text.append(UInt8(clamping: session.bytes.count))
    text += session.bytes
    text += content
    return key.seal(text, nonce: nonce, tag: .last)
  }

  /// The content of a box.
  /// - Throws: `decrypt` if it is not authentic, `sessionCode` if it belongs to another session.
  public static func open(
    _ box: [UInt8], session: SessionID, key: BoxKey, nonce: BoxNonce
  ) throws(FrameError) -> [UInt8] {
    guard let text = try? key.open(box, nonce: nonce, tag: .last) else { throw .remoteControl(.decrypt) }
    guard let size = text.first else { throw .invalidBody("empty body") }
    guard text.dropFirst().prefix(Int(size)).elementsEqual(session.bytes) else { throw .sessionCode }
    return Array(text.dropFirst(1 + session.bytes.count))
  }
}
