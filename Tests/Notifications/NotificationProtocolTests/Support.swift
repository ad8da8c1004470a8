import NotificationProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import WireCodec

/// Golden data of the notification protocol.
let notificationVectors: Golden? = try? Vectors.load("ntf.json")

/// The elements of an array of golden data; none if there is no such array, which a test of the count catches.
func cases(_ name: String) -> [Golden] { (try? notificationVectors?.elements(name)) ?? [] }

/// Golden data that a test cannot make sense of.
struct UnusableVector: Error {
  let reason: String
}

extension Golden {
  func x25519(_ name: String) throws -> X25519.PublicKey { try X25519.PublicKey(der: try hex(name)) }

  func authorizationKey(_ name: String) throws -> AuthorizationKey {
    let der = try hex(name)
    return try AuthorizationKey.codec.decode([UInt8(der.count)] + der)
  }

  func privateKey<A: KeyAlgorithm>(_ name: String, _ algorithm: A.Type = A.self) throws -> A.PrivateKey {
    try A.PrivateKey(der: try hex(name))
  }

  func device() throws -> PushDevice {
    guard let service = PushService(rawValue: try string("provider")) else {
      throw UnusableVector(reason: "\(path) has no provider")
    }
    return PushDevice(service: service, token: try string("token"))
  }
}
