import SQLiteKit
import Testing

@testable import SimplexSimulation

/// What power failures do to disks and agents of simulations.
@Suite struct PowerFailureTests {
  private func numbers(_ disk: SimulatedDisk) throws -> [Int64] {
    try disk.database.all("SELECT value FROM numbers ORDER BY value") { (row) throws(SQLiteError) in
      try row.integer(0)
    }
  }

  private func add(_ number: Int64, to disk: SimulatedDisk) throws {
    try disk.database.execute("INSERT INTO numbers VALUES (?)", number)
    try disk.committed()
  }

  @Test func whatWasSynchronizedStays() throws {
    var random = SimulationRandom(seed: 1)
    let disk = try SimulatedDisk(keepsImages: true)
    try disk.database.execute("CREATE TABLE numbers (value INTEGER NOT NULL)")
    try add(1, to: disk)
    try disk.database.synchronize()
    #expect(disk.stateCount == 1)
    try add(2, to: disk)
    try add(3, to: disk)
    try add(4, to: disk)
    #expect(disk.stateCount == 4)
    var lost: Set<Int> = []
    for _ in 0..<40 {
      let count = try disk.losePower(using: &random)
      lost.insert(count)
      #expect(try numbers(disk) == Array(1...(4 - Int64(count))))
      for number in (5 - Int64(count))..<5 where count > 0 { try add(number, to: disk) }
      if disk.stateCount == 1 { break }
    }
    #expect(!lost.isEmpty)
  }

  @Test func commitsAreAskedForAfterAPowerFailure() throws {
    var random = SimulationRandom(seed: 3)
    let disk = try SimulatedDisk(keepsImages: true)
    var mayCommit = true
    disk.allowsCommit = { mayCommit }
    try disk.database.execute("CREATE TABLE numbers (value INTEGER NOT NULL)")
    try disk.database.synchronize()
    var lost = 0
    while lost == 0 {
      try add(1, to: disk)
      lost = try disk.losePower(using: &random)
    }
    mayCommit = false
    #expect(throws: SQLiteError.self) { try disk.database.execute("INSERT INTO numbers VALUES (9)") }
    #expect(try numbers(disk).contains(9) == false)
  }

  /// Runs until a violation is found, or this number of seeds was played.
  private func firstViolation(seeds: UInt64, _ prepare: (Scenario) -> Void) throws -> (found: String?, lost: Int) {
    var lost = 0
    for seed in 0..<seeds {
      var plan = Scenario.Plan()
      plan.weather = .calm
      plan.weather?.crashPercent = 3
      plan.weather?.powerFailurePercent = 100
      plan.messages = 20...30
      let scenario = try Scenario(seed: seed, plan)
      prepare(scenario)
      let found = scenario.run().first
      lost += scenario.people.reduce(0) { $0 + $1.agent.lostCommitCount }
      if let found { return (found, lost) }
    }
    return (nil, lost)
  }

  @Test func commitsAreLostAndNothingElse() throws {
    let (found, lost) = try firstViolation(seeds: 10) { _ in }
    #expect(found == nil)
    #expect(lost > 0)
  }

  /// An agent that does what it wants before it is durable uses keys twice and loses messages, and that is noticed.
  @Test func effectsBeforeTheyAreDurableAreNoticed() throws {
    let (found, _) = try firstViolation(seeds: 20) { scenario in
      for person in scenario.people { person.agent.isHasty = true }
    }
    #expect(found != nil)
  }
}
