import NotificationProtocol
import NotificationServerCore
import NotificationStore
import RelayChassis

/// Sends the pushes that are due: prepares each with what is stored, sends it, and stores the outcome.
actor Pusher {
  private let senders: [PushService: any PushSender]
  private let store: any NotificationStore
  private let counts: EventCounts<NotificationEvent>
  private let health: StoreHealth
  private let report: @Sendable (String) -> Void
  private var schedule: PushSchedule
  private var verifications = VerificationLimits()
  private var random = SystemRandomNumberGenerator()
  private let clock = ContinuousClock()
  private let origin: ContinuousClock.Instant
  /// Waits for the next push that is due.
  private var timer: (task: Task<Void, Never>, due: Int64)?
  private var jobs: [TokenNumber: Task<Void, Never>] = [:]
  /// Services that failed last, for the log.
  private var failing: Set<PushService> = []
  private var isStopped = false

  /// The number of tokens that are read at once at the start.
  private static let page = 1_000

  init(
    _ configuration: NotificationServerConfiguration, store: any NotificationStore,
    counts: EventCounts<NotificationEvent>, health: StoreHealth
  ) {
    senders = configuration.senders
    self.store = store
    self.counts = counts
    self.health = health
    report = configuration.report ?? { _ in }
    schedule = PushSchedule(configuration.pushes)
    origin = clock.now
  }

  /// Schedules the pushes that were not accepted before the server was stopped.
  func start() async throws(NotificationStoreError) {
    var last = TokenNumber(0)
    while !isStopped {
      let after = last
      let tokens = try await store.perform { (records) throws(NotificationStoreError) in
        try records.tokensWithPushes(after: after, limit: Self.page)
      }
      for token in tokens {
        if token.record.isCodeDue { verify(token.number, token.record.device) }
        if token.record.status == .active { push(.messages, of: token.number, token.record.device.service) }
      }
      guard let next = tokens.last?.number, tokens.count == Self.page else { return }
      last = next
    }
  }

  /// Ends pushes; those in flight are repeated after the next start, unless they are answered now.
  func stop() async {
    isStopped = true
    timer?.task.cancel()
    for sender in senders.values { await sender.close() }
    for job in jobs.values { await job.value }
  }

  /// The number of tokens that have a push waiting, and of pushes in flight.
  var load: (waiting: Int, inFlight: Int) { (schedule.waiting, schedule.inFlight) }

  // MARK: What is to be pushed

  /// A code has to be pushed.
  func verify(_ token: TokenNumber, _ device: PushDevice) {
    guard !schedule.isWanted(.verification, of: token) else { return }
    guard let time = verifications.reserve(device, at: now) else { return counts.count(.verificationFailed) }
    push(.verification, of: token, device.service, notBefore: time)
  }

  /// A token has a push of this kind.
  func push(_ kind: PushKind, of token: TokenNumber, _ service: PushService, notBefore: Int64 = 0) {
    guard !isStopped else { return }
    schedule.want(kind, of: token, service, at: now, notBefore: notBefore)
    run()
  }

  /// A token was deleted.
  func forget(_ token: TokenNumber) { schedule.forget(token) }

  // MARK: Sending

  private var now: Int64 {
    let (seconds, attoseconds) = (clock.now - origin).components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  /// Sends what is due, and waits for what is due next.
  private func run() {
    guard !isStopped else { return }
    for job in schedule.take(at: now) {
      jobs[job.token] = Task { await self.perform(job) }
    }
    guard let due = schedule.nextDue else { return }
    if let timer, timer.due <= due { return }
    timer?.task.cancel()
    let delay = max(1, due - now)
    timer = (
      Task {
        try? await Task.sleep(for: .milliseconds(delay))
        if !Task.isCancelled { self.timerFired() }
      }, due
    )
  }

  private func timerFired() {
    timer = nil
    run()
  }

  private func perform(_ job: PushSchedule.Job) async {
    var result = PushResult.deviceBusy
    var kind: PushKind?
    do throws(NotificationStoreError) {
      let prepared = try await store.perform { (records) throws(NotificationStoreError) in
        try PreparedPush.prepare(job.token, job.kinds, in: records)
      }
      kind = prepared?.kind
      if let prepared { result = try await send(prepared) } else { result = .done }
    } catch {
      // Repeated later, or after the next start.
      health.failed("\(error)")
    }
    jobs[job.token] = nil
    schedule.finished(job.token, sent: kind, result, at: now, random: &random)
    run()
  }

  private func send(_ push: PreparedPush) async throws(NotificationStoreError) -> PushResult {
    let device = push.token.record.device
    let outcome: PushOutcome
    if let sender = senders[device.service] {
      outcome = await sender.send(
        OutgoingPush(device: device, content: push.content, key: push.token.record.boxKey))
    } else {
      outcome = .refused("there is no such service")
    }
    note(outcome, of: device.service)
    let result = try await store.perform { (records) throws(NotificationStoreError) in
      try push.finish(outcome, in: records)
    }
    count(outcome, result, of: push.kind, at: device.service)
    return result
  }

  private func count(_ outcome: PushOutcome, _ result: PushResult, of kind: PushKind, at service: PushService) {
    // Tests of servers by clients.
    guard service != .null else { return }
    switch (kind, outcome) {
    case (.verification, .delivered): counts.count(.verificationDelivered)
    case (.messages, .delivered): counts.count(.delivered)
    case (.check, .delivered): counts.count(.checkDelivered)
    case (.verification, .invalidToken): counts.count(.verificationInvalidToken)
    case (.verification, _) where result == .done: counts.count(.verificationFailed)
    case (.messages, _) where result == .done: counts.count(.failed)
    case (.check, _) where result == .done: counts.count(.checkFailed)
    default: break
    }
  }

  /// Reports when a service fails and when it works again, once each.
  private func note(_ outcome: PushOutcome, of service: PushService) {
    switch outcome {
    case .serviceUnavailable(let reason):
      guard failing.insert(service).inserted, !isStopped else { return }
      report(
        "Pushes to \(service.rawValue) fail: \(reason); they are kept and repeated, and the next line about it says when"
          + " they succeed again")
    case .refused(let reason): report("A push to \(service.rawValue) was refused: \(reason)")
    case .delivered, .deviceBusy, .invalidToken:
      if failing.remove(service) != nil { report("Pushes to \(service.rawValue) succeed again") }
    }
  }
}
