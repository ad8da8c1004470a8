import Foundation
import SimplexSimulation
import Testing

/// Whole agents and relays in bad weather. `SIMPLEX_SEED=n` replays one seed, with `SIMPLEX_TRACE=1` every step of it;
/// `SIMPLEX_SEED=n-m` replays several, and `SIMPLEX_SOAK=1` runs 33,000 instead of a few hundred. Dictionaries have to
/// be deterministic for a replay: `SWIFT_DETERMINISTIC_HASHING=1`, which `make` sets.
@Suite struct ScenarioTests {
  @Test func peopleConnectAndTalkInCalmWeather() throws {
    var plan = Scenario.Plan()
    plan.weather = .calm
    try run(plan, name: "calm", seeds: 20)
  }

  @Test func peopleConnectAndTalkInBadWeather() throws {
    try run(Scenario.Plan(), name: "weather", seeds: 100)
  }

  @Test func queuesAreReplacedMeanwhile() throws {
    var plan = Scenario.Plan()
    plan.rotatesQueues = true
    try run(plan, name: "rotation", seeds: 50)
  }

  @Test func ratchetsAreAgreedAnewMeanwhile() throws {
    var plan = Scenario.Plan()
    plan.synchronizesRatchets = true
    try run(plan, name: "ratchet", seeds: 50)
  }

  @Test func queuesAreReplacedAndRatchetsAgreedAnewMeanwhile() throws {
    var plan = Scenario.Plan()
    plan.rotatesQueues = true
    plan.synchronizesRatchets = true
    try run(plan, name: "both", seeds: 30)
  }

  @Test func queuesAreReplacedAndKeptAfterAll() throws {
    var plan = Scenario.Plan()
    plan.abortsRotation = true
    plan.rotatesQueues = true
    try run(plan, name: "abort", seeds: 40)
  }

  @Test func relaysDeleteWhatWaitsForLong() throws {
    var plan = Scenario.Plan()
    plan.expiresMessages = true
    try run(plan, name: "expiry", seeds: 40)
  }

  private func run(_ plan: Scenario.Plan, name: String, seeds: UInt64) throws {
    let environment = ProcessInfo.processInfo.environment
    if let only = environment["SIMPLEX_SCENARIO"], only != name { return }
    let isTraced = environment["SIMPLEX_TRACE"] != nil
    var all: [UInt64] = Array(0..<seeds)
    if environment["SIMPLEX_SOAK"] != nil { all = Array(0..<(seeds * 100)) }
    if let range = environment["SIMPLEX_SEED"]?.split(separator: "-").compactMap({ UInt64($0) }),
      let first = range.first, let last = range.last, first <= last
    {
      all = Array(first...last)
    }
    var failures = 0
    for seed in all {
      let scenario = try Scenario(seed: seed, plan)
      if isTraced { scenario.world.trace = { print($0) } }
      let violations = scenario.run()
      if violations.isEmpty { continue }
      failures += 1
      Issue.record(
        "SIMPLEX_SEED=\(seed) SIMPLEX_SCENARIO=\(name): \(violations.joined(separator: "\n"))")
      if failures == 5 { break }
    }
  }
}
