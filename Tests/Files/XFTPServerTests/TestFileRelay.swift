import ChunkStore
import FileAccess
import Foundation
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import WireCodec
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init(in folder: String = NSTemporaryDirectory()) throws {
    path = URL(filePath: folder).appendingPathComponent("xftp-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names of the files in a folder inside.
  func files(_ name: String) -> [String] { (Folder.names(in: "\(path)/\(name)") ?? []).sorted() }
}

/// A file relay on loopback, with a store on the disk.
final class TestFileRelay: Sendable {
  let server: FileServer
  let store: DiskChunkStore
  let folder: TemporaryFolder
  let configuration: XFTPServerConfiguration

  private init(
    server: FileServer, store: DiskChunkStore, folder: TemporaryFolder, configuration: XFTPServerConfiguration
  ) {
    self.server = server
    self.store = store
    self.folder = folder
    self.configuration = configuration
  }

  /// Starts a relay, in the folder of an earlier one if it is given. `wrap` gives it another store in front of that of
  /// the disk.
  static func start(
    in folder: TemporaryFolder? = nil, port: Int = 0, quota: Int64? = nil,
    _ change: (inout XFTPServerConfiguration) -> Void = { _ in }, wrap: (DiskChunkStore) -> any ChunkStore = { $0 }
  ) async throws -> TestFileRelay {
    let certificates: RelayCertificates
    let place: TemporaryFolder
    if let folder {
      place = folder
      certificates = RelayCertificates(folder: folder.path)
    } else {
      place = try TemporaryFolder()
      certificates = RelayCertificates(folder: place.path)
      try certificates.create(commonName: "localhost", algorithm: .ed25519)
    }
    var configuration = XFTPServerConfiguration(
      host: "127.0.0.1", port: port, credential: try certificates.credential())
    change(&configuration)
    let store = try DiskChunkStore(
      databaseFile: place.path + "/chunks.db", folder: place.path + "/files", quota: quota)
    try await store.removeStrayFiles()
    let server = try await FileServer.start(configuration, store: wrap(store))
    return TestFileRelay(server: server, store: store, folder: place, configuration: configuration)
  }

  /// The address of the relay.
  var address: RelayAddress {
    let host = (try? TransportHost.textCodec.decode(text: "127.0.0.1")) ?? .domain("127.0.0.1")
    return RelayAddress(host, port: UInt16(server.port), keyHash: server.fingerprint)
  }

  func connect(_ configuration: FileClientConfiguration = FileClientConfiguration()) async throws
    -> FileRelayConnection
  {
    try await FileRelayConnection.connect(to: address, configuration)
  }
}

/// The address of a file relay; the module of the relay has the same name as the type of addresses.
typealias RelayAddress = ProtocolServer<XFTPScheme>

/// A chunk with its keys, of random bytes.
struct TestChunk {
  let bytes: [UInt8]
  let key: AuthorizationPrivateKey
  let recipientKeys: [AuthorizationPrivateKey]
  let digest: [UInt8]

  init(size: Int = 65536, recipients: Int = 1, x25519: Bool = false) {
    var random = SystemRandom()
    func newKey() -> AuthorizationPrivateKey {
      x25519 ? .x25519(X25519.PrivateKey(using: &random)) : .ed25519(Ed25519.PrivateKey(using: &random))
    }
    let content = random.bytes(size)
    bytes = content
    key = newKey()
    recipientKeys = (0..<recipients).map { _ in newKey() }
    digest = HashFunction.sha256.digest(of: content)
  }

  var request: NewChunkRequest {
    NewChunkRequest(
      chunk: ChunkInfo(senderKey: key.publicKey, size: UInt32(bytes.count), digest: digest),
      recipientKeys: recipientKeys.map(\.publicKey))
  }
}

extension FileRelayConnection {
  func upload(_ chunk: TestChunk, _ bytes: [UInt8]? = nil, to sender: EntityID) async throws {
    let bytes = bytes ?? chunk.bytes
    var position = 0
    try await upload(UInt32(bytes.count), to: sender, key: chunk.key) { count in
      defer { position += count }
      return Array(bytes[position..<position + count])
    }
  }

  func download(_ chunk: TestChunk, of recipient: EntityID, key: Int = 0) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await download(
      UInt32(chunk.bytes.count), digest: chunk.digest, of: recipient, key: chunk.recipientKeys[key]
    ) { bytes += $0 }
    return bytes
  }
}
