import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// Seals and opens the frames of one side of a session: encryption, the binding to the session, signatures and
/// compression.
///
/// A frame that fails because of its signatures, its tag or its session leaves the value unchanged; a frame whose
/// authentic content is malformed uses its number up.
public struct FrameCipher: Sendable {
  /// The keys of signatures, which requests have and responses do not.
  public enum Side: Sendable {
    /// The controller signs its requests.
    case controller(sessionKey: Ed25519.PrivateKey, identityKey: Ed25519.PrivateKey)
    /// The host verifies them.
    case host(sessionKey: Ed25519.PublicKey, identityKey: Ed25519.PublicKey)
  }

  /// A frame to send; a file may follow.
  public struct Sealed: Sendable {
    /// The bytes of the frame.
    public let bytes: [UInt8]
    /// The key of a file that follows.
    public let fileKey: OneTimeKey
  }

  /// The content of a received frame.
  public struct Opened: Sendable {
    /// JSON of a command or response, not parsed.
    public let json: [UInt8]
    /// The key of a file that follows.
    public let fileKey: OneTimeKey
  }

  /// The content of a received frame that is authentic.
  public struct Authentic: Sendable {
    /// JSON, compressed if both sides do.
    let content: [UInt8]
    let isCompressed: Bool
    let limit: Int
    /// The key of a file that follows.
    public let fileKey: OneTimeKey

    /// The size of the JSON in bytes, as the frame states it.
    public var size: Int { FrameContent.size(of: content, compressed: isCompressed) }

    /// The JSON.
    /// - Throws: `invalidSize`, `invalidBody` if it is too long or not compressed as agreed.
    public func opened() throws(FrameError) -> Opened {
      Opened(json: try FrameContent.decode(content, compressed: isCompressed, limit: limit), fileKey: fileKey)
    }
  }

  /// The TLS session that frames are bound to.
  public let session: SessionID
  /// Whether contents are compressed: both sides can.
  public let isCompressing: Bool
  private let side: Side
  private var keys: FrameKeys

  /// The cipher of a session whose handshake is complete.
  public init(session: SessionID, side: Side, keys: FrameKeys, isCompressing: Bool) {
    self.session = session
    self.side = side
    self.keys = keys
    self.isCompressing = isCompressing
  }

  /// A reader for the next frame of the peer.
  public var reader: FrameReader {
    if case .host = side { FrameReader(isRequest: true) } else { FrameReader(isRequest: false) }
  }

  /// The frame of a command or response.
  /// - Throws: `invalidSize` if the content is longer than peers accept, `encrypt` after 2³² − 1 frames.
  public mutating func seal(_ json: [UInt8]) throws(FrameError) -> Sealed {
    let content = FrameContent.encode(json, compressed: isCompressing)
    guard let size = UInt32(exactly: content.count + FrameBody.overhead), size <= FrameHead.bodyLimit else {
      throw .invalidSize
    }
    let (counter, pair) = try keys.send()
    let box = FrameBody.seal(content, session: session, key: pair.body.key, nonce: pair.body.nonce)
    let head = FrameHead(counter: counter, bodySize: UInt32(clamping: box.count))
    var signatures: FrameSignatures?
    if case .controller(let sessionKey, let identityKey) = side {
      signatures = FrameSignatures(of: head, box: box, sessionKey: sessionKey, identityKey: identityKey)
    }
    return Sealed(
      bytes: ReceivedFrame(head: head, box: box, signatures: signatures).bytes, fileKey: pair.file)
  }

  /// The content of a frame.
  /// - Throws: `remoteControl(.controllerAuthorization)`, `manySkippedIDs`, `earlierID`, `duplicateID`,
  ///   `remoteControl(.decrypt)`, `sessionCode`; then the value is unchanged. `invalidSize`, `invalidBody` if the
  ///   content is too long or not compressed as agreed.
  public mutating func open(_ frame: ReceivedFrame) throws(FrameError) -> Opened {
    try authenticate(frame).opened()
  }

  /// The content of a frame, before it is decompressed, which may take long.
  /// - Throws: the errors of ``open(_:)`` that leave the value unchanged.
  public mutating func authenticate(_ frame: ReceivedFrame) throws(FrameError) -> Authentic {
    if case .host(let sessionKey, let identityKey) = side {
      guard let signatures = frame.signatures,
        signatures.areValid(of: frame.head, box: frame.box, sessionKey: sessionKey, identityKey: identityKey)
      else { throw .remoteControl(.controllerAuthorization) }
    }
    let (pair, next) = try keys.receiving(frame.head.counter)
    let content = try FrameBody.open(frame.box, session: session, key: pair.body.key, nonce: pair.body.nonce)
    keys = next
    return Authentic(content: content, isCompressed: isCompressing, limit: contentLimit, fileKey: pair.file)
  }

  private var contentLimit: Int {
    if case .host = side { FrameContent.commandLimit } else { FrameContent.responseLimit }
  }
}
