import RemoteControlProtocol

@testable import RemoteControlCore

extension HostSession {
  /// The authorities of controller and host in the attempt that waits for TLS.
  var attempted: (CertificateFingerprint, CertificateFingerprint)? {
    guard case .connecting(let attempt, _) = phase else { return nil }
    return (attempt.invitation.controller, attempt.pairing.credentials.fingerprint)
  }
}
