import Foundation
import NotificationTesting
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

/// Push notifications with a controller of this process, a relay and a notification server.
@Suite struct PushTests {
  private func withServer(
    _ body: (TestWorld, LoopbackNotificationServer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "push-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await LoopbackNotificationServer.start(in: folder.path)
    let address = server.address.description
    do {
      try await TestWorld.with(options: { $0.notificationServers = [address] }) { try await body($0, server) }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func verified(_ core: TestCore, _ server: LoopbackNotificationServer) async throws {
    _ = try await core.run("/_ntf register apns_test 0a1b INSTANT")
    let push = try await server.nextPush()
    let code = Base64URL.string(push.verification ?? [])
    _ = try await core.run("/_ntf verify apns_test 0a1b \(Base64URL.string(push.nonce.bytes)) \(code)")
    // The interval of periodic pushes follows in the background.
    while await server.change({ $0.tokens.values.first?.interval }) != 20 {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func wait(_ server: LoopbackNotificationServer, forSubscriptions count: Int) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      let found = await server.change { $0.subscriptions.count }
      if found == count { return }
      guard ContinuousClock.now < end else {
        throw Unexpected(description: "\(found) subscriptions, expected: \(count)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test(.timeLimit(.minutes(2))) func mutedAndDeletedChatsAreNotPushed() async throws {
    try await withServer { world, server in
      let (alice, bob) = try await world.connected("alice", "bob")
      try await verified(alice, server)
      try await wait(server, forSubscriptions: 1)
      let contact = try #require(
        try await alice.run("/_contacts 1")["contacts"]?.arrayValue?
          .first { $0["localDisplayName"]?.stringValue == "bob" }?["contactId"]?.integerValue)
      _ = try await alice.run(#"/_settings @\#(contact) {"enableNtfs":"none","favorite":false}"#)
      try await wait(server, forSubscriptions: 0)
      _ = try await alice.run(#"/_settings @\#(contact) {"enableNtfs":"all","favorite":false}"#)
      try await wait(server, forSubscriptions: 1)
      // What another user creates is pushed, too: the token is that of the device.
      _ = try await alice.run("/create user alisa")
      _ = try await alice.run("/connect")
      try await wait(server, forSubscriptions: 2)
      _ = try await alice.run("/_user 1")
      _ = try await alice.run("/_delete @\(contact) full notify=off")
      try await wait(server, forSubscriptions: 1)
      _ = bob
    }
  }

  /// What the app is told where its server forgot it, and that nothing else is needed but the code.
  @Test(.timeLimit(.minutes(2))) func aForgottenTokenComesBack() async throws {
    try await withServer { world, server in
      let alice = try await world.profile("alice")
      try await verified(alice, server)
      await server.change { $0.forgetAll() }
      let answer = try await alice.answer("/_ntf check apns_test 0a1b")
      #expect(answer["agentError"]?["type"]?.stringValue == "NTF", "\(answer.jsonText())")
      #expect(answer["agentError"]?["ntfErr"]?["type"]?.stringValue == "AUTH")
      let push = try await server.nextPush()
      // The push may be there before the answer of the server.
      while try await alice.answer("/_ntf get")["status"]?.stringValue != "REGISTERED" {
        try await Task.sleep(for: .milliseconds(5))
      }
      let code = Base64URL.string(push.verification ?? [])
      _ = try await alice.run("/_ntf verify apns_test 0a1b \(Base64URL.string(push.nonce.bytes)) \(code)")
      #expect(try await alice.run("/_ntf get")["status"]?.stringValue == "ACTIVE")
    }
  }

  @Test(.timeLimit(.minutes(2))) func commandsThatCannotBeCarriedOut() async throws {
    try await withServer { world, server in
      let alice = try await world.profile("alice")
      func problem(_ command: String) async throws -> String? {
        let answer = try await alice.answer(command)
        return answer["agentError"]?["cmdErr"]?["type"]?.stringValue ?? answer["errorType"]?["type"]?.stringValue
      }
      for command in [
        "/_ntf get", "/_ntf check apns_test 0a1b", "/_ntf delete apns_test 0a1b",
        "/_ntf verify apns_test 0a1b AQID BAUG",
      ] {
        let found = try await problem(command)
        #expect(found == "PROHIBITED" || found == "commandError", "\(command): \(found ?? "")")
      }
      try await verified(alice, server)
      #expect(try await problem("/_ntf check apns_test ffff") == "PROHIBITED")
      let nonce = Base64URL.string([UInt8](repeating: 1, count: 24))
      let broken = try await alice.answer("/_ntf conns \(nonce) \(Base64URL.string([UInt8](repeating: 9, count: 100)))")
      #expect(broken["type"]?.stringValue == "errorAgent")
      let messages = try await alice.run("/_ntf conn messages AQID:1:2024-11-01T10:00:00Z")
      #expect(messages["receivedMsgs"]?.arrayValue?.first?["type"]?.stringValue == "error")
      // The server is tested over a connection of its own.
      let tested = try await alice.run("/_server test 1 \(server.address)")
      #expect(tested["type"]?.stringValue == "serverTestResult" && tested["testFailure"] == nil)
      await server.change { $0.failures["TNEW"] = [.relay(.AUTH)] }
      let failed = try await alice.run("/_server test 1 \(server.address)")
      #expect(failed["testFailure"]?["testStep"]?.stringValue == "createNtfToken")
    }
  }
}
