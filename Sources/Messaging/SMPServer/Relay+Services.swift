import QueueStore
import SMPProtocol
import SMPServerCore

// Clients with a service certificate. Source: simplex-messaging.md, "Service subscriptions".

/// A command that subscribes to all queues of a service.
struct ServiceSubscribing: Sendable {
  let service: ServiceSession
  /// The client's set of the queues.
  let expected: ServiceQueues
  let origin: Origin<Client>
  /// The client's version.
  let version: UInt16
}

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
    for effects in effects { perform(effects) }
    if let previous {
      statistics.count(ServiceEvents.of(side).ended)
      previous.session.target.send(Response(.none, about: service, .plain(.ends(previous.queues))))
    }
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

  /// Subscribes a connection to all queues of its service; where it asks for that again meanwhile, it is answered after
  /// that.
  func subscribeAll(_ command: ServiceSubscribing) {
    let client = command.origin.session
    // Counted also without a correlation, which nobody waits for.
    client.target.addWaiting(bytes: Self.serviceSubscriptionSize)
    let isFirst = serviceSubscribing.withLock { waiting in
      waiting[client, default: []].append(command)
      return waiting[client]?.count == 1
    }
    guard isFirst else { return }
    Task {
      var next: ServiceSubscribing? = command
      while let command = next {
        await execute(command)
        client.target.addWaiting(bytes: -Self.serviceSubscriptionSize)
        next = serviceSubscribing.withLock { waiting in
          waiting[client]?.removeFirst()
          if waiting[client]?.isEmpty == true { waiting[client] = nil }
          return waiting[client]?.first
        }
      }
    }
  }

  /// Answers with the set of the queues; then delivers the first message of each, followed by ALLS if the client's
  /// version has it. Ends early where the connection is closed.
  private func execute(_ command: ServiceSubscribing) async {
    let (service, origin) = (command.service, command.origin)
    let client = origin.session
    guard !client.target.isClosed else { return }
    if let known = services.withLock({ $0[service.id] }), known.session == client, known.hasAll {
      return origin.reply(.soks(known.queues))
    }
    do throws(StoreFailure) {
      var queues = ServiceQueues()
      let isComplete = try await forEachPage(of: service, for: client) { page in
        for queue in page { queues.add(EntityID(queue.id)) }
      }
      guard isComplete else { return }
      // From here on, new messages are delivered to this connection; earlier ones are found by the loop below.
      subscribe(client, for: service.id, service.role.side)
      services.withLock { $0.subscribeAll(service.id, session: client, queues: queues) }
      count(queues, expected: command.expected, service.role.side)
      origin.reply(.soks(queues))
    } catch {
      return origin.reply(.err(ProtocolErrorType(error)))
    }
    // It may have been closed while the queues were counted or their messages read.
    defer { if client.target.isClosed { forget(client) } }
    guard service.role == .messaging else { return }
    var end = BrokerMessage.alls
    do throws(StoreFailure) {
      let isComplete = try await forEachPage(of: service, for: client) { page in
        await deliver(page.filter(\.mayHaveMessages), of: service, to: client)
      }
      guard isComplete else { return }
    } catch {
      end = .err(ProtocolErrorType(error))
    }
    if command.version >= SMPVersion.serviceQueues { client.target.send(Response(.none, about: .none, .plain(end))) }
  }

  /// Delivers the first message of each queue, a few at a time.
  private func deliver(_ queues: [ServiceQueue], of service: ServiceSession, to client: Client) async {
    var reads: [RelayRead] = []
    for queue in queues {
      guard !client.target.isClosed else { return }
      _ = update(queue.number, reads: &reads) { $0.deliverFirst(of: queue, for: service.id, to: client) }
      guard reads.count >= CommandQueue.limit else { continue }
      await readAll(reads)
      reads = []
    }
    await readAll(reads)
  }

  /// Calls `body` with all queues of a service, a page at a time; returns false where the client's connection was
  /// closed before the last.
  private func forEachPage(
    of service: ServiceSession, for client: Client, _ body: ([ServiceQueue]) async -> Void
  ) async throws(StoreFailure) -> Bool {
    var last = QueueNumber(0)
    while !client.target.isClosed {
      let page = try await store.queues(
        ofService: service.id.bytes, service.role.side, after: last, limit: Self.pageSize)
      guard !client.target.isClosed else { return false }
      await body(page)
      guard page.count == Self.pageSize, let next = page.last?.number else { return true }
      last = next
    }
    return false
  }
}
