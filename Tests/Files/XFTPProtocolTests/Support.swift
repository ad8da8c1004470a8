import SMPProtocol
import SimplexCrypto
import SimplexTesting
import WireCodec
import XFTPProtocol

/// Golden data of the file protocol.
let xftpVectors: Golden? = try? Vectors.load("xftp.json")

/// The elements of an array of golden data; none if there is no such array, which a test of the count catches.
func cases(_ name: String) -> [Golden] { (try? xftpVectors?.elements(name)) ?? [] }

/// Golden data that a test cannot make sense of.
struct UnusableVector: Error {
  let reason: String
}

extension Golden {
  func x25519(_ name: String) throws -> X25519.PublicKey { try X25519.PublicKey(der: try hex(name)) }

  func authorizationKey() throws -> AuthorizationKey {
    let der = try hex()
    return try AuthorizationKey.codec.decode([UInt8(der.count)] + der)
  }

  func privateKey<A: KeyAlgorithm>(_ name: String, _ algorithm: A.Type = A.self) throws -> A.PrivateKey {
    try A.PrivateKey(der: try hex(name))
  }

  /// The description whose members are given.
  func fileDescription(_ party: FileParty) throws -> FileDescription {
    var redirect: FileRedirect?
    if let golden = self["redirect"] {
      redirect = FileRedirect(size: Int64(try golden.int("size")), digest: try golden.hex("digest"))
    }
    return FileDescription(
      party: party, size: Int64(try int("size")), digest: try hex("digest"),
      key: try BoxKey(SecretBytes(try hex("key"))), nonce: try BoxNonce(try hex("nonce")),
      chunkSize: UInt32(try int("chunkSize")), chunks: try elements("chunks").map { try $0.fileChunk() },
      redirect: redirect)
  }

  private func fileChunk() throws -> FileChunk {
    FileChunk(
      number: try int("chunkNo"), size: UInt32(try int("chunkSize")), digest: try hex("digest"),
      replicas: try elements("replicas").map { golden in
        guard let key = AuthorizationPrivateKey(der: try golden.hex("replicaKeyDer")) else {
          throw UnusableVector(reason: "\(golden.path) has no private key")
        }
        let server = try golden.member("server")
        let hosts = try server.elements("hosts").map { try TransportHost.textCodec.decode(text: $0.string()) }
        guard
          let address = XFTPServer(
            hosts: hosts, port: UInt16(try server.string("port")), keyHash: try server.hex("keyHash"))
        else { throw UnusableVector(reason: "\(golden.path) has no hosts") }
        return FileReplica(server: address, id: EntityID(try golden.hex("replicaId")), key: key)
      })
  }
}
