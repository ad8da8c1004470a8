import Dispatch
import SQLiteKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct GroupCommitTests {
  private final class Batches: Sendable {
    private let state = Mutex<[[Int]]>([])

    var all: [[Int]] { state.withLock { $0 } }

    func add(_ batch: [Int]) { state.withLock { $0.append(batch) } }

    /// Waits for this number of batches.
    func first(_ count: Int) async throws -> [[Int]] {
      while all.count < count { try await Task.sleep(for: .milliseconds(2)) }
      return all
    }
  }

  /// They go into the batch of the next request, or into that of the end.
  @Test func requestsThatNobodyWaitsForStartNoBatch() async throws {
    let batches = Batches()
    let commit = GroupCommit<Int>(label: "test", unawaitedDelay: .seconds(3_600)) { batches.add($0) }
    for number in [1, 2] { #expect(commit.submit(number, isAwaited: false)) }
    #expect(batches.all == [])
    #expect(commit.submit(3))
    #expect(try await batches.first(1) == [[1, 2, 3]])
    #expect(commit.submit(4, isAwaited: false))
    await commit.close {}
    #expect(batches.all == [[1, 2, 3], [4]])
    #expect(!commit.submit(5, isAwaited: false))
  }

  @Test func requestsThatNobodyWaitsForAreHandledAfterADelay() async throws {
    let batches = Batches()
    let commit = GroupCommit<Int>(label: "test", unawaitedDelay: .milliseconds(1)) { batches.add($0) }
    for number in 1...3 {
      #expect(commit.submit(number, isAwaited: false))
      #expect(try await batches.first(number).last == [number])
    }
    await commit.close {}
  }

  /// Other work is done between batches, also while requests wait, and also without any.
  @Test func workIsDoneBetweenBatches() async throws {
    let batches = Batches()
    let (begun, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let commit = GroupCommit<Int>(label: "test") { batch in
      if batch == [0] {
        begun.signal()
        held.wait()
      }
      batches.add(batch)
    }
    #expect(commit.submit(0))
    while begun.wait(timeout: .now()) == .timedOut { try await Task.sleep(for: .milliseconds(2)) }
    #expect(commit.submit(1))
    #expect(commit.perform { batches.add([-1]) })
    #expect(batches.all == [])
    held.signal()
    #expect(try await batches.first(3) == [[0], [-1], [1]])
    #expect(commit.perform { batches.add([-2]) })
    #expect(try await batches.first(4).last == [-2])
    await commit.close {}
    #expect(!commit.perform { batches.add([-3]) })
    #expect(batches.all.count == 4)
  }

  /// Who may be overtaken waits while others come, and nobody waits for many of them.
  @Test func fewRequestsThatMayBeOvertakenAreInABatch() async throws {
    let batches = Batches()
    let (begun, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let commit = GroupCommit<Int>(label: "test") { batch in
      if batch == [0] {
        begun.signal()
        held.wait()
      }
      batches.add(batch)
    }
    #expect(commit.submit(0))
    while begun.wait(timeout: .now()) == .timedOut { try await Task.sleep(for: .milliseconds(2)) }
    for number in 1...1_000 { #expect(commit.submit(number, mayBeOvertaken: true)) }
    #expect(commit.submit(2_000))
    held.signal()
    await commit.close {}
    let all = batches.all
    #expect(all[1] == [2_000] + Array(1...32) && all[2] == Array(33...64))
    // Alone they are handled in larger batches.
    #expect(all.flatMap { $0 }.filter { $0 < 2_000 } == Array(0...1_000) && all.map(\.count).max() ?? 0 > 32 + 1)
  }
}
