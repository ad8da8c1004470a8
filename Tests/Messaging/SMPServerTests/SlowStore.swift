import Dispatch
import Foundation
import QueueStore
import SMPServerCore
import SimplexTesting
import Synchronization

/// A store whose reads are answered late and in any order, with what was stored when they were submitted.
final class SlowStore: ForwardingStore {
  private struct State {
    var isHolding = false
    /// If set, reads are answered after random times.
    var chance: SeededGenerator?
    var held: [@Sendable () -> Void] = []
    var sizes: [Int] = []
    var inFlight = 0
    var mostInFlight = 0
    var fromCache = 0
  }

  let store: any RelayStore
  private let caches: Bool
  /// What it says that each read took.
  private let statedTime: Duration
  private let state = Mutex(State())
  private let answering = DispatchQueue(label: "SlowStore", attributes: .concurrent)

  /// A store that differs from another in the time of its reads, and caches nothing unless `caches`.
  init(_ store: any RelayStore, caches: Bool = false, statedTime: Duration = .zero) {
    self.store = store
    self.caches = caches
    self.statedTime = statedTime
  }

  /// Returns the largest number of reads that were in flight at once since it was last called.
  func takeMostInFlight() -> Int {
    state.withLock { state in
      defer { state.mostInFlight = 0 }
      return state.mostInFlight
    }
  }

  /// Returns the number of records that were found in memory since it was last called.
  func takeFoundInMemory() -> Int {
    state.withLock { state in
      defer { state.fromCache = 0 }
      return state.fromCache
    }
  }

  /// The number of reads that are not answered.
  var heldCount: Int { state.withLock { $0.held.count } }

  /// Forgets and returns the numbers of things that were read together since it was last called.
  func takeSizes() -> [Int] {
    state.withLock { state in
      defer { state.sizes = [] }
      return state.sizes
    }
  }

  /// Answers no further reads.
  func hold() { state.withLock { $0.isHolding = true } }

  /// From now on answers each read after a random time.
  func shuffle(seed: UInt64) { state.withLock { $0.chance = SeededGenerator(seed: seed) } }

  /// Answers the reads that were held, the last first, and all others at once.
  func release() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.isHolding = false
      return state.held
    }
    for answer in held.reversed() { answer() }
  }

  /// Answers the reads that are held now, and holds further ones.
  func releaseOnce() {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for answer in held { answer() }
  }

  /// Answers the read that was held last.
  func releaseLast() { state.withLock { $0.held.popLast() }?() }

  /// Waits until this many reads are held.
  func untilHeld(_ count: Int = 1) async throws {
    while heldCount < count { try await Task.sleep(for: .milliseconds(2)) }
  }

  func cached(_ key: QueueKey) -> QueueLookup? {
    guard caches, let found = store.cached(key) else { return nil }
    state.withLock { $0.fromCache += 1 }
    return found
  }

  func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    state.withLock { state in
      state.sizes.append(reads.count)
      state.inFlight += 1
      state.mostInFlight = max(state.mostInFlight, state.inFlight)
    }
    let complete = { @Sendable [self] (answers: [StoreAnswer]) in
      state.withLock { $0.inFlight -= 1 }
      completion(answers, statedTime)
    }
    store.read(reads) { [self] answers, _ in
      let delay = state.withLock { state -> Int? in
        if state.isHolding {
          state.held.append { complete(answers) }
          return nil
        }
        guard var chance = state.chance else { return 0 }
        defer { state.chance = chance }
        return Int.random(in: 0...3_000, using: &chance)
      }
      guard let delay else { return }
      guard delay > 0 else { return complete(answers) }
      answering.asyncAfter(deadline: .now() + .microseconds(delay)) { complete(answers) }
    }
  }
}
