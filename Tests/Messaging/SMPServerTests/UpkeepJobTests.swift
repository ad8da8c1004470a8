import RelayChassis
import Synchronization
import Testing

@Suite struct UpkeepJobTests {
  private final class Runs: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    func count(of name: String) -> Int { names.withLock { $0.count { $0 == name } } }
  }

  /// One that takes for ever delays no other, and all end with the relay.
  @Test func jobsDoNotWaitForEachOther() async throws {
    let runs = Runs()
    let jobs = [
      UpkeepJob(every: .milliseconds(1)) { runs.add("often") },
      UpkeepJob(every: .seconds(3_600), atStart: true) {
        runs.add("endless")
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
      },
      UpkeepJob(every: .seconds(3_600), atStart: true) { runs.add("at start") },
      UpkeepJob(every: .seconds(3_600)) { runs.add("later") },
    ]
    let upkeep = Task { await UpkeepJob.run(jobs) }
    while runs.count(of: "often") < 3 || runs.count(of: "endless") < 1 || runs.count(of: "at start") < 1 {
      try await Task.sleep(for: .milliseconds(1))
    }
    upkeep.cancel()
    await upkeep.value
    #expect(runs.count(of: "at start") == 1 && runs.count(of: "later") == 0)
  }
}
