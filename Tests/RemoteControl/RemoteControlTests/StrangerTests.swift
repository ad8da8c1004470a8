import RemoteControlCore
import RemoteControlProtocol
import SimplexTransport
import Testing

@testable import RemoteControl

/// Connections of strangers to a controller that waits for its host.
@Suite struct StrangerTests {
  /// Keeps nothing.
  private final class Silent: BlockHandler {
    func blockReceived(_ block: inout MutableRawSpan) {}
    func connectionClosed(_ error: TransportError?) {}
  }

  /// Connects with a credential, and returns when the controller has closed the connection.
  private func connect(_ port: Int, _ credential: TLSCredential?) async throws {
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: [], credential: credential))
    let connection = try await client.connect(
      host: "127.0.0.1", port: port, policy: .pair(authority: nil)
    ) { _ in Silent() }
    await withCheckedContinuation { closed in connection.whenClosed { closed.resume() } }
  }

  @Test func strangersDoNotEndTheWait() async throws {
    let devices = try Devices()
    try await devices.connect(devices.start())
    await devices.phone.stop()
    try await devices.deskEvents.next { if case .stopped = $0 { () } else { nil } }
    let pairing = try #require(devices.deskStore.host)
    let known = try #require(await devices.phoneStore.hostPairings().first?.credentials)
    let invitation = try await devices.start(pairing)
    let port = Int(invitation.invitation.port)

    try await connect(port, nil)
    try await connect(port, .selfSigned(commonName: "localhost"))
    let stranger = try RemoteCredentials.new(for: .host).sessionCredential()
    try await connect(port, stranger)
    // The right authority, by a leaf that it has not issued.
    let (leaf, authority) = (try #require(stranger.chain.leaf), try Certificate(der: known.certificate))
    try await connect(port, TLSCredential(chain: CertificateChain([leaf, authority]), key: stranger.key))
    // Three certificates.
    let right = try known.sessionCredential()
    let long = CertificateChain(right.chain.certificates + [authority])
    try await connect(port, TLSCredential(chain: long, key: right.key))
    #expect(await devices.desk.state == .connecting(invitation))

    try await devices.connect(invitation)
    await devices.stop()
  }

  @Test func certificatesHaveTheFormOfTheReference() throws {
    let credentials = try RemoteCredentials.new(for: .controller)
    let chain = try credentials.sessionCredential().chain
    #expect(chain.certificates.count == 2)
    #expect(try chain.leaf?.commonName() == "localhost" && chain.identity?.commonName() == "ca")
    #expect(chain.identity?.fingerprint == credentials.fingerprint.bytes)
    try chain.verify(.pair(authority: credentials.fingerprint.bytes), at: 1_900_000_000)
    for certificate in chain.certificates {
      // Version 3 in its tag, then the serial number 1.
      let serial: [UInt8] = [0xA0, 3, 2, 1, 2, 2, 1, 1]
      #expect(certificate.der.indices.contains { certificate.der[$0...].starts(with: serial) })
      // The algorithm of the signature follows the key of 32 bytes: there are no extensions between them.
      let key: [UInt8] = [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0]
      let index = try #require(certificate.der.indices.first { certificate.der[$0...].starts(with: key) })
      #expect(certificate.der[(index + key.count + 32)...].starts(with: [0x30, 5, 6, 3, 0x2B, 0x65, 0x70]))
    }
  }

  @Test func aSecondStartIsRefusedAndStoppingFreesThePort() async throws {
    let devices = try Devices()
    let first = try await devices.start()
    await #expect(throws: RemoteSessionError.busy) { try await devices.start() }
    await devices.desk.stop()
    #expect(await devices.desk.state == nil)
    var pairing = try ControllerPairing.new()
    pairing.port = first.invitation.port
    let again = try await devices.start(pairing)
    #expect(again.invitation.port == first.invitation.port)
    try await devices.connect(again)
    await devices.stop()
  }
}
