import HTTP2Transport
import Synchronization

/// The chunks that a relay transfers at once. Each holds a few parts in memory and an open file for as long as its
/// client takes, so their number is limited: of one connection, and of all.
///
/// A transfer for which there is no room waits. When there is no room for any, those whose clients take or send nothing
/// for some time are ended.
final class FileTransferSlots: Sendable {
  private struct Slot {
    let stream: HTTP2Stream
    let connection: ObjectIdentifier
    var progress: ContinuousClock.Instant
    /// The bytes since then.
    var passed = 0
    /// Whether everything has arrived, and only the disk is awaited.
    var isStoring = false
  }

  private struct State {
    var slots: [Int: Slot] = [:]
    /// The numbers of transfers that run, and of those that wait, by connection.
    var running: [ObjectIdentifier: Int] = [:]
    var waiting: [ObjectIdentifier: Int] = [:]
    var waitingCount = 0
    var last = 0
    var checked = ContinuousClock.now
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

  /// How often those that wait look for room.
  private static let interval = Duration.milliseconds(50)

  /// Waits for a slot for a transfer of a connection, to be released with ``end(_:)``; nil where none is free in
  /// time, or too many wait.
  func begin(_ stream: HTTP2Stream, of connection: ObjectIdentifier) async -> Int? {
    if let slot = take(stream, connection) { return slot }
    let mayWait = state.withLock { state in
      guard state.waitingCount < limit, state.waiting[connection, default: 0] < perConnection else { return false }
      state.waitingCount += 1
      state.waiting[connection, default: 0] += 1
      return true
    }
    guard mayWait else { return nil }
    defer {
      state.withLock { state in
        state.waitingCount -= 1
        state.waiting.decrement(connection)
      }
    }
    let end = ContinuousClock.now + waitLimit
    while ContinuousClock.now < end {
      do { try await Task.sleep(for: Self.interval) } catch { return nil }
      if let slot = take(stream, connection) { return slot }
    }
    return nil
  }

  private func take(_ stream: HTTP2Stream, _ connection: ObjectIdentifier) -> Int? {
    let now = ContinuousClock.now
    let (slot, stalled) = state.withLock { state -> (Int?, [HTTP2Stream]) in
      guard state.running[connection, default: 0] < perConnection else { return (nil, []) }
      guard state.slots.count < limit else {
        // All that wait call this; one of them checks for stalled ones.
        guard state.checked + Self.interval < now else { return (nil, []) }
        state.checked = now
        return (nil, state.slots.values.filter { !$0.isStoring && $0.progress + stall < now }.map(\.stream))
      }
      state.last += 1
      state.slots[state.last] = Slot(stream: stream, connection: connection, progress: now)
      state.running[connection, default: 0] += 1
      return (state.last, [])
    }
    for stream in stalled { stream.reset() }
    return slot
  }

  /// Fewer bytes are no progress.
  private static let step = 16 << 10

  /// Notes that bytes of a chunk have passed.
  func noteProgress(of slot: Int, _ bytes: Int) {
    let now = ContinuousClock.now
    state.withLock { state in
      guard var found = state.slots[slot] else { return }
      found.passed += bytes
      if found.passed >= Self.step { (found.passed, found.progress) = (0, now) }
      state.slots[slot] = found
    }
  }

  /// Notes that all of a chunk has arrived.
  func noteStoring(of slot: Int) { state.withLock { $0.slots[slot]?.isStoring = true } }

  /// Ends a transfer.
  func end(_ slot: Int) {
    state.withLock { state in
      guard let slot = state.slots.removeValue(forKey: slot) else { return }
      state.running.decrement(slot.connection)
    }
  }
}

extension [ObjectIdentifier: Int] {
  fileprivate mutating func decrement(_ key: ObjectIdentifier) {
    let count = self[key, default: 1] - 1
    self[key] = count > 0 ? count : nil
  }
}
