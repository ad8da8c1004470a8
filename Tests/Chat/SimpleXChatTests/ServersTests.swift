import ChatAPI
import SimplexTesting
import Synchronization
import Testing

@testable import SimpleXChat

/// The relays that the agent uses are those of the user, whatever happened before a start.
@Suite struct ServersTests {
  private static let nowhere = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@127.0.0.1:1"

  /// The servers that programs are started with; nil for the relay of the test.
  private final class Given: Sendable {
    let servers = Mutex<[String]?>(nil)
  }

  /// A new invitation, or why there is none.
  private func invitation(_ core: TestCore) async throws -> String {
    try await core.answer("/connect").jsonText()
  }

  /// Servers that a program is started with are used until it ends.
  @Test func ofAStart() async throws {
    let given = Given()
    try await TestWorld.with(options: { if let servers = given.servers.withLock({ $0 }) { $0.smpServers = servers } }) {
      world in
      _ = try await world.profile("alice")
      given.servers.withLock { $0 = [Self.nowhere] }
      let elsewhere = try await world.restart("alice")
      #expect(try await invitation(elsewhere).contains("BROKER"))
      given.servers.withLock { $0 = [] }
      let alice = try await world.restart("alice")
      #expect(try await invitation(alice).contains("connLinkInvitation"))
    }
  }

  /// A user who chooses other relays in a program that was started with some uses those until it ends.
  @Test func ofAUserSinceTheStart() async throws {
    let given = Given()
    try await TestWorld.with(options: { if let servers = given.servers.withLock({ $0 }) { $0.smpServers = servers } }) {
      world in
      _ = try await world.profile("alice")
      given.servers.withLock { $0 = [Self.nowhere] }
      var alice = try await world.restart("alice")
      #expect(try await invitation(alice).contains("BROKER"))
      // Something else is changed.
      _ = try await alice.run("/xftp xftp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@127.0.0.1:1")
      #expect(try await invitation(alice).contains("BROKER"))
      _ = try await alice.run("/smp \(Self.nowhere)")
      _ = try await alice.run("/smp \(world.server)")
      #expect(try await invitation(alice).contains("connLinkInvitation"))
      alice = try await world.restart("alice")
      #expect(try await invitation(alice).contains("BROKER"))
    }
  }

  /// A program that is killed or suspended before the agent has the user's new servers.
  @Test(arguments: [true, false]) func ofAChangeThatWasInterrupted(byAKill isKilled: Bool) async throws {
    let given = Given()
    try await TestWorld.with(options: { if let servers = given.servers.withLock({ $0 }) { $0.smpServers = servers } }) {
      world in
      _ = try await world.profile("alice")
      given.servers.withLock { $0 = [] }
      var alice = try await world.restart("alice")
      let controller = alice.controller
      let user = try controller.store.read { try $0.users() }[0]
      var groups = try controller.groupedServers(of: user)
      let index = try #require(groups.firstIndex { !$0.smpServers.isEmpty })
      var server = groups[index].smpServers[0]
      groups[index].smpServers[0].enabled = false
      (server.serverId, server.server) = (nil, Self.nowhere)
      groups[index].smpServers.append(server)
      let changed = groups[index]
      _ = try await controller.turn { try $0.rows.setServers(changed, of: user) }
      if isKilled {
        alice = try await world.kill("alice")
      } else {
        _ = try await alice.run("/_app suspend 0")
        _ = try await alice.run("/_app activate")
      }
      #expect(try await invitation(alice).contains("BROKER"))
    }
  }
}
