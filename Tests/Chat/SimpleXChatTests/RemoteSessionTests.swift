import ChatAPI
import Foundation
@testable import RemoteControl
import SMPProtocol
import SimplexTransport
import Testing

@testable import SimpleXChat

/// A desktop uses the profile of a phone; both are controllers of this process, connected over loopback.
@Suite struct RemoteSessionTests {
  private struct Pair {
    let world: TestWorld
    let desktop: TestCore
    let phone: TestCore

    var folder: String { world.folder.path }

    /// Pairs both, with a session in the end.
    func connect() async throws {
      let started = try await desktop.run("/start remote host new addr=127.0.0.1 iface=lo")
      let link = try #require(started["invitation"]?.stringValue)
      _ = try await phone.run("/connect remote ctrl \(link)")
      let code = try #require(try await phone.event("remoteCtrlSessionCode")["sessionCode"]?.stringValue)
      _ = try await phone.run("/verify remote ctrl \(code)")
      _ = try await desktop.event("remoteHostConnected")
    }

    func send(_ text: String) async -> APIResult<ChatResponse> {
      await desktop.controller.sendText(text, toRemoteHost: 1)
    }
  }

  private static func withPair(_ body: @escaping (Pair) async throws -> Void) async throws {
    try await TestWorld.with { world in
      let desktop = try await world.profile("desktop")
      let phone = try await world.profile("phone")
      for (name, core) in [("desktop", desktop), ("phone", phone)] {
        _ = try await core.run("/_files_folder \(world.folder.path)/\(name)-files")
        _ = try await core.run("/_temp_folder \(world.folder.path)/\(name)-temporary")
      }
      _ = try await desktop.run("/remote_hosts_folder \(world.folder.path)/hosts")
      try await body(Pair(world: world, desktop: desktop, phone: phone))
    }
  }

  @Test func commandsAreCarriedOutByThePhone() async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      guard case .result(.response0(.activeUser(let user))) = await pair.send("/u") else {
        Issue.record("no user")
        return
      }
      #expect(user.localDisplayName == "phone")
      guard case .error(.errorRemoteHost(.id(1), .localCommand)) = await pair.send("/_stop") else {
        Issue.record("a local command was passed on")
        return
      }
      // Passed on, and refused by the phone.
      #expect(await pair.send("/db test key x").jsonText().contains("not permitted from a desktop"))
      #expect(await pair.send("/nonsense").jsonText().contains("unknown command"))
      let missing = await pair.desktop.controller.sendText("/u", toRemoteHost: 2)
      guard case .error(.errorRemoteHost(.id(2), .missing)) = missing else {
        Issue.record("\(missing)")
        return
      }
    }
  }

  @Test func eventsGoToTheDesktop() async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      let everything = pair.phone.controller.eventQueue.observer()
      pair.phone.controller.emit(.timedAction(action: "something", durationMilliseconds: 1))
      while let output = await pair.desktop.controller.eventQueue.nextOfAnyDevice(within: .seconds(20)) {
        guard case .remoteEvent(1, .result(.timedAction(let action, 1))) = output else { continue }
        #expect(action == "something")
        break
      }
      // Others see all of them.
      guard case .result(.timedAction)? = await everything.next(within: .seconds(20)) else {
        Issue.record("the event was not seen on the phone")
        return
      }
    }
  }

  /// The desktop cannot hold back a phone that sends more events than are read.
  @Test func aPhoneWithTooManyEventsIsDisconnected() async throws {
    try await TestWorld.with(options: { $0.eventLimit = 16 }) { world in
      let pair = Pair(
        world: world, desktop: try await world.profile("desktop"), phone: try await world.profile("phone"))
      try await pair.connect()
      for _ in 0..<200 {
        pair.phone.controller.emit(.timedAction(action: "something", durationMilliseconds: 1))
      }
      _ = try await pair.phone.event("remoteCtrlStopped")
      _ = try await pair.desktop.event("remoteHostStopped")
    }
  }

  /// Neither with few long ones.
  @Test func aPhoneWithTooLongEventsIsDisconnected() async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      let text = String(repeating: "a", count: 2 << 20)
      for _ in 0..<20 { pair.phone.controller.emit(.timedAction(action: text, durationMilliseconds: 1)) }
      _ = try await pair.phone.event("remoteCtrlStopped")
      let stopped = try await pair.desktop.event("remoteHostStopped")
      #expect(stopped["rhStopReason"]?["type"]?.stringValue == "disconnected")
    }
  }

  @Test func filesAreStoredAndFetched() async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      try content.write(to: URL(filePath: pair.folder + "/photo.bin"))
      let stored = try await pair.desktop.run("/store remote file 1 encrypt=off \(pair.folder)/photo.bin")
      #expect(stored["remoteFileSource"]?["filePath"]?.stringValue == "photo.bin")
      #expect(try Data(contentsOf: URL(filePath: pair.folder + "/phone-files/photo.bin")) == content)
      let encrypted = try await pair.desktop.run("/store remote file 1 encrypt=on \(pair.folder)/photo.bin")
      #expect(encrypted["remoteFileSource"]?["filePath"]?.stringValue == "photo_1.bin")
      #expect(encrypted["remoteFileSource"]?["cryptoArgs"]?["fileKey"]?.stringValue != nil)
      #expect(try Data(contentsOf: URL(filePath: pair.folder + "/phone-files/photo_1.bin")) != content)
      let hosts = pair.folder + "/hosts"
      let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: hosts).first)
      let kept = "\(hosts)/\(folder)/simplex_v1_files"
      #expect(try FileManager.default.contentsOfDirectory(atPath: kept).sorted() == ["photo.bin", "photo_1.bin"])
      // A file of the phone.
      let note = "[{\"msgContent\":{\"type\":\"file\",\"text\":\"\"},\"fileSource\":{\"filePath\":\"photo.bin\"}}]"
      #expect(await pair.send("/_create *1 json \(note)").responseType == "newChatItems")
      try FileManager.default.removeItem(atPath: kept + "/photo.bin")
      var fetched = false
      for sent in ["true", "false"] {
        let file = "{\"userId\":1,\"fileId\":1,\"sent\":\(sent),\"fileSource\":{\"filePath\":\"photo.bin\"}}"
        let answer = await pair.desktop.controller.sendText("/get remote file 1 \(file)")
        if answer.responseType == "cmdOk" { fetched = true }
      }
      #expect(fetched)
      #expect(try Data(contentsOf: URL(filePath: kept + "/photo.bin")) == content)
      _ = try await pair.desktop.run("/delete remote host 1")
      #expect(try FileManager.default.contentsOfDirectory(atPath: hosts) == [])
    }
  }

  /// `/f` and `/img` typed at the desktop send a file of the desktop.
  @Test func typedFilesAreUploadedFirst() async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      try Data("text".utf8).write(to: URL(filePath: pair.folder + "/letter.txt"))
      let sent = await pair.send("/f * \(pair.folder)/letter.txt")
      #expect(sent.responseType == "newChatItems", "\(sent)")
      #expect(try Data(contentsOf: URL(filePath: pair.folder + "/phone-files/letter.txt")) == Data("text".utf8))
    }
  }

  /// The connection is cut: both sides connect again by themselves, with the profile in use as before.
  @Test(arguments: [true, false]) func aSessionThatWasLostBeginsAgain(isCutByPhone: Bool) async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      let phone = pair.phone.controller
      let following = Task {
        await phone.followKnownDesktops(
          .init(searches: true, connects: true, comparesCodes: false))
      }
      // The controller of the desktop chooses nothing that the user left.
      for current in [1, nil] as [Int64?] {
        if current == nil { _ = try await pair.desktop.run("/switch remote host local") }
        await (isCutByPhone ? pair.phone : pair.desktop).controller.cutRemoteConnections()
        let stopped = try await pair.desktop.event("remoteHostStopped")
        #expect(stopped["rhStopReason"]?["type"]?.stringValue == "disconnected")
        _ = try await pair.desktop.event("remoteHostConnected")
        #expect(await pair.desktop.controller.currentRemoteHost == current)
        guard case .result(.response0(.activeUser)) = await pair.send("/u") else {
          Issue.record("no user")
          return
        }
      }
      following.cancel()
      await following.value
      // Stopped by the user: nothing goes on.
      _ = try await pair.desktop.run("/stop remote host 1")
      let listed = try await pair.desktop.run("/list remote hosts")
      #expect(listed["remoteHosts"]?.arrayValue?.first?["sessionState"]?.stringValue == nil)
      #expect(await pair.desktop.controller.remote.mobiles.isEmpty)
    }
  }

  /// A phone whose user compares codes is found, and waits for the user.
  @Test func codesAreComparedWhereTheUserWantsIt() async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      let phone = pair.phone.controller
      let following = Task {
        await phone.followKnownDesktops(
          .init(searches: true, connects: true, comparesCodes: true))
      }
      await pair.desktop.controller.cutRemoteConnections()
      _ = try await pair.phone.event("remoteCtrlStopped")
      let code = try #require(try await pair.phone.event("remoteCtrlSessionCode")["sessionCode"]?.stringValue)
      #expect(await pair.desktop.controller.currentRemoteHost == nil)
      _ = try await pair.phone.run("/verify remote ctrl \(code)")
      _ = try await pair.desktop.event("remoteHostConnected")
      following.cancel()
      await following.value
    }
  }

  @Test(arguments: ["/_stop", "/_app suspend 0"]) func thePhoneEndsTheSession(_ command: String) async throws {
    try await Self.withPair { pair in
      try await pair.connect()
      _ = try await pair.phone.run(command)
      let stopped = try await pair.desktop.event("remoteHostStopped")
      #expect(stopped["rhStopReason"]?["type"]?.stringValue == "disconnected")
      guard case .error(.errorRemoteHost(.id(1), .missing)) = await pair.send("/u") else {
        Issue.record("there is still a session")
        return
      }
    }
  }

  /// Somebody who has another code is refused, and the session ends on both sides.
  @Test func aWrongCodeEndsTheSession() async throws {
    try await Self.withPair { pair in
      let started = try await pair.desktop.run("/start remote host new addr=127.0.0.1 iface=lo")
      let link = try #require(started["invitation"]?.stringValue)
      _ = try await pair.phone.run("/connect remote ctrl \(link)")
      _ = try await pair.phone.event("remoteCtrlSessionCode")
      let answer = await pair.phone.controller.sendText("/verify remote ctrl 12345 67890")
      #expect(answer.jsonText().contains("pRESessionCode"))
      _ = try await pair.phone.event("remoteCtrlStopped")
      let listed = try await pair.phone.run("/list remote ctrls")
      #expect(listed["remoteCtrls"]?.arrayValue?.isEmpty == true)
    }
  }
}

extension ChatController {
  /// Cuts the connections of sessions, as a network does.
  func cutRemoteConnections() async {
    await remote.desktop?.driver.cut()
    for session in remote.mobiles { await session.driver.cut() }
  }
}

extension RemoteHost {
  fileprivate func cut() { for link in links.values { link.close() } }
}

extension RemoteController {
  fileprivate func cut() { for link in links.values { link.close() } }
}
