import HeapModule
import NotificationProtocol
import SMPClientCore

/// When pushes are sent.
///
/// Governs: which tokens are pushed to now, in which order; the time between pushes of a device, in which what arrives
/// becomes one push; repeating after failures, by device and by service; the number of pushes in flight. Does not
/// govern: contents, and which pushes are needed, which the store knows. Invariant: at most one push of a token is in
/// flight. Times are in milliseconds of a steady clock.
public struct PushSchedule: Sendable {
  /// The parameters.
  public struct Settings: Hashable, Sendable {
    /// The time after the beginning of a push in which further notifications of its device are collected, in
    /// milliseconds: services keep only the last push for a sleeping device.
    public var collectingTime: Int64 = 300
    /// The number of pushes in flight.
    public var inFlightLimit = 500
    /// The delays between attempts of a device.
    public var deviceBackoff = Backoff.Policy(initial: 5_000, limit: 600_000)
    /// The delays between attempts at a service.
    public var serviceBackoff = Backoff.Policy(initial: 1_000, limit: 60_000)

    /// The default parameters.
    public init() {}
  }

  /// A push to send.
  public struct Job: Hashable, Sendable {
    /// The token.
    public var token: TokenNumber
    /// What it has a push for.
    public var kinds: Set<PushKind>
  }

  private struct Entry {
    var service: PushService
    var wanted: Set<PushKind> = []
    /// When it is looked at next.
    var due: Int64
    /// Whether a push is in flight.
    var isInFlight = false
    /// Kinds of the push in flight.
    var sending: Set<PushKind> = []
    var failures: Int64 = 0
    var lastBegin: Int64 = .min / 2
    /// Whether it waits for its service.
    var isParked = false
  }

  private struct Due: Comparable {
    let time: Int64
    let token: TokenNumber

    static func < (left: Due, right: Due) -> Bool { left.time < right.time }
  }

  private struct Service {
    var failures: Int64 = 0
    /// Nothing is sent before; nil while the service works.
    var blockedUntil: Int64?
    /// Whether a push that tries the service is in flight.
    var isProbing = false
    var parked: [TokenNumber] = []
  }

  private let settings: Settings
  private var entries: [TokenNumber: Entry] = [:]
  private var queue = Heap<Due>()
  private var services: [PushService: Service] = [:]
  /// The number of pushes in flight.
  public private(set) var inFlight = 0

  /// A schedule without pushes.
  public init(_ settings: Settings = Settings()) { self.settings = settings }

  /// The number of tokens that have a push, or had one right before.
  public var count: Int { entries.count }

  /// The number of tokens that wait for a push to be sent.
  public var waiting: Int { entries.values.count { !$0.wanted.isEmpty } }

  /// Whether a push of this kind waits.
  public func isWanted(_ kind: PushKind, of token: TokenNumber) -> Bool {
    entries[token]?.wanted.contains(kind) == true
  }

  /// A token has something to push, not before a time.
  public mutating func want(
    _ kind: PushKind, of token: TokenNumber, _ service: PushService, at now: Int64, notBefore: Int64 = 0
  ) {
    let time = max(now, notBefore)
    guard var entry = entries[token] else {
      insert(token, Entry(service: service, wanted: [kind], due: time))
      return
    }
    entry.service = service
    let isNew = entry.wanted.isEmpty
    entry.wanted.insert(kind)
    let due = entry.failures > 0 ? entry.due : max(time, entry.lastBegin + settings.collectingTime)
    // What waits already is not delayed by what comes later.
    let changes = !entry.isInFlight && !entry.isParked && (isNew || due < entry.due)
    if changes { entry.due = due }
    entries[token] = entry
    if changes { queue.insert(Due(time: entry.due, token: token)) }
  }

  /// A token was deleted.
  public mutating func forget(_ token: TokenNumber) {
    guard var entry = entries[token] else { return }
    guard entry.isInFlight else {
      entries[token] = nil
      return
    }
    entry.wanted = []
    entry.sending = []
    entries[token] = entry
  }

  /// The pushes to send now.
  public mutating func take(at now: Int64) -> [Job] {
    var jobs: [Job] = []
    wakeServices(at: now)
    while inFlight < settings.inFlightLimit, let next = queue.min, next.time <= now {
      queue.removeMin()
      guard var entry = entries[next.token], !entry.isInFlight, !entry.isParked, entry.due == next.time else {
        continue
      }
      guard !entry.wanted.isEmpty else {
        entries[next.token] = nil
        continue
      }
      guard mayBegin(at: entry.service) else {
        entry.isParked = true
        entries[next.token] = entry
        services[entry.service]?.parked.append(next.token)
        continue
      }
      jobs.append(Job(token: next.token, kinds: entry.wanted))
      entry.sending = entry.wanted
      entry.wanted = []
      entry.isInFlight = true
      entry.lastBegin = now
      entries[next.token] = entry
      inFlight += 1
    }
    return jobs
  }

  /// When ``take(at:)`` may return something next; nil while nothing waits, or everything is in flight.
  public var nextDue: Int64? {
    guard inFlight < settings.inFlightLimit else { return nil }
    let services = services.values.compactMap { service -> Int64? in
      service.isProbing || service.parked.isEmpty ? nil : service.blockedUntil
    }
    return (services + [queue.min?.time].compactMap { $0 }).min()
  }

  /// A push has ended; `kind` is what was sent, nil where nothing was needed any more.
  public mutating func finished(
    _ token: TokenNumber, sent kind: PushKind?, _ result: PushResult, at now: Int64,
    random: inout some RandomNumberGenerator
  ) {
    guard var entry = entries[token], entry.isInFlight else { return }
    inFlight -= 1
    entry.isInFlight = false
    let sent = entry.sending
    entry.sending = []
    var service = services[entry.service] ?? Service()
    service.isProbing = false
    if result != .serviceUnavailable {
      service.failures = 0
      service.blockedUntil = nil
      services[entry.service] = service
      release(entry.service, at: now)
    }
    switch result {
    case .done:
      entry.failures = 0
      // Of several kinds only one was sent.
      if let kind { entry.wanted.formUnion(sent.subtracting([kind])) }
      entry.due = max(now, entry.lastBegin + settings.collectingTime)
    case .again:
      entry.wanted.formUnion(sent)
      entry.due = now
    case .deviceBusy:
      entry.failures += 1
      entry.wanted.formUnion(sent)
      entry.due = now + settings.deviceBackoff.delay(after: entry.failures, using: &random)
    case .serviceUnavailable:
      entry.wanted.formUnion(sent)
      service.failures += 1
      let delay = settings.serviceBackoff.delay(after: service.failures, using: &random)
      service.blockedUntil = max(service.blockedUntil ?? 0, now + delay)
      services[entry.service] = service
      entry.due = now
    }
    // Forgotten while it was in flight.
    if sent.isEmpty, entry.wanted.isEmpty {
      entries[token] = nil
      return
    }
    insert(token, entry)
  }

  private mutating func insert(_ token: TokenNumber, _ entry: Entry) {
    entries[token] = entry
    queue.insert(Due(time: entry.due, token: token))
  }

  // MARK: Services

  /// Whether a push to a service may begin: always while it works, and as the only one to try it after a failure.
  private mutating func mayBegin(at service: PushService) -> Bool {
    guard var state = services[service], state.failures > 0 else { return true }
    guard state.blockedUntil == nil, !state.isProbing else { return false }
    state.isProbing = true
    services[service] = state
    return true
  }

  /// Lets a push try the services whose delay is over.
  private mutating func wakeServices(at now: Int64) {
    for (service, state) in services {
      guard let until = state.blockedUntil, until <= now else { continue }
      services[service]?.blockedUntil = nil
      while let token = services[service]?.parked.popLast(), !unpark(token, at: now) {}
    }
  }

  /// Lets everything go on that waits for a service.
  private mutating func release(_ service: PushService, at now: Int64) {
    let parked = services[service]?.parked ?? []
    services[service]?.parked = []
    for token in parked { _ = unpark(token, at: now) }
  }

  /// Has a token that waits for its service looked at again; false where it waits no more.
  private mutating func unpark(_ token: TokenNumber, at now: Int64) -> Bool {
    guard var entry = entries[token], entry.isParked else { return false }
    entry.isParked = false
    entry.due = now
    insert(token, entry)
    return true
  }
}
