import AgentCore
import ChunkStore
import Foundation
import SMPProtocol
import SimplexTransport
import XFTPProtocol

@testable import XFTPServer

/// A file relay on loopback, over TLS, with its store on the disk.
final class LoopbackFileRelay: Sendable {
  let server: FileServer
  /// What it keeps, without what `start` put before it.
  let chunks: DiskChunkStore
  let folder: String
  private let port: Int
  private let ownsFolder: Bool

  private init(server: FileServer, chunks: DiskChunkStore, folder: String, ownsFolder: Bool) {
    self.server = server
    self.chunks = chunks
    port = server.port
    self.folder = folder
    self.ownsFolder = ownsFolder
  }

  /// Starts a relay; `earlier` is one that was stopped, and comes back with its port and its files. `store` may put
  /// something between the relay and its store.
  static func start(
    again earlier: LoopbackFileRelay? = nil, quota: Int64? = nil,
    _ change: (inout XFTPServerConfiguration) -> Void = { _ in }, store: (DiskChunkStore) -> any ChunkStore = { $0 }
  ) async throws -> LoopbackFileRelay {
    let folder =
      earlier?.folder
      ?? FileManager.default.temporaryDirectory.appending(path: "file-relay-\(UUID().uuidString)").path
    let certificates = RelayCertificates(folder: folder)
    if earlier == nil {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try certificates.create(commonName: "localhost", algorithm: .ed25519)
    }
    var configuration = XFTPServerConfiguration(
      host: "127.0.0.1", port: earlier?.port ?? 0, credential: try certificates.credential())
    change(&configuration)
    let chunks = try DiskChunkStore(databaseFile: folder + "/chunks.db", folder: folder + "/files", quota: quota)
    try await chunks.removeStrayFiles()
    let server = try await FileServer.start(configuration, store: store(chunks))
    return LoopbackFileRelay(server: server, chunks: chunks, folder: folder, ownsFolder: earlier == nil)
  }

  deinit { if ownsFolder { try? FileManager.default.removeItem(atPath: folder) } }

  /// Its address.
  var address: ProtocolServer<XFTPScheme> {
    let host = (try? TransportHost.textCodec.decode(text: "127.0.0.1")) ?? .domain("127.0.0.1")
    return ProtocolServer(host, port: UInt16(port), keyHash: server.fingerprint)
  }

  /// The relay as users have it.
  func userServer(password: String? = nil) -> AgentFileServer {
    AgentFileServer(ServerWithAuth(server: address, basicAuth: password.flatMap { BasicAuth(Array($0.utf8)) }))
  }

  func stop() async { await server.stop() }
}
