import ChatAPI
import ChatProtocol
import Foundation
import SimplexJSON
import SimplexTesting
import Testing

/// Bob joined a channel by its link.
struct Subscription {
  let bob: TestCore
  let channel: TestChannel
  let group: Int64

  var relay: TestChannelRelay { channel.relays[0] }

  /// Sends elements by a relay, and waits until they are handled.
  func handled(_ elements: [UInt8]..., by number: Int = 0) async throws {
    let mark = "mark \(UInt32.random(in: 0 ... .max))"
    for element in elements { try await channel.relays[number].send(element) }
    try await channel.relays[number].send(try channel.post(.msgNew(MsgContainer(content: .text(mark)))))
    _ = try await bob.event("newChatItems") { Self.itemText($0) == mark }
  }

  static func itemText(_ event: JSONValue) -> String? {
    event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue
  }

  /// The items of the chat that are messages, without marks: the direction, the author, and the text.
  func messages() async throws -> [String] {
    let chat = try await bob.run("/_get chat #\(group) count=100")
    return (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { item in
      guard item["content"]?["type"]?.stringValue == "rcvMsgContent" else { return nil }
      let text = item["meta"]?["itemText"]?.stringValue ?? ""
      let author = item["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue
      return text.hasPrefix("mark ") ? nil : "\(author ?? item["chatDir"]?["type"]?.stringValue ?? "?"): \(text)"
    }
  }

  func members() async throws -> [String: JSONValue] {
    let members = try await bob.run("/_members #\(group)")["group"]?["members"]?.arrayValue ?? []
    var named: [String: JSONValue] = [:]
    for member in members { named[member["memberId"]?.stringValue ?? ""] = member }
    return named
  }

  /// Plays a story after bob joined a channel.
  static func play(
    relays count: Int = 1, description: String? = nil, _ body: (Subscription) async throws -> Void
  ) async throws {
    try await TestWorld.with { world in
      let channel = try await TestChannel(in: world, relays: count, description: description)
      let bob = try await world.profile("bob")
      let started = try await bob.run("/c \(channel.link)")
      let group = try #require(started["groupInfo"]?["groupId"]?.integerValue)
      for relay in channel.relays { try await relay.accept(in: channel) }
      for relay in channel.relays {
        _ = try await bob.event("userJoinedGroup")
        try await relay.connected()
      }
      try await body(Subscription(bob: bob, channel: channel, group: group))
      await channel.close()
    }
  }
}
