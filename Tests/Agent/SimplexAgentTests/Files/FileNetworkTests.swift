import AgentCore
import SMPClientCore
import SMPProtocol
import SimplexTransport
import Testing
import WireCodec
import XFTPClient
import XFTPProtocol

@testable import SimplexAgent

@Suite("How agents reach file relays")
struct FileNetworkTests {
  private let server = ProtocolServer<XFTPScheme>(
    .domain("files.example"), port: nil, keyHash: [UInt8](repeating: 1, count: 32))
  private let hidden = ProtocolServer<XFTPScheme>(
    .onion("abc.onion"), port: nil, keyHash: [UInt8](repeating: 2, count: 32))
  private let user = UserID(rawValue: 1)

  @Test func proxiesKeepSessionsApart() {
    var options = Agent.Options()
    options.network.socksProxy = SOCKS5Proxy(host: "127.0.0.1", port: 9050)
    options.network.socksMode = .onion
    options.proxyCredentials = { key in
      SOCKS5Credentials(username: "\(key.user.rawValue) \(key.server.hosts)", password: "\(key.entity?.bytes ?? [])")
    }
    let perUser = FileNetwork(options)
    let shared = perUser.session(server, of: user, chunk: [1])
    #expect(shared == perUser.session(server, of: user, chunk: [2]))
    options.configuration.isolation = .perConnection
    let network = FileNetwork(options)
    let (first, second) = (
      network.session(server, of: user, chunk: [1]), network.session(server, of: user, chunk: [2])
    )
    #expect(first != second)
    let configurations = [first, second, network.session(hidden, of: user, chunk: [1])].map {
      network.configuration(of: $0)
    }
    let credentials = configurations.map { $0.transport.proxy?.credentials }
    #expect(Set(credentials).count == 3 && !credentials.contains(nil))
    #expect(configurations.map(\.proxiesOnionHostsOnly) == [true, true, true])
  }

  @Test func timesAndProtocols() {
    var options = Agent.Options()
    options.network.requestTimeout = .seconds(7)
    options.network.connectTimeout = .seconds(8)
    options.fileTimePerKB = .milliseconds(3)
    options.configuration.chunksPerRelay = 5
    let key = FileSessionKey(server: server, user: user, entity: nil)
    let configuration = FileNetwork(options).configuration(of: key)
    #expect(configuration.timeout == .seconds(7))
    #expect(configuration.transport.timeout == .seconds(8))
    #expect(configuration.timePerKB == .milliseconds(15))
    #expect(configuration.applicationProtocols == [XFTPApplicationProtocol.xftp])
    options.network.webPort = .domains([".example"])
    #expect(
      FileNetwork(options).configuration(of: key).applicationProtocols == [XFTPApplicationProtocol.disguised])
  }

  @Test func addressesAreProtected() {
    var options = Agent.Options()
    #expect(!FileNetwork(options).isProtected(server))
    #expect(!FileNetwork(options).isProtected(hidden))
    options.network.hosts = HostPolicy(preference: .onion)
    #expect(!FileNetwork(options).isProtected(server))
    #expect(FileNetwork(options).isProtected(hidden))
    options.network.socksProxy = SOCKS5Proxy(host: "127.0.0.1", port: 9050)
    #expect(FileNetwork(options).isProtected(server))
  }

  /// Of a relay with several hosts, any that is tried may be reached directly.
  @Test func addressesAreProtectedFromAllHosts() throws {
    let both = try #require(
      ProtocolServer<XFTPScheme>(hosts: hidden.hosts + server.hosts, port: nil, keyHash: hidden.keyHash))
    var options = Agent.Options()
    // Without a proxy the onion host is passed over.
    options.network.hosts = HostPolicy(preference: .onion)
    #expect(!FileNetwork(options).isProtected(both))
    options.network.hosts.isRequired = true
    #expect(FileNetwork(options).isProtected(both))
    options.network.socksProxy = SOCKS5Proxy(host: "127.0.0.1", port: 9050)
    options.network.socksMode = .onion
    #expect(FileNetwork(options).isProtected(both) && FileNetwork(options).isProtected(hidden))
    options.network.hosts = HostPolicy()
    #expect(!FileNetwork(options).isProtected(both) && !FileNetwork(options).isProtected(server))
    #expect(FileNetwork(options).isProtected(hidden))
    options.network.socksMode = .always
    #expect(FileNetwork(options).isProtected(both) && FileNetwork(options).isProtected(server))
  }

  /// A relay that cannot be reached at all is reported while it is tried.
  @Test(.timeLimit(.minutes(1))) func warningsComeFirst() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) { $0.configuration.receivedFileTimeout = 1_000 }
    var description = try await alice.send([1, 2, 3]).recipients[0]
    description.chunks[0].replicas[0].server = hidden
    let file = newFileID()
    try await alice.agent.receiveFile(
      file, user: alice.user, description, to: alice.destination(), approvedRelays: true)
    let warning = try await alice.next { if case .fileReceiveWarning(file, let error) = $0 { error } else { nil } }
    #expect(warning == .fileServer(hidden, .noHost))
    await #expect { try await alice.received(file) } throws: { error in
      (error as? FileAgent.Failed)?.error == .fileServer(hidden, .noHost)
    }
    await alice.agent.close()
    await relay.stop()
  }

  @Test(.timeLimit(.minutes(1))) func relaysAreTested() async throws {
    let relay = try await LoopbackFileRelay.start { $0.basicAuth = BasicAuth(Array("secret".utf8)) }
    let alice = try await FileAgent([])
    #expect(try await alice.agent.testFileServer(alice.user, relay.userServer(password: "secret").address) == nil)
    #expect(relay.server.usage.chunks == 0)
    let refused = try await alice.agent.testFileServer(alice.user, relay.userServer().address)
    #expect(refused?.step == .createFile)
    #expect(refused?.error == .fileServer(relay.address, .relay(.AUTH)))
    await relay.stop()
    #expect(
      try await alice.agent.testFileServer(alice.user, relay.userServer(password: "secret").address)?.step == .connect)
    await alice.agent.close()
  }
}
