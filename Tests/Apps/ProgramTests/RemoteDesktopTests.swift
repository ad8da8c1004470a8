import Foundation
import RemoteControl
import SimplexJSON
import SimplexTesting
import Testing

/// `simplex-chat` as a desktop and as a phone.
@Suite struct RemoteDesktopTests {
  private static let multicast = ["--multicast", "239.255.42.98:35228:lo"]

  private static func isMulticastPermitted() async -> Bool {
    let discovery = MulticastDiscovery(group: "239.255.42.98", port: 35_228, interface: "lo")
    do {
      try await discovery.listen { _, _ in }.stop()
      try await discovery.announce([UInt8](repeating: 0, count: 985))
      return true
    } catch {
      return false
    }
  }

  /// Either program is killed, or both, and started again in either order: connected again without a hand at the phone,
  /// again and again.
  @Test(.enabled("multicast on the interface lo is not permitted here") { await isMulticastPermitted() })
  func killedProgramsConnectAgain() async throws {
    try await ProgramWorld.with { world in
      var desktop = try await world.profile("desktop", Self.multicast + ["--device-name", "desk"])
      var phone = try await world.profile("phone", Self.multicast + ["--find-desktops"])
      let started = try await desktop.answer("/start remote host new addr=127.0.0.1 iface=lo")
      let link = try #require(started["invitation"]?.stringValue)
      _ = try await phone.answer("/connect remote ctrl \(link)")
      let code = try #require(try await phone.events.first("remoteCtrlSessionCode")["sessionCode"]?.stringValue)
      _ = try await phone.answer("/verify remote ctrl \(code)")
      _ = try await desktop.events.first("remoteHostConnected")
      for order in [["phone"], ["desktop"], ["phone", "desktop"], ["desktop", "phone"], ["phone"]] {
        for name in order { await (name == "phone" ? phone : desktop).kill() }
        if order == ["phone"] { _ = try await desktop.events.first("remoteHostStopped") }
        for name in order {
          guard name == "phone" else {
            desktop = try await world.profile("desktop", Self.multicast + ["--device-name", "desk"])
            let started = try await desktop.answer("/start remote host 1 multicast=on")
            #expect(started["type"]?.stringValue == "remoteHostStarted", "\(started.jsonText())")
            continue
          }
          phone = try await world.profile("phone", Self.multicast + ["--find-desktops"])
        }
        let connected = try await desktop.events.first("remoteHostConnected", within: .seconds(60))
        #expect(connected["remoteHost"]?["remoteHostId"]?.integerValue == 1, "\(order)")
        // The desktop stored what the phone has: the answers of the phone are waited for.
        let listed = try await desktop.answer("/list remote hosts")
        #expect(listed["remoteHosts"]?.arrayValue?.count == 1)
      }
    }
  }

  /// Two hosts in a network, with the group, port and interfaces of everybody: the phone finds the desktop, and finds
  /// it again by itself after its program was killed.
  @Test(
    .enabled(if: NetworkNamespaces.arePermitted, "network namespaces are not permitted here"))
  func aPhoneFindsTheDesktopInItsNetwork() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hosts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let network = try NetworkNamespaces()
    func start(_ name: String, onHost host: Int, _ options: [String] = []) throws -> Program {
      // The relay is not in this network.
      let relay = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@10.77.1.9:5223"
      let arguments = ["-d", folder.appending(path: name).path, "--display-name", name, "--server", relay] + options
      return try network.start("simplex-chat", arguments + ["--no-preset-contacts"], onHost: host, in: folder)
    }
    let desktop = try start("desktop", onHost: 0)
    var phone = try start("phone", onHost: 1)
    try desktop.type("/start remote host new")
    let link = "xrcp:" + (try desktop.line("xrcp:"))
    #expect(link.contains("@\(NetworkNamespaces.addresses[0]):"), "\(link)")
    try phone.type("/connect remote ctrl \(link)")
    try phone.type("/verify remote ctrl \(try phone.line("/verify remote ctrl "))")
    _ = try desktop.line("[local] remote host 1 connected")
    try desktop.type("/stop remote host 1")
    _ = try phone.line("remote controller stopped")
    // By the user.
    try phone.type("/find remote ctrl")
    _ = try phone.line("ok")
    try desktop.type("/start remote host 1 multicast=on")
    _ = try phone.line("remote controller 1 found")
    try phone.type("/confirm remote ctrl 1")
    try phone.type("/verify remote ctrl \(try phone.line("/verify remote ctrl "))")
    _ = try desktop.line("[local] remote host 1 connected")
    // Killed, and by itself.
    phone.endAtOnce()
    _ = try desktop.line("remote host 1 stopped")
    phone = try start("phone", onHost: 1, ["--find-desktops"])
    _ = try desktop.line("[local] remote host 1 connected")
    try desktop.type("/user")
    _ = try desktop.line("user profile: phone")
    desktop.stop()
    phone.stop()
  }

  /// The shipped program with its default settings: what is typed at the desktop is sent by the phone.
  @Test func aDesktopWritesAsThePhone() async throws {
    try await ProgramWorld.with { world in
      let phone = try await world.profile("phone")
      let bob = try await world.profile("bob")
      let link = try #require(
        try await phone.answer("/connect")["connLinkInvitation"]?["connFullLink"]?.stringValue)
      _ = try await bob.answer("/connect \(link)")
      _ = try await bob.events.first("contactConnected")
      _ = try await phone.events.first("contactConnected")
      _ = try await phone.answer("/_files_folder \(world.folder.path)/phone-files")
      let desktop = try Program(
        "simplex-chat",
        ["-d", world.folder.appending(path: "desktop").path, "--display-name", "desktop", "--server", world.server],
        in: world.folder, isTyped: true)
      try desktop.type("/start remote host new addr=127.0.0.1 iface=lo")
      let invitation = "xrcp:" + (try desktop.line("xrcp:"))
      _ = try await phone.answer("/connect remote ctrl \(invitation)")
      let code = try #require(try await phone.events.first("remoteCtrlSessionCode")["sessionCode"]?.stringValue)
      #expect(try desktop.line(code).isEmpty)
      _ = try await phone.answer("/verify remote ctrl \(code)")
      // The phone's profile is in use from now on, so what is about the desktop says so.
      _ = try desktop.line("[local] remote host 1 connected")
      try desktop.type("@bob hello from the desk")
      let received = try await bob.events.first("newChatItems") { $0.jsonText().contains("hello from the desk") }
      #expect(
        received["chatItems"]?.arrayValue?.first?["chatInfo"]?["contact"]?["localDisplayName"]?.stringValue == "phone")
      _ = try await bob.answer("@phone hello desk")
      #expect(try desktop.line("bob> ").hasSuffix("hello desk"))
      // A file of the desktop is stored on the phone, and sent by it.
      let file = world.folder.appending(path: "letter.txt")
      try Data("text".utf8).write(to: file)
      try desktop.type("/f * \(file.path)")
      _ = try desktop.line("* file ")
      let stored = world.folder.appending(path: "phone-files/letter.txt")
      #expect(try Data(contentsOf: stored) == Data("text".utf8))
      // Its own profile again; what the phone gets is shown with its number.
      try desktop.type("/switch remote host local")
      _ = try desktop.line("Using local profile")
      _ = try await bob.answer("@phone are you there")
      #expect(try desktop.line("[remote: 1] ").hasSuffix("bob> are you there"))
      try desktop.type("/switch remote host 1")
      _ = try desktop.line("Using remote host 1 (")
      try desktop.type("/user")
      _ = try desktop.line("user profile: phone")
      desktop.stop()
    }
  }
}
