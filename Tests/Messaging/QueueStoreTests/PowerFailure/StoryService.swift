import SMPProtocol
import SMPServerCore

@testable import QueueStore

/// A service in a story.
struct StoryService: Hashable {
  let certificateHash: [UInt8]
  var id: [UInt8]
  /// The letter of its role.
  var role: Int64
  var createdDay: Int64
  /// The day on which it was last registered.
  var usedDay: Int64

  init(certificateHash: [UInt8], id: [UInt8], role: Int64, createdDay: Int64, usedDay: Int64) {
    (self.certificateHash, self.id, self.role) = (certificateHash, id, role)
    (self.createdDay, self.usedDay) = (createdDay, usedDay)
  }

  init(_ record: ServiceRecord, _ usedDay: Int64) {
    self.init(
      certificateHash: record.certificateHash, id: record.id, role: Int64(record.role.letter),
      createdDay: record.createdDay, usedDay: usedDay)
  }

  /// A registration of one of three certificates. Each gets one of two identifiers, of which queues use the first
  /// (``RecordChange/serviceID(_:)``), and now and then another role than before.
  static func random(using random: inout some RandomNumberGenerator) -> StoryService {
    let number = Int.random(in: 1...3, using: &random)
    let day = Int64.random(in: 1...30, using: &random)
    let role: ServiceRole = Int.random(in: 0..<6, using: &random) == 0 ? .notifier : .messaging
    return StoryService(
      certificateHash: digest(ofCertificate: number),
      id: RecordChange.serviceID(Bool.random(using: &random) ? number : number + 3) ?? [],
      role: Int64(role.letter), createdDay: day, usedDay: day)
  }

  /// What a relay submits when the service connects.
  var registration: ServiceRecord { registration(on: createdDay) }

  /// What makes a store know the service as it is.
  var registrations: [ServiceRecord] { [registration(on: createdDay), registration(on: usedDay)] }

  private func registration(on day: Int64) -> ServiceRecord {
    ServiceRecord(
      id: id, role: UInt8(exactly: role).flatMap(ServiceRole.init(letter:)) ?? .proxy,
      certificateHash: certificateHash, createdDay: day)
  }
}

private func digest(ofCertificate certificate: Int) -> [UInt8] { id(certificate, 13) + [UInt8](repeating: 0, count: 8) }

extension StoreState {
  /// Throws unless the services that were there before can be found as these, where any of the actions `maybe` may have
  /// taken effect, in their order.
  func checkServices(after before: StoreState, maybe: [StoreAction]) throws(Violation) {
    var hashes = Set(before.services.keys).union(services.keys)
    for case .register(let service) in maybe { hashes.insert(service.certificateHash) }
    for hash in hashes {
      var possible: Set<StoryService?> = [before.services[hash]]
      for action in maybe { possible.formUnion(possible.map { before.state(of: $0, hash, after: action, maybe) }) }
      guard possible.contains(services[hash]) else {
        throw Violation("service \(String(describing: services[hash])) is found, not one of \(possible)")
      }
    }
  }

  /// What an action makes of a service that is known by a certificate, or is not known.
  private func state(
    of service: StoryService?, _ hash: [UInt8], after action: StoreAction, _ maybe: [StoreAction]
  ) -> StoryService? {
    switch action {
    case .register(let registration) where registration.certificateHash == hash:
      guard var known = service else { return registration }
      if known.role == registration.role { known.usedDay = max(known.usedDay, registration.usedDay) }
      return known
    case .removeServices(let day, let kept):
      guard let service, service.usedDay < day, !kept.contains(service.id) else { return service }
      return isCertainlyUsed(service, maybe) ? service : nil
    default: return service
    }
  }

  /// Whether a queue has the service, whatever of `maybe` took effect.
  private func isCertainlyUsed(_ service: StoryService, _ maybe: [StoreAction]) -> Bool {
    queues.contains { index, queue in
      let isUsed = queue.record.serviceID == service.id || queue.record.notifier?.serviceID == service.id
      return isUsed
        && !maybe.contains { action in
          guard action.queue == index else { return false }
          switch action {
          case .delete, .change: return true
          default: return false
          }
        }
    }
  }
}
