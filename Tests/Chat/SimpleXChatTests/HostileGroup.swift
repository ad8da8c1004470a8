import Foundation
import SimpleXChat
import SimplexJSON
import SimplexTesting
import Testing

/// A group of alice with bob, which mallory, a peer that sends anything, joined by its link.
struct HostileGroup {
  let alice: TestCore
  let bob: TestCore
  let mallory: HostilePeer
  /// The group, a database id of alice's.
  let group: Int64
  private let all: TestWorld

  /// Plays a story in a group.
  /// - Parameters:
  ///   - review: whether moderators admit members.
  ///   - role: what mallory joins as.
  static func play(
    review: Bool = false, role: String, preferences: String? = nil,
    options: @escaping (inout ChatOptions) -> Void = { _ in }, _ body: (HostileGroup) async throws -> Void
  ) async throws {
    try await TestWorld.with(options: options) { world in
      let alice = try await world.profile("alice")
      let admission = review ? #","memberAdmission":{"review":"all"}"# : ""
      let features = preferences.map { #","groupPreferences":\#($0)"# } ?? ""
      let created = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""\#(admission)\#(features)}"#)
      let group = try #require(created["groupInfo"]?["groupId"]?.integerValue)
      let bob = try await invite("bob", as: "member", by: alice, in: world)
      let link = try await alice.run("/_create link #\(group) \(role)")
      let mallory = try await HostilePeer(in: world)
      try await mallory.join(
        link["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue ?? "",
        info: Array(
          #"{"v":"1-16","event":"x.contact","params":{"profile":{"displayName":"mallory","fullName":""}}}"#.utf8))
      try await mallory.allow(info: String(decoding: HostilePeer.info("mallory"), as: UTF8.self))
      _ = try await alice.event("joinedGroupMember")
      try await mallory.connected()
      try await body(HostileGroup(alice: alice, bob: bob, mallory: mallory, group: group, all: world))
      await mallory.close()
    }
  }

  /// Makes a profile that is a contact of alice's and joins her group.
  private static func invite(
    _ name: String, as role: String, by alice: TestCore, in world: TestWorld
  ) async throws -> TestCore {
    let core = try await world.profile(name)
    let invitation = try await alice.run("/_connect 1")
    _ = try await core.run("/c \(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? "")")
    _ = try await alice.event("contactConnected")
    _ = try await core.event("contactConnected")
    _ = try await alice.run("/a team \(name) \(role)")
    _ = try await core.event("receivedGroupInvitation")
    _ = try await core.run("/j team")
    _ = try await alice.event("joinedGroupMember")
    return core
  }

  /// Adds a member, who is connected with bob and not with mallory.
  func add(_ name: String, as role: String) async throws -> TestCore {
    let core = try await Self.invite(name, as: role, by: alice, in: all)
    _ = try await bob.event("connectedToGroupMember")
    _ = try await core.event("connectedToGroupMember")
    return core
  }

  /// An event as a message.
  static func message(_ event: String, _ params: String, id: String? = nil) -> String {
    #"{"v":"1-16","msgId":"\#(id ?? Self.id())","event":"\#(event)","params":\#(params)}"#
  }

  /// The parameters of a message of bob's that an admin forwards.
  static func forwarded(_ message: String, of bob: String) -> String {
    #"{"memberId":"\#(bob)","memberName":"bob","msg":\#(message),"msgTs":"2024-01-01T00:00:00.000Z"}"#
  }

  /// A random identifier of a message or member.
  static func id() -> String {
    Data((0..<12).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_")
  }

  /// The content of a text message.
  static func text(_ text: String, in member: String? = nil) -> String {
    let scope = member.map { #","scope":{"type":"member","memberId":"\#($0)"}"# } ?? ""
    return #"{"content":{"type":"text","text":"\#(text)"}\#(scope)}"#
  }

  /// A member of the group as alice has it.
  func member(_ name: String) async throws -> JSONValue {
    let members = try await alice.run("/_members #\(group)")["group"]?["members"]?.arrayValue
    return try #require(members?.first { $0["memberProfile"]?["displayName"]?.stringValue == name })
  }

  /// The identifier of a member in the group.
  func id(_ name: String) async throws -> String { try await member(name)["memberId"]?.stringValue ?? "" }

  /// Sends an event that is refused for a reason.
  func refused(_ event: String, _ params: String, because reason: String) async throws {
    try await mallory.send(Self.message(event, params))
    _ = try await alice.event("messageError") { $0["errorMessage"]?.stringValue == reason }
  }

  /// Sends a message and waits until alice has it.
  func say(_ text: String, in member: String? = nil, id: String? = nil) async throws {
    try await mallory.send(Self.message("x.msg.new", Self.text(text, in: member), id: id))
    _ = try await alice.event("newChatItems") {
      $0["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue == text
    }
  }

  /// The texts of a part of the group's chat.
  func texts(_ part: String = "") async throws -> [String] {
    let chat = try await alice.run("/_get chat #\(group)\(part) count=50")
    return (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap { $0["meta"]?["itemText"]?.stringValue }
  }

  /// Gives mallory a role.
  func promote(to role: String) async throws {
    let id = try await member("mallory")["groupMemberId"]?.integerValue ?? 0
    _ = try await alice.run("/_member role #\(group) \(id) \(role)")
  }
}
