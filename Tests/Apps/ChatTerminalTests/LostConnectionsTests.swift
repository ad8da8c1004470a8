import ChatAPI
import Testing

@testable import ChatTerminal

/// The row about relays that are not connected.
@Suite struct LostConnectionsTests {
  @Test func aRowAsLongAsSomethingIsMissing() {
    var lost = LostConnections()
    func rows() -> [String] { lost.rows { "host \($0)" } }
    func shows(_ server: String, _ status: SubscriptionStatus, _ connections: [String]) -> Bool {
      lost.update(connections, of: server, to: status)
    }
    #expect(rows() == [])
    #expect(shows("b", .pending, ["1", "2"]) && shows("a", .pending, ["3"]) && shows("b", .pending, ["2"]))
    #expect(rows() == ["connecting to host a (1 connection), host b (2 connections)"])
    #expect(shows("b", .active, ["1"]))
    #expect(rows() == ["connecting to host a (1 connection), host b (1 connection)"])
    // Gone for another reason: that is a line of its own.
    #expect(!shows("b", .removed(subError: "AUTH"), ["2"]) && !shows("c", .noSub, ["9"]))
    #expect(shows("a", .active, ["4"]))
    #expect(rows() == ["connecting to host a (1 connection)"])
    lost.remove(["3", "5"])
    #expect(rows() == [])
  }
}
