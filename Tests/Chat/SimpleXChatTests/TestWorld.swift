import ChatAPI
import ChunkStore
import Foundation
import QueueStore
import RemoteControl
import SMPProtocol
import SMPServer
import SimpleXChat
import SimplexJSON
import SimplexTesting
import SimplexTransport
import XFTPProtocol
import XFTPServer

/// A relay on the loopback interface, or in memory, and profiles that use it, each in a controller of its own.
final class TestWorld: ScenarioWorld {
  typealias Unexpected = SimplexTesting.Unexpected

  let folder: URL
  /// The network in memory; nil for a real one.
  let network: MemoryNetwork?
  private var credential: TLSCredential?
  private var relay: RelayServer?
  private var fileRelay: FileServer?
  private var chunks: DiskChunkStore?
  private var (port, filePort) = (0, 0)
  /// The controllers of the profiles, those that have ended too.
  private(set) var cores: [String: TestCore] = [:]
  /// The announcements of desktops, which are at the loopback address.
  private let discovery = IPv4Address("127.0.0.1").map { MemoryDiscovery(source: $0) }
  /// Disks whose power may fail, by the names of the people whose databases they hold.
  var disks: [String: VolatileDisk] = [:]
  private var change: (inout ChatOptions) -> Void = { _ in }
  /// Whether scenarios wait for what is on its way before somebody or something is removed or stopped.
  var settles = false

  init(network: MemoryNetwork? = nil) async throws {
    self.network = network
    folder = FileManager.default.temporaryDirectory.appending(path: "chat-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard network == nil else { return }
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    credential = try certificates.credential()
    try await startRelay()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs a test, and stops everything then.
  /// - Parameters:
  ///   - files: whether there is a file relay; it is real where the network is in memory, too.
  ///   - fileQuota: the bytes that it takes.
  static func with(
    network: MemoryNetwork? = nil, files: Bool = false, fileQuota: Int64? = nil,
    options change: @escaping (inout ChatOptions) -> Void = { _ in }, _ body: (TestWorld) async throws -> Void
  ) async throws {
    let world = try await TestWorld(network: network)
    world.change = change
    if files { try await world.startFileRelay(quota: fileQuota) }
    do {
      try await body(world)
    } catch {
      await world.stop()
      throw error
    }
    await world.stop()
  }

  private func stop() async {
    for core in cores.values { await core.controller.finish() }
    for disk in disks.values { disk.remove() }
    await relay?.stop()
    await fileRelay?.stop()
  }

  /// Starts the file relay, or the one of before again.
  func startFileRelay(quota: Int64? = nil) async throws {
    let place = folder.appending(path: "file-relay")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let certificates = RelayCertificates(folder: place.path)
    if filePort == 0 { try certificates.create(commonName: "localhost", algorithm: .ed25519) }
    let configuration = XFTPServerConfiguration(
      host: "127.0.0.1", port: filePort, credential: try certificates.credential())
    let store = try DiskChunkStore(
      databaseFile: place.appending(path: "chunks.db").path, folder: place.appending(path: "chunks").path,
      quota: quota)
    let relay = try await FileServer.start(configuration, store: store)
    (fileRelay, chunks, filePort) = (relay, store, relay.port)
  }

  func stopFileRelay() async { await fileRelay?.stop() }

  /// Has the file relay forget all chunks.
  func forgetChunks() async throws { _ = try await chunks?.deleteChunks(createdBefore: .max, limit: 10_000) }

  /// How many chunks the file relay has.
  var storedChunks: Int { Int(fileRelay?.usage.chunks ?? 0) }

  /// The address of the file relay, as an option of profiles.
  private var fileServers: [String] {
    guard let fileRelay else { return [] }
    let host = (try? TransportHost.textCodec.decode(text: "127.0.0.1")) ?? .domain("127.0.0.1")
    return [
      ProtocolServer<XFTPScheme>(host, port: UInt16(fileRelay.port), keyHash: fileRelay.fingerprint).description
    ]
  }

  // A default argument would not satisfy the protocol.
  func startRelay() async throws { try await startRelay(allowsNewQueues: true) }

  /// - Parameter allowsNewQueues: whether clients may create queues at a relay that is not in memory.
  func startRelay(allowsNewQueues: Bool) async throws {
    if let network { return try network.startRelay() }
    guard relay == nil, let credential else { return }
    var configuration = SMPServerConfiguration(host: "127.0.0.1", ports: [port], credential: credential)
    configuration.allowsNewQueues = allowsNewQueues
    configuration.proxy?.allowsPrivateAddresses = true
    let store = try SQLiteQueueStore(path: folder.appending(path: "queues.db").path)
    let relay = try await RelayServer.start(configuration, store: store)
    port = relay.ports[0]
    self.relay = relay
  }

  func stopRelay() async {
    await network?.stopRelay()
    await relay?.stop()
    relay = nil
  }

  /// The address of the relay.
  var server: String {
    network?.address.description
      ?? SMPServerAddress(.domain("127.0.0.1"), port: UInt16(port), keyHash: relay?.fingerprint ?? []).description
  }

  /// Options of a profile's controller.
  func options(_ name: String, key: String = "") -> ChatOptions {
    var options = ChatOptions(databasePrefix: folder.appending(path: name).path, key: key)
    options.smpServers = network?.relays(of: name).map(\.description) ?? [server]
    options.xftpServers = fileServers
    options.addsPresetContacts = false
    options.network.makeLink = network?.access(of: name)
    options.remoteDiscovery = discovery
    change(&options)
    return options
  }

  /// A running controller with a user of this name.
  func profile(_ name: String, key: String = "") async throws -> TestCore {
    let core = TestCore(name, try await ChatController.open(options(name, key: key)))
    _ = try await core.run("/create user \(name)")
    _ = try await core.run("/_start")
    cores[name] = core
    return core
  }

  func scenarioProfile(_ name: String) async throws -> TestCore { try await profile(name) }

  func leave(_ name: String) async { await cores[name]?.controller.finish() }

  /// Rests where the test asks for it.
  func settle() async throws { if settles { try await rest() } }

  /// Returns after half a second at the latest: something cannot arrive where somebody is away.
  func rest() async throws {
    let end = ContinuousClock.now + .milliseconds(500)
    var quiet = 0
    while quiet < 3, .now < end {
      try await Task.sleep(for: .milliseconds(3))
      var isQuiet = network?.messageCount ?? 0 == 0
      for core in cores.values where isQuiet { isQuiet = try await core.isIdle() }
      quiet = isQuiet ? quiet + 1 : 0
    }
  }

  /// Closes a profile's controller, and opens another one on its databases.
  func restart(_ name: String) async throws -> TestCore {
    await cores[name]?.controller.finish()
    return try await open(name)
  }

  /// Ends a profile's controller as if its process were killed, and opens another one on its databases.
  func kill(_ name: String) async throws -> TestCore {
    network?.cutOff(name)
    await cores[name]?.controller.kill()
    return try await open(name)
  }

  /// Opens another controller on a profile's databases.
  func open(_ name: String) async throws -> TestCore {
    let core = TestCore(name, try await ChatController.open(options(name)))
    _ = try await core.run("/_start")
    cores[name] = core
    return core
  }

  /// Two contacts.
  func connected(_ first: String, _ second: String) async throws -> (TestCore, TestCore) {
    let alice = try await profile(first)
    let bob = try await profile(second)
    try await connect(alice, bob)
    return (alice, bob)
  }

  /// Alice makes the group `team`, and bob, her contact of that name, joins it.
  func makeTeam(_ alice: TestCore, _ bob: TestCore) async throws {
    _ = try await alice.run("/g team")
    _ = try await alice.run("/a team bob")
    _ = try await bob.event("receivedGroupInvitation")
    _ = try await bob.run("/j team")
    _ = try await alice.event("joinedGroupMember")
    _ = try await bob.event("userJoinedGroup")
  }

  /// Connects two profiles by an invitation.
  func connect(_ alice: TestCore, _ bob: TestCore) async throws {
    let invitation = try await alice.run("/connect")
    let link = invitation["connLinkInvitation"]?["connShortLink"]?.stringValue ?? ""
    _ = try await bob.run("/connect \(link)")
    _ = try await alice.event("contactConnected")
    _ = try await bob.event("contactConnected")
  }
}

/// A controller with the events that no test has asked for yet.
final class TestCore: ScenarioProfile {
  let name: String
  let controller: ChatController
  let events: UnreadEvents

  init(_ name: String, _ controller: ChatController) {
    self.name = name
    self.controller = controller
    events = UnreadEvents(name) { time in
      guard let event = await controller.eventQueue.next(within: time) else { return nil }
      let value = try JSONValue(jsonBytes: event.jsonBytes())
      return value["result"] ?? value["error"] ?? value
    }
  }

  /// The result of a command, error or not.
  func answer(_ command: String) async throws -> JSONValue {
    let json = await controller.sendText(command).jsonBytes()
    let value = try JSONValue(jsonBytes: json)
    return value["result"] ?? value["error"] ?? value
  }

  /// The response to a command; an error fails the test.
  func run(_ command: String) async throws -> JSONValue {
    switch await controller.sendText(command) {
    case .result(let response): return try JSONValue(jsonBytes: response.jsonBytes())
    case .error(let error): throw TestWorld.Unexpected(description: "\(name) ##> \(command): \(error.jsonText())")
    case .invalid(let type, _): throw TestWorld.Unexpected(description: "\(name) ##> \(command): invalid \(type)")
    }
  }

  /// Reaches relays in another way.
  /// - Parameter onlyOnion: whether relays without onion hosts are not reached at all.
  func setNetwork(proxy: String? = nil, onlyOnion: Bool = false) async throws {
    let proxy = proxy.map { #""socksProxy":"\#($0)","# } ?? ""
    _ = try await run(
      #"/_network {\#(proxy)"socksMode":"always","hostMode":"\#(onlyOnion ? "onion" : "public")","#
        + #""requiredHostMode":\#(onlyOnion),"sessionMode":"user","smpProxyMode":"never","smpProxyFallback":"allow","#
        + #""smpWebPortServers":"off","tcpConnectTimeout":{"backgroundTimeout":45000000,"interactiveTimeout":15000000},"#
        + #""tcpTimeout":{"backgroundTimeout":30000000,"interactiveTimeout":10000000},"tcpTimeoutPerKb":5000,"#
        + #""rcvConcurrency":8,"smpPingInterval":600000000,"smpPingCount":3,"logTLSErrors":false}"#)
  }

  /// The first event of a tag that satisfies a condition; other events stay for later.
  func event(
    _ tag: String, within time: Duration = .seconds(20), where condition: (JSONValue) -> Bool = { _ in true }
  ) async throws -> JSONValue {
    try await events.first(tag, within: time, where: condition)
  }

  /// Whether nothing is under way in the databases. Closed ones count as idle: what is under way in them waits. Some
  /// events are confirmed to the agent long after they are handled.
  func isIdle() async throws -> Bool {
    let handled = try await rows("SELECT last_event_id FROM handled_events")?.first ?? "0"
    let agent = try await rows(
      "SELECT 1 FROM tasks UNION SELECT 1 FROM events WHERE id > \(handled) UNION SELECT 1 FROM received_messages",
      of: "agent")
    let chat = try await rows("SELECT 1 FROM agent_commands")
    return agent?.isEmpty != false && chat?.isEmpty != false
  }

  /// The text of the next received message.
  func message() async throws -> String {
    let event = try await event("newChatItems") {
      $0["chatItems"]?[0]?["chatItem"]?["content"]?["type"]?.stringValue == "rcvMsgContent"
    }
    return event["chatItems"]?[0]?["chatItem"]?["meta"]?["itemText"]?.stringValue ?? ""
  }
}
