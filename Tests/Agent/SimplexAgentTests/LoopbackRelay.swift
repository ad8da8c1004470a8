import AgentCore
import Foundation
import QueueStore
import SMPProtocol
import SMPServer
import SimplexTransport

/// A relay on the loopback interface, with a real database in a folder of its own; it can be stopped and started
/// again at the same address.
actor LoopbackRelay {
  nonisolated let address: SMPServerAddress
  private let folder: URL
  private let configuration: SMPServerConfiguration
  private var server: RelayServer?

  static func start(_ change: (inout SMPServerConfiguration) -> Void = { _ in }) async throws -> LoopbackRelay {
    let folder = FileManager.default.temporaryDirectory.appending(path: "relay-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    var configuration = SMPServerConfiguration(host: "127.0.0.1", ports: [0], credential: try certificates.credential())
    configuration.proxy?.allowsPrivateAddresses = true
    change(&configuration)
    let server = try await RelayServer.start(configuration, store: try store(in: folder))
    guard let port = server.ports.first else { throw CocoaError(.featureUnsupported) }
    configuration.ports = [port]
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let address = SMPServerAddress(host, port: UInt16(port), keyHash: server.fingerprint)
    return LoopbackRelay(server, configuration, address, folder)
  }

  private static func store(in folder: URL) throws -> SQLiteQueueStore {
    try SQLiteQueueStore(path: folder.appending(path: "queues.db").path)
  }

  private init(
    _ server: RelayServer, _ configuration: SMPServerConfiguration, _ address: SMPServerAddress, _ folder: URL
  ) {
    self.server = server
    self.configuration = configuration
    self.address = address
    self.folder = folder
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  nonisolated var userServer: AgentUserServer { AgentUserServer(ServerWithAuth(server: address, basicAuth: nil)) }

  /// How many TLS connections there are.
  func openConnections() -> Int { server?.connectionCounts.reduce(0) { $0 + $1.open } ?? 0 }

  func stop() async {
    let server = self.server
    self.server = nil
    await server?.stop()
  }

  func startAgain() async throws {
    guard server == nil else { return }
    server = try await RelayServer.start(configuration, store: try Self.store(in: folder))
  }
}
