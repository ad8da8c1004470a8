import DiskSimulation
import Foundation
import SMPServerCore
import SQLiteKit
import SimplexTesting
import Testing

@testable import QueueStore

/// The store with power failures and failing system calls, see ``PowerFailureStory``.
///
/// `SIMPLEX_SEED=N` replays one story, `SIMPLEX_SOAK=1` runs thousands.
@Suite struct StorePowerFailureTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] == "1"

  @Test(arguments: [false, true]) func nothingAnsweredIsLostByPowerFailures(faults: Bool) {
    for seed in propertySeeds(Self.isSoak ? 3_000 : 16) {
      // Every cut of some stories, and some of all; by the seed alone, which has to repeat it.
      let options = PowerFailureStory.Options(cutProbability: seed % 16 == 0 ? 1 : 0.15, hasFaults: faults)
      do { try PowerFailureStory(seed: seed, options).run() } catch {
        Issue.record("\(error); SWIFT_DETERMINISTIC_HASHING=1 SIMPLEX_SEED=\(seed) repeats it")
      }
    }
  }

  /// Some services are used by queues, some are not, and those are removed in the stories.
  @Test func servicesAreRemovedInTheStories() throws {
    let removed = try (UInt64(0)..<4).map { seed in
      let story = PowerFailureStory(seed: seed, PowerFailureStory.Options(cutProbability: 0))
      try story.run()
      return story.removedServiceCount
    }
    #expect(removed.reduce(0, +) > 0)
  }

  /// One story again and again, each time with another call that fails, in every way.
  @Test(arguments: SimulatedDisk.Fault.allCases) func everyCallMayFail(fault: SimulatedDisk.Fault) throws {
    for seed in Self.isSoak ? 0..<20 : UInt64(0)..<1 {
      var options = PowerFailureStory.Options(steps: 25, cutProbability: Self.isSoak ? 0.1 : 0.02)
      let story = PowerFailureStory(seed: seed, options)
      try story.run()
      for call in stride(from: 1, through: story.callCount, by: Self.isSoak ? 1 : 23) {
        options.plan = SimulatedDisk.FaultPlan(first: call, count: 1, fault: fault)
        do { try PowerFailureStory(seed: seed, options).run() } catch {
          Issue.record("\(error); seed \(seed), call \(call)")
        }
      }
    }
  }

  /// A flush fails, and the program is killed and started: what it finds may be in the system's memory alone. What it
  /// then answers is durable nevertheless.
  @Test(arguments: [false, true]) func whatFollowsAFailedFlushAndARestartIsDurable(inDatabase: Bool) throws {
    var random = SeededGenerator(seed: 1)
    for call in 1...12 {
      let disk = SimulatedDisk()
      var machine = try StoreMachine(disk, journalLimit: 1 << 20)
      _ = machine.commit([.createQueue(queue(1), nil)])
      let number = try #require(try machine.number(ofQueue: 1))
      disk.plan = SimulatedDisk.FaultPlan(first: disk.callCount + call, count: 1, fault: .inputOutput)
      _ = machine.commit([inDatabase ? .createQueue(queue(2), nil) : .addMessage(number, message(1), quota: 9)])
      let next = disk.killed()
      machine = try StoreMachine(next, journalLimit: 1 << 20)
      #expect(machine.commit([.addMessage(number, message(2), quota: 9)]).allSatisfy { (try? $0.get()) != nil })
      #expect(machine.commit([.createQueue(queue(3), nil)]).allSatisfy { (try? $0.get()) != nil })
      for _ in 0..<20 {
        let left = SimulatedDisk(files: next.contentAfterPowerFailure(&random))
        let found = try StoreMachine(left, journalLimit: 1 << 20).state()
        #expect(found.queues[1]?.messages.contains { $0.number == 2 } == true, "call \(call)")
        #expect(found.queues[3] != nil, "call \(call)")
      }
    }
  }

  /// A flush of the log fails, the program is killed, and the power fails during the next start: what the log has in
  /// the page cache alone must not be in the database file before it is durable.
  @Test func thePowerMayFailDuringAStartAfterAFailedFlush() throws {
    var random = SeededGenerator(seed: 5)
    for call in 1...30 {
      let disk = SimulatedDisk()
      // The commit that fails begins the log anew.
      var machine = try StoreMachine(disk, journalLimit: 1 << 20, checkpointPages: 1)
      _ = machine.commit([.createQueue(queue(1), nil)])
      disk.plan = SimulatedDisk.FaultPlan(first: disk.callCount + call, count: 10_000, fault: .inputOutput)
      _ = machine.commit((2...9).map { .createQueue(queue($0), nil) })
      let next = disk.killed()
      var images: [[String: [UInt8]]] = []
      next.afterChange = { for _ in 0..<10 { images.append(next.contentAfterPowerFailure(&random)) } }
      _ = try StoreMachine(next, journalLimit: 1 << 20)
      next.afterChange = nil
      for image in images {
        let found = try StoreMachine(SimulatedDisk(files: image), journalLimit: 1 << 20)
        #expect(try found.state().queues[1] != nil, "call \(call)")
        try found.checkIntegrity()
      }
    }
  }

  /// A commit fails together and is repeated in parts, of which one finds nothing to do and succeeds. What the failed
  /// commit had written to the journal must not come back after that.
  @Test(arguments: SimulatedDisk.Fault.allCases) func whatFailedTogetherDoesNotChangeWhatSucceedsAlone(
    fault: SimulatedDisk.Fault
  ) throws {
    var random = SeededGenerator(seed: 2)
    var checked = 0
    for (call, count) in (1...8).flatMap({ call in [1, 2, 3, 4, 10_000].map { (call, $0) } }) {
      let disk = SimulatedDisk()
      var machine = try StoreMachine(disk, journalLimit: 1 << 20)
      _ = machine.commit([.createQueue(queue(1), nil)])
      let number = try #require(try machine.number(ofQueue: 1))
      _ = machine.commit((1...2).map { .addMessage(number, message($0), quota: 9) })
      disk.plan = SimulatedDisk.FaultPlan(first: disk.callCount + call, count: count, fault: fault)
      let acknowledgements = (1...2).map { StoreOperation.acknowledge(number, messageID: id($0, 3), readsNext: false) }
      let outcomes = machine.commit([.createQueue(queue(2), nil)] + acknowledgements)
      guard case .success(.acknowledged(nil, _)) = outcomes.last else { continue }
      checked += 1
      for _ in 0..<10 {
        let left = SimulatedDisk(files: disk.contentAfterPowerFailure(&random))
        let found = try StoreMachine(left, journalLimit: 1 << 20).state()
        #expect(found.queues[1]?.messages.contains { $0.number == 2 } == true, "call \(call), \(count) times")
      }
    }
    // On a full disk no acknowledgement is answered this way.
    #expect(checked > 0 || fault != .inputOutput)
  }

  /// What a failed commit had written to the journal does not come back after a stop and a start either.
  @Test func whatFailedDoesNotComeBackAfterAStop() throws {
    var random = SeededGenerator(seed: 4)
    let disk = SimulatedDisk()
    var machine = try StoreMachine(disk, journalLimit: 1 << 20)
    _ = machine.commit([.createQueue(queue(1), nil)])
    let number = try #require(try machine.number(ofQueue: 1))
    _ = machine.commit([.addMessage(number, message(1), quota: 9)])
    // The journal is written and flushed; the transaction is not, and the piece cannot be taken back.
    disk.plan = SimulatedDisk.FaultPlan(first: disk.callCount + 3, count: 10_000, fault: .noSpace)
    _ = machine.commit([.acknowledge(number, messageID: id(1, 3), readsNext: false), .createQueue(queue(2), nil)])
    disk.plan = nil
    machine.stop()
    let next = try StoreMachine(disk, journalLimit: 1 << 20)
    #expect(try next.state().queues[1]?.messages.map(\.number) == [1])
    for _ in 0..<50 {
      let left = SimulatedDisk(files: disk.contentAfterPowerFailure(&random))
      let found = try StoreMachine(left, journalLimit: 1 << 20).state()
      #expect(found.queues[1]?.messages.map(\.number) == [1])
    }
  }

  /// The flush of a piece fails, and so does that of its removal; the program is killed and started. The piece does not
  /// come back when the power fails then, although the system's memory did not show it at the start.
  @Test(arguments: [0, 1]) func aPieceThatAStartDidNotFindDoesNotComeBack(before: Int) throws {
    var random = SeededGenerator(seed: 3)
    let records = (1...2).map { JournalRecord.added(QueueNumber(1), position: Int64($0), message($0)) }
    func journal(_ disk: SimulatedDisk) throws -> (MessageJournal, found: [JournalRecord]) {
      var found: [JournalRecord] = []
      let file = try SimulatedJournal(disk, name: "journal")
      let journal = try MessageJournal(file, applied: 0) { (record) throws(SQLiteError) in found.append(record) }
      return (journal, found)
    }
    let disk = SimulatedDisk()
    let (first, _) = try journal(disk)
    for record in records.prefix(before) {
      first.add(record)
      try first.commit()
    }
    first.add(records[1])
    for _ in 0..<2 {
      disk.plan = SimulatedDisk.FaultPlan(first: disk.callCount + 2, count: 1, fault: .inputOutput)
      #expect(throws: SQLiteError.self) { try first.commit() }
      first.forgetRecords()
    }
    let next = disk.killed()
    let (second, found) = try journal(next)
    #expect(found == Array(records.prefix(before)))
    try second.commit()
    for _ in 0..<50 {
      let left = SimulatedDisk(files: next.contentAfterPowerFailure(&random))
      #expect(try journal(left).found == found)
    }
  }

  /// The stories find out that a disk loses what it said was flushed.
  @Test func aDiskThatIgnoresFlushesIsFound() {
    let options = PowerFailureStory.Options(cutProbability: 0.5, ignoresFlushes: true)
    let findings = (UInt64(0)..<5).count { seed in
      do { try PowerFailureStory(seed: seed, options).run() } catch { return true }
      return false
    }
    #expect(findings == 5)
  }
}
