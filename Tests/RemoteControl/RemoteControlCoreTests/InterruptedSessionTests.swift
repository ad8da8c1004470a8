import RemoteControlCore
import RemoteControlProtocol
import SimplexTesting
import Testing

/// Whichever device is killed after whatever effect: as soon as the controller has stored the host, the next session
/// works without another link.
@Suite struct InterruptedSessionTests {
  /// The most effects of a device in a session.
  private static let effects = 14

  @Test func undisturbed() {
    var world = World(seed: 1)
    for _ in 0..<3 {
      world.play()
      let seen = world.seen
      #expect(seen == ["phone connected", "desk connected"])
      let isComplete = world.isComplete
      #expect(isComplete)
      let desk = world.deskRecord
      #expect(desk?.host?.pendingKey == nil)
      let phones = world.phoneRecords.values
      #expect(phones.count == 1 && phones.allSatisfy { $0.isComplete && $0.pendingKey == nil })
    }
  }

  @Test(arguments: [true, false], 0..<effects)
  func killed(isPhone: Bool, life: Int) {
    for sessions in 0..<3 {
      var world = World(seed: UInt64(life))
      for _ in 0..<sessions { world.play() }
      if isPhone { world.phoneLife = life } else { world.deskLife = life }
      world.play()
      let isStored = world.deskRecord?.host != nil
      #expect(isStored || sessions == 0)
      world.play()
      let isComplete = world.isComplete
      #expect(isComplete, "\(sessions) sessions before: \(world.seen)")
    }
  }

  @Test(arguments: 0..<effects)
  func aHostKilledTwice(life: Int) {
    for second in 0..<Self.effects {
      var world = World(seed: UInt64(life))
      world.phoneLife = life
      world.play()
      world.phoneLife = second
      world.play()
      world.play()
      let isComplete = world.isComplete
      #expect(isComplete, "then after \(second) effects: \(world.seen)")
    }
  }

  /// The controller announces for the former key, too, until the host has answered.
  @Test(arguments: 0..<effects)
  func aKnownHostOfTheReference(life: Int) {
    var world = World(seed: UInt64(life))
    world.isReference = true
    for _ in 0..<2 { world.play() }
    world.phoneLife = life
    world.play()
    world.play()
    let isComplete = world.isComplete
    #expect(isComplete, "\(world.seen)")
  }

  @Test(arguments: propertySeeds(40))
  func killedAgainAndAgain(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var world = World(seed: seed)
    for _ in 0..<12 {
      if Bool.random(using: &generator) { world.phoneLife = Int.random(in: 0..<Self.effects, using: &generator) }
      if Bool.random(using: &generator) { world.deskLife = Int.random(in: 0..<Self.effects, using: &generator) }
      world.play()
    }
    world.play()
    let isComplete = world.isComplete
    #expect(isComplete, "\(world.seen)")
    let phones = world.phoneRecords.values
    #expect(phones.allSatisfy { $0.announcementKeys.count <= 3 })
  }
}
