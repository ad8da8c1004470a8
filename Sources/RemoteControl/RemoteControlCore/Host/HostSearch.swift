import RemoteControlProtocol
import SMPProtocol
import SimplexCrypto

/// A search for known controllers.
struct HostSearch: Sendable {
  /// An announcement whose signatures and source are right.
  struct Found: Sendable {
    var pairing: HostPairing
    var invitation: RemoteInvitation
  }

  /// The maximum number of announcements that are remembered as handled; the oldest are forgotten.
  static let handledLimit = 64

  private let pairings: [HostPairing]
  /// The time in milliseconds at which the search fails if nothing was found.
  let deadline: Int64
  /// The newest announcement of each controller.
  private(set) var found: [CertificateFingerprint: Found] = [:]
  /// The keys of announcements that were handled: they are repeated every second.
  private var handled: [X25519.PublicKey] = []
  private var budget = DatagramBudget()
  /// The error of the last attempt to connect.
  var lastError: RemoteSessionError?

  init(_ pairings: [HostPairing], deadline: Int64) {
    self.pairings = pairings
    self.deadline = deadline
  }

  /// The announcement in a datagram, if it is a new one of a known controller, sent from the address that it names.
  mutating func announcement(
    in datagram: [UInt8], from source: IPv4Address, at now: Int64
  ) -> Found? {
    guard datagram.count == Announcement.size, let announcement = try? Announcement.codec.decode(datagram),
      !handled.contains(announcement.controllerKey)
    else { return nil }
    let agreements = pairings.reduce(0) { $0 + $1.announcementKeys.count }
    guard budget.admits(from: source, agreements: agreements, at: now),
      let found = open(announcement), found.invitation.host == .ipv4(source)
    else { return nil }
    // An announcement that was recorded earlier is not newer by the controller's own clock.
    let controller = found.pairing.controller
    if let known = self.found[controller], known.invitation.timestamp > found.invitation.timestamp { return nil }
    handled.append(announcement.controllerKey)
    if handled.count > Self.handledLimit { handled.removeFirst() }
    self.found[controller] = found
    return found
  }

  /// Forgets the announcement of a controller that could not be connected to.
  mutating func discard(_ controller: CertificateFingerprint) { found[controller] = nil }

  private func open(_ announcement: Announcement) -> Found? {
    for pairing in pairings {
      do throws(RemoteControlError) {
        let invitation = try announcement.open(with: pairing.announcementKeys).invitation
        guard invitation.controller == pairing.controller, invitation.identityKey == pairing.identityKey else {
          return nil
        }
        return Found(pairing: pairing, invitation: invitation)
      } catch .controllerNotFound {
        continue
      } catch {
        return nil
      }
    }
    return nil
  }
}
