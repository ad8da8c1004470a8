import RemoteControlProtocol
import SimplexCrypto

/// The certificate authority of one side of a pairing. The other side recognizes it by its fingerprint.
public struct RemoteCredentials: Sendable, Equatable {
  /// The self-signed certificate in DER.
  public let certificate: [UInt8]
  /// Its key, which signs a new certificate for each session.
  public let key: Ed25519.PrivateKey

  /// Credentials of a certificate and its key.
  public init(certificate: [UInt8], key: Ed25519.PrivateKey) {
    self.certificate = certificate
    self.key = key
  }

  /// The fingerprint of the certificate.
  public var fingerprint: CertificateFingerprint { CertificateFingerprint(ofCertificate: certificate) }
}
