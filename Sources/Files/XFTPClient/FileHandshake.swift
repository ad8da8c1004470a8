import HTTP2Transport
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPProtocol

/// The handshake of a client: asks for the relay's key, verifies it, and chooses a version.
struct FileHandshake {
  let server: XFTPServer
  let configuration: FileClientConfiguration
  let connection: HTTP2Connection

  /// The version and the relay's key of the session.
  func run() async throws(FileClientError) -> (UInt16, X25519.PublicKey) {
    let block = try await send([])
    guard let hello = XFTPBlock.decode(block, XFTPServerHandshake.codec) else {
      throw .handshake(Self.error(in: block).map { "\($0)" } ?? "malformed response")
    }
    guard hello.sessionID.bytes == connection.session.identifier else { throw .handshake("another session") }
    let versions = configuration.versions
    let version = min(hello.versions.highest, versions.highest)
    guard version >= hello.versions.lowest, version >= versions.lowest else { throw .version }
    let key = try verifiedKey(hello.sessionKey)
    let answer = XFTPClientHandshake(version: version, keyHash: server.keyHash)
    guard let request = try? XFTPBlock.encode(answer, XFTPClientHandshake.codec) else { throw .handshake("too long") }
    let response = try await send(request)
    guard response.isEmpty else {
      throw .handshake(Self.error(in: response).map { "\($0)" } ?? "malformed response")
    }
    return (version, key)
  }

  /// The key, if it is signed by the certificate that the relay presented in TLS.
  private func verifiedKey(_ certified: CertifiedKey) throws(FileClientError) -> X25519.PublicKey {
    let chain = connection.session.peerCertificates
    guard certified.certificates == chain.certificates.map(\.der), let leaf = chain.leaf,
      let der = try? leaf.publicKeyDER(), let signer = try? AnyPublicKey(der: der),
      certified.key.isSigned(by: signer)
    else { throw .handshake("the relay's key is not signed by its certificate") }
    guard case .x25519(let key) = certified.key.key else { throw .handshake("the relay's key has another algorithm") }
    return key
  }

  private static func error(in block: [UInt8]) -> XFTPErrorType? { XFTPBlock.decode(block, XFTPErrorType.codec) }

  /// Sends a request and returns the body of the response.
  private func send(_ block: [UInt8]) async throws(FileClientError) -> [UInt8] {
    let stream: HTTP2Stream
    do throws(HTTP2Error) {
      stream = try await connection.request(method: "POST", isWhole: block.isEmpty)
    } catch {
      throw FileClientError(error)
    }
    stream.setDeadline(configuration.timeout)
    return try await resettingWhenCancelled(stream) { () async throws(FileClientError) in
      do throws(HTTP2Error) {
        if !block.isEmpty { try await stream.send(block, isLast: true) }
        _ = try await stream.head()
        var body: [UInt8] = []
        while body.count <= XFTPBlock.size, let part = try await stream.read() { body += part }
        return body
      } catch {
        throw FileClientError(error)
      }
    }
  }
}
