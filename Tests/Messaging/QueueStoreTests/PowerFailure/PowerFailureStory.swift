import DiskSimulation
import SMPServerCore
import SQLiteKit
import SimplexTesting

@testable import QueueStore

/// A store that is used, loses its power, and is refused calls by its disk, as its seed says; the store in memory is
/// the oracle.
///
/// While the store is open its outcomes equal those of the oracle. After a power failure, which may come after any
/// write, flush or change of a size, it starts, and what it has is what the oracle had, except that each operation that
/// was not answered, or was answered as failed, may have taken effect (``StoreState/check(after:maybe:_:)``).
final class PowerFailureStory {
  struct Options {
    var steps = 60
    /// How many of the cuts are tried.
    var cutProbability: Double
    /// Whether calls fail now and then.
    var hasFaults = false
    /// The calls that fail, if they are chosen beforehand.
    var plan: SimulatedDisk.FaultPlan?
    /// A disk that loses what it said was flushed.
    var ignoresFlushes = false
  }

  private let options: Options
  private var random: SeededGenerator
  private let journalLimit: Int
  private let checkpointPages: Int32
  private var disk = SimulatedDisk()
  private var machine: StoreMachine?
  /// What the store has as far as it was answered.
  private var model = MemoryQueues()
  /// The numbers of queues in the model and in the store, by those of the story.
  private var numbers: [Int: (model: QueueNumber, store: QueueNumber)] = [:]
  /// The failed actions since the last power failure.
  private var doubts: [StoreAction] = []
  private var messages: [Int: QueuedMessage] = [:]
  private var nextQueue = 1
  private var clock: Int64 = 1_000
  /// What power failures during this step leave.
  private var images: [(files: [String: [UInt8]], call: Int)] = []
  /// The number of calls at the end.
  private(set) var callCount = 0
  /// How many power failures were tried.
  private(set) var failureCount = 0
  /// How many services were removed.
  private(set) var removedServiceCount = 0

  init(seed: UInt64, _ options: Options) {
    self.options = options
    random = SeededGenerator(seed: seed)
    journalLimit = [0, 20_000, 200_000].randomElement(using: &random) ?? 0
    checkpointPages = [8, 60, 4_000].randomElement(using: &random) ?? 8
  }

  func run() throws {
    disk.ignoresFlushes = options.ignoresFlushes
    disk.plan = options.plan
    try start()
    for _ in 0..<options.steps {
      clock += Int64.random(in: 0...3, using: &random)
      planFaults()
      switch Int.random(in: 0..<40, using: &random) {
      case 0: try restart()
      case 1: try losePower()
      case 2: try kill()
      default: try commit(batch())
      }
    }
    disk.plan = nil
    callCount = disk.callCount
    try losePower()
    try restart()
  }

  private func planFaults() {
    guard options.hasFaults else { return }
    if disk.plan != nil {
      if Int.random(in: 0..<3, using: &random) == 0 { disk.plan = nil }
    } else if Int.random(in: 0..<10, using: &random) == 0,
      let fault = SimulatedDisk.Fault.allCases.randomElement(
        using: &random)
    {
      disk.plan = SimulatedDisk.FaultPlan(
        first: disk.callCount + Int.random(in: 1...12, using: &random),
        count: [1, 1, 2, 10_000].randomElement(using: &random) ?? 1, fault: fault)
    }
  }

  // MARK: Commits

  private func batch() -> [StoreAction] {
    var preview = model
    return (0..<Int.random(in: 1...5, using: &random)).map { _ in
      let action = action(preview)
      if let operation = operation(action, \.model) { _ = preview.apply(operation) }
      return action
    }
  }

  private func action(_ preview: MemoryQueues) -> StoreAction {
    let queues = numbers.keys.sorted()
    guard queues.count >= 2, let queue = queues.randomElement(using: &random) else { return newQueue() }
    switch Int.random(in: 0..<36, using: &random) {
    case 32, 33: return .register(.random(using: &random))
    case 34: return .removeServices(before: Int64.random(in: 1...30, using: &random), except: [])
    case 35:
      return .removeServices(before: 30, except: [StoryService.random(using: &random).id])
    case 0 where queues.count < 6: return newQueue()
    case 1: return .delete(queue: queue)
    case 2, 3: return .expireAll(before: clock - Int64.random(in: 0...30, using: &random))
    case 4, 5: return .expire(queue: queue, before: clock - Int64.random(in: 0...30, using: &random))
    case 6: return .touch(queue: queue, day: Int64.random(in: 1...1_000, using: &random))
    case 22, 23, 24, 25: return .change(queue: queue, .random(using: &random))
    case 7, 8, 9:
      return .add(
        queue: queue, message: newMessage(), expiry: clock - Int64.random(in: 0...20, using: &random))
    case 10..<22: return .add(queue: queue, message: newMessage(), expiry: nil)
    default:
      let number = numbers[queue]?.model
      let first = number.flatMap { preview.queues[$0]?.messages.first }
      return .acknowledge(queue: queue, message: first?.number)
    }
  }

  private func newQueue() -> StoreAction {
    defer { nextQueue += 1 }
    return .create(queue: nextQueue)
  }

  private func newMessage() -> Int {
    let number = messages.count + 1
    let size = [0, 50, 50, 300, 300, 300, 3_000, 3_000, 16_000].randomElement(using: &random) ?? 50
    messages[number] = message(number, at: clock, size: size)
    return number
  }

  /// The operation with the numbers of the model or the store; nil where there is no such queue.
  private func operation(
    _ action: StoreAction, _ number: KeyPath<(model: QueueNumber, store: QueueNumber), QueueNumber>
  ) -> StoreOperation? {
    if case .create(let index) = action { return .createQueue(queue(index), nil) }
    if case .expireAll(let time) = action {
      return .expireMessages(before: time, after: QueueNumber(0), limit: 1_000)
    }
    if case .register(let service) = action { return .registerService(service.registration) }
    if case .removeServices(let day, let kept) = action {
      return .removeServices(before: day, after: [], limit: 1_000, except: kept)
    }
    guard let index = action.queue, let queue = numbers[index]?[keyPath: number] else { return nil }
    switch action {
    case .create, .expireAll, .register, .removeServices: return nil
    case .delete: return .deleteQueue(queue)
    case .add(_, let message, let expiry):
      return messages[message].map { .addMessage(queue, $0, quota: 4, expiry: expiry) }
    case .acknowledge(_, let message):
      return .acknowledge(queue, messageID: message.map { id($0, 3) } ?? [], readsNext: true)
    case .expire(_, let time): return .expireMessagesOfQueue(queue, before: time)
    case .touch(_, let day): return .touch(queue, day: day)
    case .change(_, let change): return change.operation(on: queue)
    }
  }

  private func commit(_ batch: [StoreAction]) throws {
    let before = expected()
    let doubtsBefore = doubts
    watch()
    let outcomes = machine?.commit(batch.compactMap { operation($0, \.store) }) ?? []
    disk.afterChange = nil
    guard outcomes.count == batch.count else { throw Violation("\(outcomes.count) outcomes of \(batch.count)") }
    for (action, outcome) in zip(batch, outcomes) { try answered(action, outcome) }
    // What failed took no effect, for those who read either.
    if disk.plan == nil, Int.random(in: 0..<4, using: &random) == 0, let found = try machine?.state() {
      try found.check(after: expected(), maybe: []) { messages[$0] }
    }
    for image in images { _ = try recover(image, before, doubtsBefore + batch) }
    images = []
  }

  private func answered(_ action: StoreAction, _ outcome: Result<StoreOutcome, StoreFailure>) throws {
    guard let operation = operation(action, \.model) else { return }
    guard case .success(let outcome) = outcome else {
      guard disk.hasFailed else { throw Violation("\(action) fails without a fault: \(outcome)") }
      doubts.append(action)
      return
    }
    let expected = model.apply(operation)
    switch (outcome, expected) {
    case (.created(let store), .created(let own)):
      if case .create(let index) = action { numbers[index] = (own, store) }
    case (.deleted(let record, let count), .deleted(let own, let ownCount)):
      let records = [record, own].map { StoreState.Queue($0, nil, []).record }
      guard records[0] == records[1], count == ownCount else {
        throw Violation("\(action) is answered \(outcome), not \(expected)")
      }
      if case .delete(let index) = action { numbers[index] = nil }
    default:
      guard Self.isSame(outcome, expected) else {
        throw Violation("\(action) is answered \(outcome), not \(expected)")
      }
      if case .servicesRemoved(let count, _) = outcome { removedServiceCount += count }
    }
  }

  private static func isSame(_ outcome: StoreOutcome, _ expected: StoreOutcome) -> Bool {
    guard case .acknowledged(let removed, let next) = outcome,
      case .acknowledged(let expectedRemoved, let expectedNext) = expected
    else { return outcome == expected }
    guard removed == expectedRemoved else { return false }
    return if let next, let expectedNext { next.isSame(as: expectedNext) } else { next == nil && expectedNext == nil }
  }

  /// What the model has.
  private func expected() -> StoreState {
    var state = StoreState()
    for (index, number) in numbers {
      guard let queue = model.queues[number.model] else { continue }
      state.queues[index] = StoreState.Queue(queue.record, queue.link, queue.messages)
    }
    for (hash, service) in model.services { state.services[hash] = StoryService(service.record, service.usedDay) }
    return state
  }

  // MARK: Power failures

  /// Remembers what power failures during what follows leave.
  private func watch() {
    disk.hasFailed = false
    disk.afterChange = { [unowned self] in
      guard Double.random(in: 0..<1, using: &random) < options.cutProbability else { return }
      images.append((disk.contentAfterPowerFailure(&random), disk.callCount))
    }
  }

  /// Opens what a power failure left, and gives what is there.
  private func recover(
    _ image: (files: [String: [UInt8]], call: Int), _ before: StoreState, _ maybe: [StoreAction]
  ) throws -> StoreState {
    failureCount += 1
    do {
      var copy = try StoreMachine(SimulatedDisk(files: image.files), journalLimit: journalLimit)
      let found = try copy.state()
      try found.check(after: before, maybe: maybe) { messages[$0] }
      guard Int.random(in: 0..<3, using: &random) == 0 else { return found }
      let received = try copy.drain(1..<nextQueue)
      let isSame = found.queues.allSatisfy { index, queue in
        received[index]?.elementsEqual(queue.messages) { $0.isSame(as: $1) } == true
      }
      guard isSame else { throw Violation("other messages are received") }
      try copy.checkIntegrity()
      let disk = copy.disk
      copy.stop()
      let reopened = try StoreMachine(disk, journalLimit: journalLimit)
      guard try reopened.state().queues.values.allSatisfy(\.messages.isEmpty) else {
        throw Violation("acknowledged messages came back")
      }
      return found
    } catch {
      throw Violation("after a power failure at call \(image.call): \(error)")
    }
  }

  /// The power fails between two commits, and the store goes on with what is left.
  private func losePower() throws {
    let files = disk.contentAfterPowerFailure(&random)
    let found = try recover((files, disk.callCount), expected(), doubts)
    machine = nil
    disk = SimulatedDisk(files: files)
    adopt(found)
    try start()
  }

  /// The program is killed; what it wrote stays, also what the disk refused to flush.
  private func kill() throws {
    disk = disk.killed()
    machine = nil
    try start()
  }

  private func restart() throws {
    watch()
    let before = expected()
    if let machine = machine.take() { machine.stop() }
    disk.afterChange = nil
    for image in images { _ = try recover(image, before, doubts) }
    images = []
    try start()
  }

  /// Starts the store; where the disk refuses that, once more without faults.
  private func start() throws {
    let before = expected()
    watch()
    do { machine = try StoreMachine(disk, journalLimit: journalLimit, checkpointPages: checkpointPages) } catch {
      guard disk.hasFailed else { throw Violation("the store does not start: \(error)") }
      disk.plan = nil
      machine = try StoreMachine(disk, journalLimit: journalLimit, checkpointPages: checkpointPages)
    }
    disk.afterChange = nil
    for image in images { _ = try recover(image, before, doubts) }
    images = []
    // The faults are for the store, not for looking at it.
    let plan = disk.plan
    disk.plan = nil
    defer { disk.plan = plan }
    guard let found = try machine?.state() else { return }
    try found.check(after: before, maybe: doubts) { messages[$0] }
    adopt(found)
    for index in numbers.keys {
      guard let number = try machine?.number(ofQueue: index) else { throw Violation("queue \(index) is not found") }
      numbers[index]?.store = number
    }
  }

  /// Continues with what was found. Messages are not added as by senders: one can follow the mark of a full queue. It
  /// was accepted when the others had expired, but the power failed before the removal of these was committed.
  private func adopt(_ found: StoreState) {
    model = MemoryQueues()
    numbers = [:]
    doubts = []
    for (index, queue) in found.queues.sorted(by: { $0.key < $1.key }) {
      guard case .created(let number) = model.apply(.createQueue(queue.record, queue.link)) else { continue }
      model.queues[number]?.messages = queue.messages
      numbers[index] = (number, number)
    }
    for service in found.services.values {
      // The second one records the last use.
      for registration in service.registrations { _ = model.apply(.registerService(registration)) }
    }
  }
}
