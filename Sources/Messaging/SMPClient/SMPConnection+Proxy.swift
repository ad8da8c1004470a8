import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

// Sending through a proxy: the relay of this connection passes commands on to another relay, which then does not learn
// the address of the client.

extension SMPConnection {
  /// Asks this relay for a session with another one, and verifies that it is the one that the address names.
  /// - Throws: `proxy` with the error of this relay.
  public func openSession(
    with relay: SMPServerAddress, basicAuth: BasicAuth? = nil
  ) async throws(SMPClientError) -> ProxiedRelay {
    let request = ProxyRequest(relay: relay, basicAuth: basicAuth)
    let response = try await askProxy(RequestPipeline.Request(.prxy(request)))
    guard case .pkey(let session) = response else { throw .unexpectedResponse(response.form.keyword) }
    return try ProxiedRelay(session, certificateKey: try verifiedKey(session.relayKey.certificates, of: relay))
  }

  /// Sends a sender's command to another relay through this one, and returns that relay's response.
  /// - Throws: `relay` with the error of the other relay, `proxy` with that of this one.
  public func perform(
    _ request: RequestPipeline.Request, through relay: ProxiedRelay
  ) async throws(SMPClientError) -> BrokerMessage {
    var random = SystemRandom()
    let command = try ProxiedCommand(request, to: relay, random: &random)
    return try command.response(try await askProxy(command.request))
  }

  private func askProxy(_ request: RequestPipeline.Request) async throws(SMPClientError) -> BrokerMessage {
    do throws(SMPClientError) {
      return try await perform(request)
    } catch {
      if case .relay(let error) = error { throw .proxy(error) }
      throw error
    }
  }

  /// The key of the first certificate, after the chain was verified to be the relay's.
  private func verifiedKey(
    _ certificates: [[UInt8]], of relay: SMPServerAddress
  ) throws(SMPClientError) -> AnyPublicKey {
    do throws(CertificateError) {
      var chain: [Certificate] = []
      for der in certificates { chain.append(try Certificate(der: der)) }
      try CertificateChain(chain).verify(.relay(fingerprint: relay.keyHash), at: Int(time(nil)))
      if let der = try chain.first?.publicKeyDER(), let key = try? AnyPublicKey(der: der) { return key }
    } catch {
      throw .transport(.handshake(handshakeErr: .IDENTITY))
    }
    throw .transport(.handshake(handshakeErr: .BAD_AUTH))
  }
}
