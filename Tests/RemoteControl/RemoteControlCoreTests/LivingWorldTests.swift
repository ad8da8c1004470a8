import SimplexTesting
import Testing

/// Devices that lose each other and are killed again and again are connected in the end, without another link.
@Suite struct LivingWorldTests {
  /// The longest pause between bursts of announcements is ten minutes; a session that was cut is noticed within 35
  /// seconds.
  private static let quiet: Int64 = 25 * 60_000

  @Test(arguments: propertySeeds(24))
  func connectedInTheEnd(seed: UInt64) {
    var world = LivingWorld(seed: seed, disturbances: 12)
    world.run(quiet: Self.quiet)
    let (isConnected, sessions) = (world.isConnected, world.sessions)
    #expect(isConnected, "after \(sessions) sessions")
  }

  /// A key that is stored after HELLO makes a pairing deaf: the simulation finds it.
  @Test func aKeyThatIsStoredTooLateIsFound() {
    var deaf = 0
    for seed: UInt64 in 1...60 where deaf == 0 {
      var world = LivingWorld(seed: seed, disturbances: 12, mutant: .keyStoredAfterHello)
      world.run(quiet: Self.quiet)
      if world.isPaired, !world.isConnected { deaf += 1 }
    }
    #expect(deaf > 0)
  }
}
