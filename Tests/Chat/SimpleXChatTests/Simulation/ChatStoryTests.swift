import Foundation
import Testing

/// Chat cores in bad weather: nothing gets stuck, lost or doubled. `SIMPLEX_SEED=n` plays one seed, `SIMPLEX_SEED=n-m`
/// several, `SIMPLEX_SOAK=1` many.
@Suite struct ChatStoryTests {
  @Test func everythingArrivesOnceAndInOrder() async throws {
    try await play(sample: 16, soak: 600) { _ in .two }
  }

  /// Conversations over relays of which one is down for a while.
  @Test func alsoBetweenManyOverTwoRelays() async throws {
    try await play(sample: 5, soak: 200) { $0 % 2 == 0 ? .three : .four }
  }

  /// What a power failure leaves of the databases, which each go back on their own, is enough: what was answered is
  /// there, what was acknowledged to a relay too, and nothing is shown twice.
  @Test func alsoWherePowerFails() async throws {
    let lost = try await play(sample: 10, soak: 600) { _ in .two.losingPower }
    #expect(lost > 0, "nothing was ever lost")
  }

  @Test func alsoWherePowerFailsAmongMany() async throws {
    try await play(sample: 4, soak: 200) { $0 % 2 == 0 ? .three.losingPower : .four.losingPower }
  }

  /// Plays stories of many seeds.
  /// - Returns: the number of writes that power failures lost.
  @discardableResult
  private func play(
    sample: UInt64, soak: UInt64, _ cast: @escaping @Sendable (UInt64) -> ChatStory.Cast
  ) async throws -> Int {
    let environment = ProcessInfo.processInfo.environment
    var seeds: [UInt64] = Array(0..<(environment["SIMPLEX_SOAK"] == nil ? sample : soak))
    if let range = environment["SIMPLEX_SEED"]?.split(separator: "-").compactMap({ UInt64($0) }),
      let first = range.first, let last = range.last, first <= last
    {
      seeds = Array(first...last)
    }
    let (problems, lost) = await withTaskGroup(of: Result<Int, any Error>.self) { group in
      var (problems, lost): ([any Error], Int) = ([], 0)
      func take(_ result: Result<Int, any Error>?) {
        switch result {
        case .success(let count): lost += count
        case .failure(let error): problems.append(error)
        case nil: break
        }
      }
      for (number, seed) in seeds.enumerated() {
        // Most of the time is waiting, so several are played at once.
        if number >= 6 { take(await group.next()) }
        if problems.count >= 3 { break }
        group.addTask {
          do { return .success(try await ChatStory.play(cast(seed), seed: seed)) } catch { return .failure(error) }
        }
      }
      for await result in group { take(result) }
      return (problems, lost)
    }
    for problem in problems { Issue.record("\(problem)") }
    return lost
  }
}
