import Foundation
import SimpleXChat
import SimplexTesting
import Testing

/// Every event and message of the agent is handled twice: each scenario goes as it is written, and the databases hold
/// in the end what they hold when each comes once. Work about members is divided into as many turns as it can be, too.
/// `SIMPLEX_SCENARIO=name.chat` plays one alone.
///
/// Some scenarios let things happen at the same time, such as a first message and the connection being established. So
/// a difference counts if three attempts show one: what a repeated event changes, it changes each time.
@Suite struct RepeatedEventsTests {
  @Test(arguments: Scenario.all.map(\.name)) func changeNothing(_ file: String) async throws {
    try await play(file, relays: 1)
  }

  /// The queues of each connection are at two relays. `make test` plays the scenarios in which this has made a
  /// difference, and five others at random; `SIMPLEX_SOAK=1` plays all.
  @Test(arguments: Scenario.all.map(\.name)) func changeNothingOverTwoRelays(_ file: String) async throws {
    let environment = ProcessInfo.processInfo.environment
    let isAsked = environment["SIMPLEX_SOAK"] != nil || environment["SIMPLEX_SCENARIO"] != nil
    guard isAsked || Self.sample.contains(file) else { return }
    try await play(file, relays: 2)
  }

  private static let sample = Set(
    ["address.chat", "asking-again.chat", "requests.chat"] + Scenario.all.map(\.name).shuffled().prefix(5))

  private func play(_ file: String, relays: Int) async throws {
    if let only = ProcessInfo.processInfo.environment["SIMPLEX_SCENARIO"], only != file { return }
    let scenario = try #require(Scenario.all.first { $0.name == file })
    var differences: [String] = []
    while differences.count < 3 {
      guard let difference = try await Self.differences(scenario.text, relays, files: Scenario.hasFiles(file)) else {
        return
      }
      differences.append(difference)
    }
    Issue.record("\(file), \(relays) relays, when events come twice:\n\(differences.joined(separator: "\n\n"))")
  }

  /// What is different when events come twice.
  private static func differences(_ scenario: String, _ relays: Int, files: Bool) async throws -> String? {
    var differences: String?
    let networks = (try MemoryNetwork(relays: relays), try MemoryNetwork(relays: relays))
    try await TestWorld.with(network: networks.0, files: files) { once in
      try await TestWorld.with(
        network: networks.1, files: files,
        options: { options in
          options.repeatsEvents = true
          options.membersPerTurn = 1
        }
      ) { twice in
        // Otherwise removals race with receipts.
        (once.settles, twice.settles) = (true, true)
        try await Scenario(scenario).run(in: once)
        try await Scenario(scenario).run(in: twice)
        differences = try await StoredState.differences {
          try await StoredState(of: twice.cores)
        } _: {
          try await StoredState(of: once.cores)
        }
      }
    }
    return differences
  }
}
