import SimplexTesting
import SimpleXChat

/// Alice, who has mallory, a peer that sends anything, as a contact.
struct HostileContact {
  let world: TestWorld
  let alice: TestCore
  let mallory: HostilePeer

  /// Plays a story in a world of their own.
  /// - Parameter pq: whether mallory's connection has post-quantum keys.
  static func play(
    pq: Bool = true, options: @escaping (inout ChatOptions) -> Void = { _ in },
    _ body: (HostileContact) async throws -> Void
  ) async throws {
    try await TestWorld.with(options: options) { world in
      let alice = try await world.profile("alice")
      let mallory = try await HostilePeer(in: world)
      try await mallory.join(try await invitation(of: alice), info: HostilePeer.info("mallory"), pq: pq)
      _ = try await alice.event("contactConnected")
      try await mallory.connected()
      try await body(HostileContact(world: world, alice: alice, mallory: mallory))
      await mallory.close()
    }
  }

  /// The full link of a new invitation.
  static func invitation(of core: TestCore) async throws -> String {
    try await core.run("/_connect 1")["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
  }
}
