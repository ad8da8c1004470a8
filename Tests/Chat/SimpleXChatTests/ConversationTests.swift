import ChatAPI
import ChatStore
import Foundation
import SimpleXChat
import SimplexJSON
import Testing

private let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="

@Suite struct ConversationTests {
  @Test func manyMessagesKeepTheirOrder() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let count = 60
      for number in 0..<count { _ = try await alice.run("@bob message \(number)") }
      for number in 0..<count { #expect(try await bob.message() == "message \(number)") }
    }
  }

  /// Programs that are restarted at any time continue, and nothing is lost or duplicated.
  @Test func restartsLoseNothing() async throws {
    try await TestWorld.with { world in
      var (alice, bob) = try await world.connected("alice", "bob")
      for round in 0..<3 {
        _ = try await alice.run("@bob before \(round)")
        bob = try await world.restart("bob")
        _ = try await alice.run("@bob after \(round)")
        alice = try await world.restart("alice")
      }
      // Some came to controllers that were closed before anybody asked them.
      let expected = (0..<3).flatMap { ["before \($0)", "after \($0)"] }
      var texts: [String] = []
      let end = ContinuousClock.now + .seconds(20)
      while texts != expected, .now < end {
        let chat = try await bob.run("/tail @alice 100")
        texts = (chat["chatItems"]?.arrayValue ?? [])
          .compactMap { $0["chatItem"]?["meta"]?["itemText"]?.stringValue }
          .filter { $0.hasPrefix("before") || $0.hasPrefix("after") }
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(texts == expected)
    }
  }

  /// Servers that could not be connected to are refused before anything is created.
  @Test(
    arguments: [
      "foo", "smp://foo@localhost", "smp://@localhost", "xftp://\(fingerprint)@localhost", "smp://\(fingerprint)",
      "smp://\(fingerprint)@localhost,localhost", "smp://1234-w==@localhost",
    ])
  func serversThatCannotBeUsed(_ server: String) async throws {
    try await TestWorld.with { world in
      var options = world.options("alice")
      options.smpServers = ["smp://\(fingerprint)@localhost:5223", server]
      do throws(ChatOpeningError) {
        _ = try await ChatController.open(options)
        Issue.record("opened with \(server)")
      } catch {
        #expect(error.invalidServers == [server])
        #expect("\(error)" == "not addresses of servers: \(server)")
        #expect(error.result.text.hasSuffix("(no address of a server: \(server))"))
      }
      #expect(!FileManager.default.fileExists(atPath: options.chatDatabase))
    }
  }

  @Test func reasonsOfDatabasesAreDescribed() {
    let error = ChatOpeningError(.errorNotADatabase(dbFile: "alice_chat.db"))
    #expect("\(error)" == "alice_chat.db: the passphrase is wrong, or it is not a database")
  }

  @Test func databasesHaveKeys() async throws {
    try await TestWorld.with { world in
      let alice = try await world.profile("alice", key: "secret")
      await alice.controller.finish()
      for key in ["wrong", ""] {
        do throws(ChatOpeningError) {
          _ = try await ChatController.open(world.options("alice", key: key))
          Issue.record("opened with the key \(key)")
        } catch {
          #expect(error.result == .errorNotADatabase(dbFile: world.options("alice").agentDatabase))
        }
      }
      let again = TestCore("alice", try await ChatController.open(world.options("alice", key: "secret")))
      #expect(try await again.run("/u")["user"]?["localDisplayName"]?.stringValue == "alice")
      // One that is started keeps its databases.
      _ = try await again.run("/_start")
      do throws(ChatOpeningError) {
        _ = try await ChatController.open(world.options("alice", key: "secret"))
        Issue.record("opened twice")
      } catch {
        guard case .errorSQL = error.result else {
          Issue.record("another error: \(error.result)")
          return
        }
      }
      _ = try await again.run("/_stop")
      let change = #"/_db encryption {"currentKey":"secret","newKey":"better"}"#
      #expect(try await again.answer(change)["type"]?.stringValue == "cmdOk")
      await again.controller.finish()
      let reopened = TestCore("alice", try await ChatController.open(world.options("alice", key: "better")))
      #expect(try await reopened.run("/u")["user"]?["localDisplayName"]?.stringValue == "alice")
      await reopened.controller.finish()
    }
  }

  /// What peers and people send is an error at worst.
  @Test func hostileInputIsAnError() async throws {
    try await TestWorld.with { world in
      let (alice, bob) = try await world.connected("alice", "bob")
      let long = String(repeating: "word ", count: 4_000)
      let answer = try await alice.answer("@bob \(long)")
      #expect(["newChatItems", "errorStore"].contains(answer["type"]?.stringValue))
      for command in [
        "", " ", "/", "/_send", "/_get chat @999 count=10", "/_get chat @1 count=-1", "/_delete item @1 99 internal",
        "/_update item @1 77 json {}", "/_accept 1", "/_connect plan 1 simplex:/contact#/?v=1", "/_read chat @99",
        "/_verify code @99", "@nobody hello", "/_create *99 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"x\"}}]",
        "/_get items count=9223372036854775807", "/last_item_id 9223372036854775807",
      ] {
        _ = try await alice.answer(command)
      }
      _ = try await alice.run("@bob still here")
      #expect(
        try await bob.event("newChatItems") {
          $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == "still here"
        }["type"] != nil)
    }
  }
}
