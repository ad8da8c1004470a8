import RemoteControlCore
import SimplexCrypto
import SimplexTransport

/// A side of a pairing.
public enum RemoteSide: Hashable, Sendable {
  /// The phone.
  case host
  /// The desktop.
  case controller

  /// Seconds from the making of its authority to the start of the authority's validity. Source: the reference's
  /// constants.
  var validFrom: Int { self == .host ? -3_600 : -25 * 3_600 }
}

extension RemoteCredentials {
  /// New credentials for a pairing: an Ed25519 key, and its self-signed certificate `ca`.
  /// - Throws: an error of the library, such as of exhausted memory.
  public static func new(for side: RemoteSide) throws(CertificateError) -> RemoteCredentials {
    var random = SystemRandom()
    let key = Ed25519.PrivateKey(using: &random)
    let certificate = try Certificate.issue(
      .remoteControl(commonName: "ca", validFrom: side.validFrom), for: CertificateKey(der: key.der.bytes))
    return RemoteCredentials(certificate: certificate.der, key: key)
  }

  /// A new certificate `localhost` by this authority, for one session, with the chain of both.
  func sessionCredential() throws(CertificateError) -> TLSCredential {
    let authority = try Certificate(der: certificate)
    let leafKey = try CertificateKey.generate(.ed25519)
    let leaf = try Certificate.issue(
      .remoteControl(commonName: "localhost", validFrom: -3_600), for: leafKey,
      by: (certificate: authority, key: CertificateKey(der: key.der.bytes)))
    return try TLSCredential(chain: CertificateChain([leaf, authority]), key: leafKey)
  }
}

extension ControllerPairing {
  /// A new record for a host that is not known yet: credentials and an identity key of their own.
  public static func new() throws(CertificateError) -> ControllerPairing {
    var random = SystemRandom()
    return ControllerPairing(
      credentials: try .new(for: .controller), identityKey: Ed25519.PrivateKey(using: &random), host: nil, port: nil)
  }
}

extension CertificateTemplate {
  /// A certificate without extensions, with the serial number 1, for 999,999 days. Source: the reference's
  /// certificates of remote control.
  fileprivate static func remoteControl(commonName: String, validFrom: Int) -> CertificateTemplate {
    var template = plain(commonName: commonName, validFrom: validFrom, days: relayValidityDays)
    template.serialNumber = 1
    return template
  }
}
