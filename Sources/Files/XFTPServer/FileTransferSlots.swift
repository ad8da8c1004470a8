import HTTP2Transport
import Synchronization

/// The chunks that a relay transfers at once. Each holds a few parts in memory and an open file for as long as its
/// client takes, so their number is limited: of one connection, and of all.
///
/// A transfer for which there is no room waits in a queue. While the limit is reached and others wait, transfers of
/// which less than 16 KB passed for some time are ended.
final class FileTransferSlots: Sendable {
  fileprivate struct Slot {
    let stream: HTTP2Stream
    let connection: ObjectIdentifier
    let began = ContinuousClock.now
    /// Whether everything has arrived, and only the disk is awaited.
    var isStoring = false
    /// Whether it was ended because it stalled.
    var isEnded = false
  }

  fileprivate struct Waiter {
    let number: Int
    let stream: HTTP2Stream
    let connection: ObjectIdentifier
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Int?, Never>
  }

  fileprivate struct State {
    var slots: [Int: Slot] = [:]
    /// In the order of their arrival, and so of their deadlines.
    var waiters: [Waiter] = []
    /// The numbers of transfers that run, and of those that wait, by connection.
    var running: [ObjectIdentifier: Int] = [:]
    var waiting: [ObjectIdentifier: Int] = [:]
    var last = 0
    /// Whether ``watch()`` is running.
    var isWatched = false
  }

  private let limit: Int
  private let perConnection: Int
  private let stall: Duration
  private let waitLimit: Duration
  private let state = Mutex(State())

  init(_ configuration: XFTPServerConfiguration) {
    limit = max(1, configuration.transferLimit)
    perConnection = max(1, configuration.transfersPerConnection)
    stall = configuration.transferStall
    // Long enough for those that stall to be ended.
    waitLimit = configuration.transferStall * 3
  }

  /// How many transfers run.
  var count: Int { state.withLock { $0.slots.count } }

  /// How many transfers wait.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  // MARK: Beginning and ending

  /// Waits for a slot for a transfer of a connection, to be released with ``end(_:)``; nil where none is free in
  /// time, too many wait, the stream ends before, or the task is cancelled.
  func begin(_ stream: HTTP2Stream, of connection: ObjectIdentifier) async -> Int? {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enter(
          Waiter(
            number: number, stream: stream, connection: connection, deadline: .now + waitLimit,
            continuation: continuation))
      }
    } onCancel: {
      giveUp(number)
    }
  }

  /// Refuses one that waits.
  private func giveUp(_ number: Int) {
    let waiter = state.withLock { $0.removeWaiter(number) }
    waiter?.continuation.resume(returning: nil)
  }

  private enum Entry { case begun, refused, waits(startsWatching: Bool) }

  private func enter(_ waiter: Waiter) {
    let entry = state.withLock { state -> Entry in
      // A cancellation before this found nothing to remove.
      if Task.isCancelled { return .refused }
      if hasRoom(state, for: waiter.connection) {
        state.begin(waiter)
        return .begun
      }
      guard state.waiters.count < limit, state.waiting[waiter.connection, default: 0] < perConnection else {
        return .refused
      }
      state.waiters.append(waiter)
      state.waiting[waiter.connection, default: 0] += 1
      defer { state.isWatched = true }
      return .waits(startsWatching: !state.isWatched)
    }
    switch entry {
    case .begun: waiter.continuation.resume(returning: waiter.number)
    case .refused: waiter.continuation.resume(returning: nil)
    case .waits(let startsWatching):
      waiter.stream.whenEnded { [weak self] in self?.giveUp(waiter.number) }
      if startsWatching { Task { await watch() } }
    }
  }

  private func hasRoom(_ state: State, for connection: ObjectIdentifier) -> Bool {
    state.slots.count < limit && state.running[connection, default: 0] < perConnection
  }

  /// Ends a transfer; those that wait longest take its place.
  func end(_ slot: Int) {
    let begun = state.withLock { state -> [Waiter] in
      guard let slot = state.slots.removeValue(forKey: slot) else { return [] }
      state.running.decrement(slot.connection)
      var begun: [Waiter] = []
      while let index = state.waiters.firstIndex(where: { hasRoom(state, for: $0.connection) }) {
        let next = state.removeWaiter(at: index)
        state.begin(next)
        begun.append(next)
      }
      return begun
    }
    for waiter in begun { waiter.continuation.resume(returning: waiter.number) }
  }

  // MARK: Those that wait

  /// Refuses those that have waited too long, and ends transfers that stall; returns when nobody waits.
  private func watch() async {
    while let next = state.withLock({ nextCheck(&$0) }) {
      try? await Task.sleep(until: next, clock: .continuous)
      let now = ContinuousClock.now
      let (late, stalled) = state.withLock { state in (state.removeLate(now), endStalled(&state, now)) }
      for waiter in late { waiter.continuation.resume(returning: nil) }
      for stream in stalled { stream.reset() }
    }
  }

  /// When somebody may be late or stalled; nil where nobody waits.
  private func nextCheck(_ state: inout State) -> ContinuousClock.Instant? {
    guard let first = state.waiters.first else {
      state.isWatched = false
      return nil
    }
    // Where there is room, it is for other connections, and may be taken meanwhile.
    let now = ContinuousClock.now
    let oldest = state.slots.values.lazy.filter(\.mayStall).map { $0.progress(now) }.min() ?? now
    return min(first.deadline, (state.slots.count < limit ? now : oldest) + stall)
  }

  private func endStalled(_ state: inout State, _ now: ContinuousClock.Instant) -> [HTTP2Stream] {
    guard !state.waiters.isEmpty, state.slots.count >= limit else { return [] }
    var stalled: [HTTP2Stream] = []
    for (number, slot) in state.slots where slot.mayStall && slot.progress(now) + stall <= now {
      state.slots[number]?.isEnded = true
      stalled.append(slot.stream)
    }
    return stalled
  }

  /// Notes that all of a chunk has arrived.
  func noteStoring(of slot: Int) { state.withLock { $0.slots[slot]?.isStoring = true } }
}

extension FileTransferSlots.Slot {
  fileprivate var mayStall: Bool { !isStoring && !isEnded }

  /// When bytes of it last passed, or it began.
  fileprivate func progress(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    max(began, now - stream.idleTime)
  }
}

extension FileTransferSlots.State {
  fileprivate mutating func begin(_ waiter: FileTransferSlots.Waiter) {
    slots[waiter.number] = FileTransferSlots.Slot(stream: waiter.stream, connection: waiter.connection)
    running[waiter.connection, default: 0] += 1
  }

  fileprivate mutating func removeWaiter(at index: Int) -> FileTransferSlots.Waiter {
    let waiter = waiters.remove(at: index)
    waiting.decrement(waiter.connection)
    return waiter
  }

  /// Removes a waiter, unless it has begun or was refused.
  fileprivate mutating func removeWaiter(_ number: Int) -> FileTransferSlots.Waiter? {
    waiters.firstIndex { $0.number == number }.map { removeWaiter(at: $0) }
  }

  fileprivate mutating func removeLate(_ now: ContinuousClock.Instant) -> [FileTransferSlots.Waiter] {
    var late: [FileTransferSlots.Waiter] = []
    while let first = waiters.first, first.deadline <= now { late.append(removeWaiter(at: 0)) }
    return late
  }
}

extension [ObjectIdentifier: Int] {
  fileprivate mutating func decrement(_ key: ObjectIdentifier) {
    let count = self[key, default: 1] - 1
    self[key] = count > 0 ? count : nil
  }
}
