import SMPProtocol
import SimplexCrypto
import WireCodec

/// The client's side of the handshake with a notification server: reads the server's hello, and answers it.
///
/// The server's certificates are verified in TLS; this verifies that the same server signed the key of the session.
public struct NotificationHandshake: Sendable {
  /// The session that TLS established.
  public let sessionID: SessionID
  /// The key of the server's TLS certificate.
  public let serverKey: AnyPublicKey

  /// A handshake in a TLS session.
  public init(sessionID: SessionID, serverKey: AnyPublicKey) {
    self.sessionID = sessionID
    self.serverKey = serverKey
  }

  /// Answers the server's first block: returns the client's block, and the established session.
  /// - Parameter keyHash: the fingerprint of the expected server.
  public func answer(
    block: [UInt8], keyHash: [UInt8], versions: VersionRange = NotificationVersion.supported
  ) throws(ProtocolTransportError) -> (block: [UInt8], session: EstablishedSession) {
    let hello: NotificationServerHello
    do {
      let content = try Padding.messageRange(in: block.span.bytes)
      hello = try NotificationServerHello.codec.decodeAll(block.span.bytes.extracting(content))
    } catch is CryptoError {
      throw .badBlock
    } catch {
      throw .handshake(handshakeErr: .PARSE)
    }
    guard hello.sessionID == sessionID else { throw .badSession }
    guard let version = hello.versions.intersection(versions)?.highest else { throw .version }
    let key = try hello.sessionKey.map { (signed) throws(ProtocolTransportError) in try verifiedKey(signed) }
    let session = EstablishedSession(
      context: .notifications(version: version, sessionID: sessionID), serverKey: key,
      serverVersions: hello.versions)
    let answer = NotificationClientHello(version: version, keyHash: keyHash)
    do {
      return (try NotificationHello.block(answer, NotificationClientHello.codec), session)
    } catch {
      throw .handshake(handshakeErr: .PARSE)
    }
  }

  private func verifiedKey(_ signed: SignedKey) throws(ProtocolTransportError) -> X25519.PublicKey {
    guard signed.isSigned(by: serverKey), case .x25519(let key) = signed.key else {
      throw .handshake(handshakeErr: .BAD_AUTH)
    }
    return key
  }
}

/// The blocks of the handshake.
public enum NotificationHello {
  /// The block with a hello.
  public static func block<Hello>(_ hello: Hello, _ codec: Codec<Hello>) throws(WireError) -> [UInt8] {
    let content = try codec.encode(hello)
    let size = NotificationTransport.blockSize
    do { return try Padding.pad(content.span.bytes, to: size) } catch {
      throw WireError(.tooLong(limit: size - Padding.prefixSize))
    }
  }
}
