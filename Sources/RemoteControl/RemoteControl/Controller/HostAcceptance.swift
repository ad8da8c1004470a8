import RemoteControlCore
import RemoteControlProtocol
import Synchronization

/// Decides within TLS handshakes, on their threads, which hosts are accepted: as the session was after its last step.
final class HostAcceptance: Sendable {
  private let session: Mutex<ControllerSession>
  private let lastNumber = Atomic<UInt64>(0)

  init(_ session: ControllerSession) { self.session = Mutex(session) }

  /// Takes the session after a step.
  func update(_ session: ControllerSession) { self.session.withLock { $0 = session } }

  /// Whether a host with this authority is accepted.
  func accepts(_ fingerprint: [UInt8]) -> Bool {
    guard let fingerprint = CertificateFingerprint(fingerprint) else { return false }
    return session.withLock { $0.accepts(fingerprint) }
  }

  /// A number for a connection, which no other has.
  func nextNumber() -> ConnectionNumber {
    ConnectionNumber(lastNumber.add(1, ordering: .relaxed).newValue)
  }
}
