import Foundation
import QueueStore
import SMPServer
import SimplexTransport
import WireCodec

/// A relay of this process on the loopback address, which forgets everything at the end.
final class DemoRelay: Sendable {
  private let server: RelayServer
  /// Where it is.
  let address: String

  private init(_ server: RelayServer) {
    self.server = server
    let port = server.ports.first ?? 0
    address = "smp://\(Base64URL.string(server.fingerprint))@127.0.0.1:\(port)"
  }

  /// Starts it, with certificates in the folder.
  static func start(folder: URL) async throws -> DemoRelay {
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    var configuration = SMPServerConfiguration(
      host: "127.0.0.1", ports: [0], credential: try certificates.credential())
    configuration.proxy?.allowsPrivateAddresses = true
    return DemoRelay(try await RelayServer.start(configuration, store: MemoryQueueStore()))
  }

  /// Stops it.
  func stop() async { await server.stop() }
}
