import Foundation
import NotificationTesting
import SimplexFFI
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

/// A controller of the C library, with the events that were not waited for yet.
private final class CCore: @unchecked Sendable {
  // A handle is a number, which C passes as a pointer.
  private let pointer: UnsafeMutableRawPointer?
  private var events: [JSONValue] = []

  init(_ prefix: String) throws {
    var pointer: UnsafeMutableRawPointer?
    let text = try taken(chatMigrateInitKey(prefix, "", 1, "yesUp", 0, &pointer))
    guard try JSONValue(jsonText: text)["type"]?.stringValue == "ok" else { throw Unexpected(description: text) }
    self.pointer = pointer
  }

  private static func onThread<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: call)) }
    }
  }

  /// The answer to a command, error or not.
  func send(_ command: String) async throws -> JSONValue {
    let answer = try await Self.onThread { try JSONValue(jsonText: try taken(chatSendCmd(self.pointer, command))) }
    return answer["result"] ?? answer["error"] ?? answer
  }

  /// The answer of this type.
  func run(_ command: String, _ type: String) async throws -> JSONValue {
    let answer = try await send(command)
    guard answer["type"]?.stringValue == type else {
      throw Unexpected(description: "\(command): \(answer.jsonText())")
    }
    return answer
  }

  /// The first event of this type that was not waited for yet.
  func event(_ type: String) async throws -> JSONValue {
    if let index = events.firstIndex(where: { $0["type"]?.stringValue == type }) { return events.remove(at: index) }
    let end = ContinuousClock.now + .seconds(60)
    while .now < end {
      let text = try await Self.onThread { try taken(chatRecvMsgWait(self.pointer, 1_000_000)) }
      if text.isEmpty { continue }
      let value = try JSONValue(jsonText: text)
      let event = value["result"] ?? value["error"] ?? value
      if event["type"]?.stringValue == type { return event }
      events.append(event)
    }
    throw Unexpected(description: "no \(type) among \(events.map { $0["type"]?.stringValue ?? "?" })")
  }

  /// Whether an event of this type came.
  func has(_ type: String) -> Bool { events.contains { $0["type"]?.stringValue == type } }

  func close() async throws { _ = try await Self.onThread { try taken(chatCloseStore(self.pointer)) } }
}

/// Push notifications as an app for iOS and its extension use them, over real connections.
@Suite(.serialized) struct PushTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func withServers(_ body: (LoopbackNotificationServer) async throws -> Void) async throws {
    for name in ["relay", "ntf"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    let relay = try await LocalRelay.start(folder.file("relay"))
    let server = try await LoopbackNotificationServer.start(in: folder.file("ntf"))
    setenv("SIMPLEX_SMP_SERVERS", relay.address, 1)
    setenv("SIMPLEX_NTF_SERVERS", server.address.description, 1)
    defer { for name in ["SIMPLEX_SMP_SERVERS", "SIMPLEX_NTF_SERVERS"] { unsetenv(name) } }
    do { try await body(server) } catch {
      await server.stop()
      await relay.stop()
      throw error
    }
    await server.stop()
    await relay.stop()
  }

  private func text(_ bytes: [UInt8]?) throws -> String { Base64URL.string(try #require(bytes)) }

  private func count(_ value: JSONValue?) -> Int { value?.arrayValue?.count ?? 0 }

  @Test(.timeLimit(.minutes(3))) func aPushWakesTheExtension() async throws {
    try await withServers { server in
      let alice = try CCore(folder.file("alice"))
      let bob = try CCore(folder.file("bob"))
      for (core, name) in [(alice, "alice"), (bob, "bob")] {
        _ = try await core.run("/create user \(name)", "activeUser")
        _ = try await core.run("/_start main=on", "chatStarted")
      }
      let invitation = try await alice.run("/connect", "invitation")
      let link = invitation["connLinkInvitation"]?["connFullLink"]?.stringValue ?? ""
      _ = try await bob.run("/connect \(link)", "sentConfirmation")
      let bobID = try await alice.event("contactConnected")["contact"]?["contactId"]?.jsonText() ?? ""
      let aliceID = try await bob.event("contactConnected")["contact"]?["contactId"]?.jsonText() ?? ""
      // The app registers the device; the code comes as a push.
      #expect(try await alice.send("/_ntf get")["agentError"]?["type"]?.stringValue == "CMD")
      let token = "apns_test 0a1b2c"
      let registered = try await alice.run("/_ntf register \(token) INSTANT", "ntfTokenStatus")
      #expect(registered["status"]?.stringValue == "REGISTERED")
      let code = try await server.nextPush()
      let (nonce, box) = (Base64URL.string(code.nonce.bytes), try text(code.verification))
      _ = try await alice.run("/_ntf verify \(token) \(nonce) \(box)", "cmdOk")
      #expect(try await alice.run("/_ntf check \(token)", "ntfTokenStatus")["status"]?.stringValue == "ACTIVE")
      let got = try await alice.run("/_ntf get", "ntfToken")
      #expect(got["status"]?.stringValue == "ACTIVE" && got["ntfMode"]?.stringValue == "INSTANT")
      #expect(got["token"]?["pushProvider"]?.stringValue == "apns_test")
      #expect(got["ntfServer"]?.stringValue == server.address.description)
      while await server.change({ $0.subscriptions.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
      try await alice.close()
      // A message comes while the app is closed, and the extension gets it.
      _ = try await bob.run(
        #"/_send @\#(aliceID) json [{"msgContent":{"type":"text","text":"hello"},"mentions":{}}]"#, "newChatItems")
      let push = try await server.nextPush()
      let woken = try CCore(folder.file("alice"))
      _ = try await woken.run("/_start main=off", "chatStarted")
      let connections = try await woken.run(
        "/_ntf conns \(Base64URL.string(push.nonce.bytes)) \(try text(push.message))", "ntfConns")
      let connection = try #require(connections["ntfConns"]?.arrayValue?.last)
      #expect(connection["connEntity"]?["type"]?.stringValue == "rcvDirectMsgConnection")
      let time = connection["expectedMsg_"]?["msgTs"]?.stringValue ?? ""
      let queue = try #require(connection["agentDbQueueId"]).jsonText()
      let id = connection["agentConnId"]?.stringValue ?? ""
      let messages = try await woken.run("/_ntf conn messages \(id):\(queue):\(time)", "connNtfMessages")
      let received = try #require(messages["receivedMsgs"]?.arrayValue?.first)
      let expected = connection["expectedMsg_"]?["msgId"]?.stringValue
      #expect(received["ntfMsgInfo"]?["msgId"]?.stringValue == expected && expected != nil)
      let items = try await woken.event("newChatItems")
      #expect(items.jsonText().contains(#""text":"hello""#))
      let handled = try await woken.event("ntfMessage")
      #expect(handled["ntfMessage"]?["msgId"]?.stringValue == expected)
      #expect(!woken.has("newChatItems"))
      // The same push again: nothing is fetched twice.
      let again = try await woken.run("/_ntf conn messages \(id):\(queue):\(time)", "connNtfMessages")
      #expect(again["receivedMsgs"]?.arrayValue?.first?["ntfMsgInfo"] == nil)
      try await woken.close()
      // The app has the message once; without a token nothing is pushed any more.
      let app = try CCore(folder.file("alice"))
      _ = try await app.run("/_start main=on", "chatStarted")
      let chat = try await app.run("/_get chat @\(bobID) count=10", "apiChat").jsonText()
      #expect(chat.components(separatedBy: #""itemText":"hello""#).count == 2)
      _ = try await app.run("/_ntf delete \(token)", "cmdOk")
      while await server.change({ !$0.tokens.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
      #expect(try await app.send("/_ntf get")["agentError"]?["type"]?.stringValue == "CMD")
      try await app.close()
      try await bob.close()
    }
  }
}
