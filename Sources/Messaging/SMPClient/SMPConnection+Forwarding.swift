import SMPClientCore
import SMPProtocol
import SimplexCrypto

// The part of a proxy: a relay passes commands of its own clients on to the relay of this connection, which was opened
// with `isProxy`. Source: simplex-messaging.md, "Proxying sender commands".

extension SMPConnection {
  /// The parameters of this session for the clients of a proxy (PKEY).
  /// - Throws: `transport` where the relay does not accept forwarded commands, `closed`.
  public func proxySession() throws(SMPClientError) -> ProxySession {
    guard let session else { throw .closed }
    guard session.context.version >= SMPVersion.proxy,
      let versions = session.serverVersions.intersection(SMPVersion.proxied)
    else { throw .transport(.version) }
    guard let key = session.certifiedKey else { throw .transport(.noServerAuth) }
    return ProxySession(sessionID: session.context.sessionID, versions: versions, relayKey: key)
  }

  /// Forwards a client's command, and returns the relay's response, in the box that only the client can open.
  /// `correlation` is that of the client's command.
  /// - Throws: `relay` with the relay's error, and every other reason why there is no response.
  public func forward(
    _ request: ForwardRequest, correlation: CorrelationID
  ) async throws(SMPClientError) -> [UInt8] {
    guard let session else { throw .closed }
    guard session.context.version >= SMPVersion.proxy else { throw .transport(.version) }
    guard let secret = session.secret else { throw .transport(.noServerAuth) }
    var random = SystemRandom()
    let own = CorrelationID(using: &random)
    let box: [UInt8]
    do throws(MessageBoxError) {
      box = try ForwardedTransmission(correlationID: correlation, request: request)
        .seal(secret: secret, correlation: own)
    } catch {
      throw .transport(.largeMsg)
    }
    let response = try await perform(RequestPipeline.Request(.rfwd(box), correlation: own))
    guard case .rres(let sealed) = response else { throw .unexpectedResponse(response.form.keyword) }
    do throws(MessageBoxError) {
      return try ForwardedResponse(opening: sealed, secret: secret, correlation: own).response
    } catch {
      switch error {
      case .crypto(let error): throw .crypto(error)
      case .malformed: throw .response(.block)
      }
    }
  }
}
