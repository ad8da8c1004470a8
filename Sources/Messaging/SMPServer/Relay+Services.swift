import QueueStore
import SMPProtocol
import SMPServerCore

// Clients with a service certificate. Source: simplex-messaging.md, "Service subscriptions".

extension Relay {
  private static let pageSize = 1_000
  /// About the memory in bytes of a subscription to all queues that is under way.
  static let serviceSubscriptionSize = 4_096

  /// Makes a connection the subscriber of a service, and notifies the previous one.
  func subscribe(_ client: Client, for service: EntityID, _ side: ServiceSide) {
    typealias Taken = (previous: ServiceSubscriptions<Client>.Subscription?, effects: [[Shard.Effect]])
    let (previous, effects): Taken = services.withLock { services in
      guard services[service]?.session != client else { return (nil, []) }
      let previous = services.take(service, side: side, session: client)
      return (previous, withShards { $0.subscribe(client, for: service, insteadOf: previous?.session) })
    }
    if let previous {
      statistics.count(ServiceEvents.of(side).ended)
      previous.session.target.send(Response(.none, about: service, .plain(.ends(previous.queues))))
    }
    for effects in effects { perform(effects) }
  }

  /// Makes a connection the subscriber of a service, with this queue.
  func join(_ service: EntityID, side: ServiceSide, client: Client, queue: EntityID, isNew: Bool) {
    subscribe(client, for: service, side)
    let isFirst = services.withLock { services in
      let isFirst = services[service]?.queues.count == 0
      services.add(queue, to: service, client, isNew: isNew)
      return isFirst
    }
    let events = ServiceEvents.of(side)
    if isFirst { statistics.count(events.subscribed) }
    if isFirst || isNew { statistics.count(events.queues) }
  }

  private func count(_ queues: ServiceQueues, expected: ServiceQueues, _ side: ServiceSide) {
    let events = ServiceEvents.of(side)
    let (difference, overflow) = queues.count.subtractingReportingOverflow(expected.count)
    if expected.count == ServiceQueues.unknown.count || expected == queues {
      statistics.count(events.same)
    } else if overflow {
      // The client sent an impossible set.
      statistics.count(events.others)
    } else if difference > 0 {
      statistics.count(events.more)
      statistics.count(events.moreQueues, by: Int(clamping: difference))
    } else if difference < 0 {
      statistics.count(events.fewer)
      statistics.count(events.fewerQueues, by: Int(clamping: -max(difference, -.max)))
    } else {
      statistics.count(events.others)
    }
  }

  /// Subscribes a connection to all queues of its service, and answers with the set; then delivers the first message of
  /// each, followed by ALLS if the client's version has it. `expected` is the client's set.
  func subscribeAll(
    _ service: ServiceSession, expected: ServiceQueues, _ origin: Origin<Client>, version: UInt16
  ) async {
    let client = origin.session
    if let known = services.withLock({ $0[service.id] }), known.session == client, known.hasAll {
      return origin.reply(.soks(known.queues))
    }
    do throws(StoreFailure) {
      var queues = ServiceQueues()
      try await forEachQueue(of: service) { queues.add(EntityID($0.id)) }
      // From here on, new messages are delivered to this connection; earlier ones are found by the loop below.
      subscribe(client, for: service.id, service.role.side)
      services.withLock { $0.subscribeAll(service.id, session: client, queues: queues) }
      count(queues, expected: expected, service.role.side)
      origin.reply(.soks(queues))
    } catch {
      return origin.reply(.err(ProtocolErrorType(error)))
    }
    // It may have been closed while the queues were counted or their messages read.
    defer { if client.target.isClosed { forget(client) } }
    guard service.role == .messaging else { return }
    var end = BrokerMessage.alls
    do throws(StoreFailure) {
      try await forEachQueue(of: service) { queue in
        guard queue.mayHaveMessages else { return }
        perform(withShard(of: queue.number) { $0.deliverFirst(of: queue, for: service.id, to: client) })
      }
    } catch {
      end = .err(ProtocolErrorType(error))
    }
    if version >= SMPVersion.serviceQueues { client.target.send(Response(.none, about: .none, .plain(end))) }
  }

  private func forEachQueue(
    of service: ServiceSession, _ body: (ServiceQueue) -> Void
  ) async throws(StoreFailure) {
    var last = QueueNumber(0)
    while true {
      let page = try await readPage(of: service, after: last)
      page.forEach(body)
      guard page.count == Self.pageSize, let next = page.last?.number else { return }
      last = next
    }
  }

  /// One page at a time for all services: it takes memory and milliseconds, and must not keep the threads of others.
  private func readPage(
    of service: ServiceSession, after last: QueueNumber
  ) async throws(StoreFailure) -> [ServiceQueue] {
    let page = await withCheckedContinuation { continuation in
      serviceReading.async {
        continuation.resume(
          returning: self.result { () throws(StoreFailure) in
            try self.store.queues(
              ofService: service.id.bytes, service.role.side, after: last, limit: Self.pageSize)
          })
      }
    }
    return try page.get()
  }
}
