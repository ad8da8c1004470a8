import Foundation
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import WireCodec

/// Golden data of messages, handshakes, batches and the proxy.
let smpVectors: Golden? = try? Vectors.load("smp.json")
/// Golden data of addresses.
let addressVectors: Golden? = try? Vectors.load("smp-addresses.json")

/// The elements of an array of golden data; none if there is no such array, which a test of the count catches.
func cases(_ name: String, of vectors: Golden? = smpVectors) -> [Golden] {
  (try? vectors?.elements(name)) ?? []
}

/// Golden data that a test cannot make sense of.
struct UnusableVector: Error {
  let reason: String
}

extension Golden {
  /// Bytes in hex, or `pattern:N` for N bytes (7·i+3) mod 256.
  func bytes(_ name: String) throws -> [UInt8] {
    let text = try string(name)
    guard text.hasPrefix("pattern:"), let count = Int(text.dropFirst("pattern:".count)) else { return try hex(name) }
    return (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) }
  }

  /// The value as JSON text.
  func json() throws -> [UInt8] { Array(try JSONSerialization.data(withJSONObject: value)) }

  func entity(_ name: String) throws -> EntityID { EntityID(try hex(name)) }

  func entityOrNil(_ name: String) throws -> EntityID? { try self[name].map { EntityID(try $0.hex()) } }

  func nonce(_ name: String) throws -> BoxNonce { try BoxNonce(try hex(name)) }

  func x25519(_ name: String) throws -> X25519.PublicKey { try X25519.PublicKey(der: try hex(name)) }

  func authorizationKey(_ name: String) throws -> AuthorizationKey {
    try AuthorizationKey.codec.decode([UInt8(try hex(name).count)] + hex(name))
  }

  func privateKey<A: KeyAlgorithm>(_ name: String, _ algorithm: A.Type = A.self) throws -> A.PrivateKey {
    try A.PrivateKey(der: try hex(name))
  }

  /// The server in the member with this name, from its parts.
  func server<Scheme: ServerProtocol>(_ name: String, _ scheme: Scheme.Type = Scheme.self) throws -> ProtocolServer<
    Scheme
  > {
    let server = try member(name)
    let hosts = try server.elements("hosts").map { try TransportHost.textCodec.decode(text: $0.string()) }
    let port = try server.string("port")
    guard let result = ProtocolServer<Scheme>(hosts: hosts, port: UInt16(port), keyHash: try server.hex("keyHash"))
    else {
      throw UnusableVector(reason: "\(path) has no hosts")
    }
    return result
  }
}
