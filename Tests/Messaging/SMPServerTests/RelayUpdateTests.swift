import Foundation
import QueueStore
import RelayChassis
import SMPProtocol
import SMPServerCore
import SimplexTransport
import Testing

@testable import SMPServer

/// Changing the settings and credentials of a running relay.
@Suite(.timeLimit(.minutes(2))) struct RelayUpdateTests {
  /// A certificate with an RSA key of 512 bits, made for this test, which TLS refuses to present.
  private enum WeakCertificate {
    static let certificate = """
      -----BEGIN CERTIFICATE-----
      MIIBgTCCASugAwIBAgIUfl7PI815sfGXpxFO6nEUknXXzW4wDQYJKoZIhvcNAQEL
      BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzIzNDMwMloYDzIxMjYx
      MDMwMjM0MzAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwXDANBgkqhkiG9w0BAQEF
      AANLADBIAkEAyjUns7Va7GbSNVPWeHOXU//bfehczSyn4Y+tNolhBYnGYtvgFSTZ
      2eHGrtXjZgOFhAUSa+kEgRoBH3HGPU7lkwIDAQABo1MwUTAdBgNVHQ4EFgQUxUfB
      9TwVkATQbrcekYu7qseTc7owHwYDVR0jBBgwFoAUxUfB9TwVkATQbrcekYu7qseT
      c7owDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAANBAIXntDNR9drhYiM5
      wmd9F4lggbD+JekUqLymf3LJyY9ziCzYYy8mAXlU5eYUdV/1hDntAzY+2OJrmx0d
      e/4bDRs=
      -----END CERTIFICATE-----
      """
    static let key = """
      -----BEGIN PRIVATE KEY-----
      MIIBVQIBADANBgkqhkiG9w0BAQEFAASCAT8wggE7AgEAAkEAyjUns7Va7GbSNVPW
      eHOXU//bfehczSyn4Y+tNolhBYnGYtvgFSTZ2eHGrtXjZgOFhAUSa+kEgRoBH3HG
      PU7lkwIDAQABAkEAtZKPqRaDo94cilhTMOwTChGpJeFeW7rqsWgT0PIBljbtrlJF
      NM6UkPjtBDNEabF7H12zwePlvc2GjRWYg+NqeQIhAOcVvAr6FpzSMzovsa0YXJgF
      LAquc8h3g/NPV5Pq06uHAiEA4AJeKJsX8R9XCIE+5KAu1JvxLnmr7QBhUOJ7HnCn
      cJUCIGDXmfObtShJaxCCdlqNMBjBaiCb1Yf4lkK8SH6D1es3AiA4iABxKOq63Bjf
      uZZApjgLSats+iGsNutYOT+u5+kpnQIhAJKutf61bRJuyC11iXEdxD2cWyTLf9uc
      bXytUnyH7AlD
      -----END PRIVATE KEY-----
      """

    static func credential() throws -> TLSCredential {
      let chain = CertificateChain(try Certificate.list(pem: Array(certificate.utf8)))
      return try TLSCredential(chain: chain, key: CertificateKey(pem: Array(key.utf8)))
    }
  }

  /// A reload that begins to close inactive connections counts for those that are open, too.
  @Test func inactiveConnectionsAreClosedAfterAReload() async throws {
    try await TestRelay.with({ $0.inactivity = nil }) { relay in
      let idle = try await relay.client()
      var changed = relay.server.relay.configuration
      changed.inactivity = .init(ttl: 1, checkInterval: 1)
      try relay.server.update(changed)
      await #expect(throws: (any Error).self) { try await idle.event() }
    }
  }

  /// The relay logs that the old settings stay, which has to hold on every port.
  @Test func credentialsThatOnePortCannotUseChangeNone() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "update-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    let old = try certificates.credential()
    try certificates.rotate(commonName: "localhost", algorithm: .ed25519)
    let new = try certificates.credential()
    var configuration = SMPServerConfiguration(host: "127.0.0.1", ports: [0, 0], credential: old)
    let server = try await RelayServer.start(configuration, store: MemoryQueueStore())
    func leaf(_ port: Int) async throws -> [UInt8]? {
      let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
      let connection: AsyncBlockConnection = try await .connect(
        transport, host: "127.0.0.1", port: port, policy: .relay(fingerprint: server.fingerprint), window: 64)
      defer { connection.close() }
      return connection.session.peerCertificates.leaf?.der
    }
    do {
      configuration.credential = new
      // Its ports are those of the relay in the same order; the numbers here say which one serves browsers.
      configuration.ports = [1, 2]
      let site = WebSite(
        InformationPage(title: "", sections: [], information: try ServerInformation(try ServerINI(""))), [:])
      configuration.web = .init(port: 2, credential: try WeakCertificate.credential(), site: site)
      #expect(throws: SMPServerError.self) { try server.update(configuration) }
      for port in server.ports { #expect(try await leaf(port) == old.chain.leaf?.der) }
      configuration.web = nil
      try server.update(configuration)
      for port in server.ports { #expect(try await leaf(port) == new.chain.leaf?.der) }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }
}
