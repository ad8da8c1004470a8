import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import WireCodec

/// Golden data of remote control.
let vectors: Golden? = try? Vectors.load("xrcp.json")

/// The golden invitations; none if there are no such data, which a test of the count catches.
let invitationVectors: [Golden] = (try? vectors?.elements("invitations")) ?? []

extension Golden {
  func privateKey<A: KeyAlgorithm>(_ name: String, _ algorithm: A.Type = A.self) throws -> A.PrivateKey {
    try A.PrivateKey(der: try hex(name))
  }

  /// The invitation, with the application as the link has it.
  func invitation() throws -> RemoteInvitation {
    let received = try ReceivedInvitation.codec.decode(text: string("signedUri")).unverified
    guard let controller = CertificateFingerprint(try hex("ca")) else { throw Missing(description: "\(path).ca") }
    return RemoteInvitation(
      controller: controller, host: try TransportHost.textCodec.decode(text: string("host")),
      port: UInt16(try int("port")), app: received.app, timestamp: Int64(try int("ts")),
      sessionKey: try privateKey("sessionPrivateKeyDer", Ed25519.self).publicKey,
      identityKey: try privateKey("identityPrivateKeyDer", Ed25519.self).publicKey,
      dhKey: try privateKey("dhPrivateKeyDer", X25519.self).publicKey)
  }
}

/// The keys of a controller's session, from a seed.
struct SampleKeys {
  let session: Ed25519.PrivateKey
  let identity: Ed25519.PrivateKey
  let dh: X25519.PrivateKey

  init(seed: UInt64) {
    var random = InsecureSeededRandom(seed: seed)
    session = Ed25519.PrivateKey(using: &random)
    identity = Ed25519.PrivateKey(using: &random)
    dh = X25519.PrivateKey(using: &random)
  }

  /// An invitation to an address, whose application is `app`.
  func invitation(host: String = "192.168.1.2", app: String = "{}") throws -> RemoteInvitation {
    RemoteInvitation(
      controller: CertificateFingerprint(ofCertificate: [1]), host: try TransportHost.textCodec.decode(text: host),
      port: 5000, app: app, timestamp: 1_700_000_000, sessionKey: session.publicKey, identityKey: identity.publicKey,
      dhKey: dh.publicKey)
  }

  func sign(_ invitation: RemoteInvitation) -> SignedInvitation {
    invitation.signed(sessionKey: session, identityKey: identity)
  }
}

/// The versions of a controller.
let sampleVersions: AppVersions = {
  guard let lowest = AppVersion([6, 5, 0, 12]), let highest = AppVersion([7, 0, 0, 6]),
    let versions = AppVersions(lowest, highest)
  else { preconditionFailure("a range of versions") }
  return versions
}()
