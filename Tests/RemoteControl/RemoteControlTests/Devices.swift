import FileAccess
import Foundation
import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import Synchronization
import Testing

@testable import RemoteControl

/// Records in memory.
final class MemoryStore: HostPairingStore, ControllerPairingStore {
  private let hosts = Mutex<[CertificateFingerprint: HostPairing]>([:])
  private let controllers = Mutex<[ControllerPairing]>([])
  private let failure = Mutex(false)

  struct Failed: Error {}

  func setFailing(_ isFailing: Bool) { failure.withLock { $0 = isFailing } }
  func hostPairings() async throws -> [HostPairing] { hosts.withLock { Array($0.values) } }

  func store(_ pairing: HostPairing) async throws {
    if failure.withLock({ $0 }) { throw Failed() }
    hosts.withLock { $0[pairing.controller] = pairing }
  }

  func store(_ pairing: ControllerPairing) async throws {
    if failure.withLock({ $0 }) { throw Failed() }
    controllers.withLock { $0.append(pairing) }
  }

  /// The last record of a host.
  var host: ControllerPairing? { controllers.withLock { $0.last } }
}

/// Events in order, for a test to wait for.
final class Recorded<Event: Sendable>: Sendable {
  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func add(_ event: Event) { continuation.yield(event) }

  /// The next event that `select` takes.
  func next<Value: Sendable>(_ select: @escaping @Sendable (Event) -> Value?) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { [stream] in
        for await event in stream { if let value = select(event) { return value } }
        return nil
      }
      group.addTask {
        try await Task.sleep(for: .seconds(60))
        return nil
      }
      let value = try await group.next().flatMap { $0 }
      group.cancelAll()
      return try #require(value, "the event did not come")
    }
  }
}

/// Answers commands with their text, files with themselves, and polls with events of the test. The command `file` is
/// answered with a file that it has not asked for, `slow` after three seconds, `long` with 2 MB.
final class TestHandler: RemoteRequestHandler {
  let folder: String
  private let events = Mutex<[RemoteResult]>([])
  private let concurrent = Mutex((now: 0, most: 0))

  init(folder: String) { self.folder = folder }

  func post(_ json: String) { events.withLock { $0.append(.result(json: json)) } }
  /// The highest number of commands that were executed at the same time.
  var most: Int { concurrent.withLock { $0.most } }

  func reply(to command: RemoteCommand, file: String?) async -> RemoteReply {
    switch command {
    case .send("file", _):
      guard let summary = try? RemoteFileSummary(ofFile: "\(folder)/stored") else {
        return RemoteReply(.chatEvent(nil))
      }
      return RemoteReply(.file(size: summary.size, digest: summary.digest), filePath: "\(folder)/stored")
    case .send("slow", _):
      try? await Task.sleep(for: .seconds(3))
      return RemoteReply(.chatEvent(nil))
    case .send("long", _):
      return RemoteReply(.chatResponse(.result(json: "\"\(String(repeating: "a", count: 2 << 20))\"")))
    case .send(let text, _):
      concurrent.withLock { count in
        count.now += 1
        count.most = max(count.most, count.now)
      }
      try? await Task.sleep(for: .milliseconds(50))
      concurrent.withLock { $0.now -= 1 }
      return RemoteReply(.chatResponse(.result(json: "{\"echo\":\"\(text)\"}")))
    case .recv(let microseconds):
      let end = ContinuousClock.now + .microseconds(microseconds)
      while ContinuousClock.now < end {
        if let event = events.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
          return RemoteReply(.chatEvent(event))
        }
        do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
      }
      return RemoteReply(.chatEvent(nil))
    case .storeFile(let name, _, _):
      guard let file else { return RemoteReply(.protocolError(.noFile)) }
      do throws(FileError) { try WholeFile.move(file, to: "\(folder)/stored") } catch {
        return RemoteReply(.protocolError(.exception("\(error)")))
      }
      return RemoteReply(.fileStored(path: name))
    case .getFile(let reference):
      let path = "\(folder)/\(reference.path)"
      guard let summary = try? RemoteFileSummary(ofFile: path) else {
        return RemoteReply(.chatResponse(.error(json: "{}")))
      }
      return RemoteReply(.file(size: summary.size, digest: summary.digest), filePath: path)
    }
  }
}

/// A phone and a desktop in one process, with TLS over loopback between them.
final class Devices: Sendable {
  let folder: String
  let phoneStore = MemoryStore()
  let deskStore = MemoryStore()
  let handler: TestHandler
  let discovery: any RemoteDiscovery
  let phoneEvents = Recorded<HostEvent>()
  let deskEvents = Recorded<ControllerEvent>()
  let remoteEvents = Recorded<RemoteResult>()
  let phone: RemoteHost
  let desk: RemoteController

  init(discovery: (any RemoteDiscovery)? = nil) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "remote-\(UUID().uuidString)").path
    for name in ["", "/phone", "/desk"] { try Folder.create(folder + name) }
    self.folder = folder
    handler = TestHandler(folder: folder)
    self.discovery = try discovery ?? MemoryDiscovery(source: Self.loopback.address)
    let (phoneEvents, deskEvents, remoteEvents) = (phoneEvents, deskEvents, remoteEvents)
    phone = RemoteHost(
      settings: try .test(), pairings: phoneStore, handler: handler, discovery: self.discovery,
      temporaryFolder: folder + "/phone", onEvent: { phoneEvents.add($0) })
    desk = RemoteController(
      settings: ControllerSettings(versions: try .test(), deviceName: "desktop", compresses: true),
      pairings: deskStore, discovery: self.discovery, temporaryFolder: folder + "/desk",
      onEvent: { deskEvents.add($0) }, onRemoteEvent: { remoteEvents.add($0) })
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The loopback address.
  static var loopback: LocalAddress {
    get throws { LocalAddress(address: try #require(IPv4Address("127.0.0.1")), interface: "lo") }
  }

  /// Starts the desktop's session on loopback.
  func start(
    _ pairing: ControllerPairing? = nil, announces: Bool = false, reconnects: Bool = false
  ) async throws -> SignedInvitation {
    let start = ControllerStart(
      pairing: try pairing ?? .new(), announces: announces, reconnects: reconnects)
    return try await desk.start(start, address: Self.loopback).invitation
  }

  /// Connects the phone by a link, compares both codes, and completes the session.
  func connect(_ invitation: SignedInvitation) async throws {
    let received = try ReceivedInvitation.codec.decode(text: invitation.text)
    _ = try await phone.connect(received)
    try await complete()
  }

  /// Compares both codes, and completes the session.
  func complete() async throws {
    let code = try await phoneEvents.next { if case .sessionCode(_, let code) = $0 { code } else { nil } }
    let deskCode = try await deskEvents.next { if case .sessionCode(_, let code) = $0 { code } else { nil } }
    #expect(code == deskCode)
    _ = try await phone.verify(code.description)
    try await deskEvents.next { if case .connected = $0 { () } else { nil } }
  }

  /// Ends both sessions.
  func stop() async {
    await phone.stop()
    await desk.stop()
  }
}

extension AppVersions {
  static func test() throws -> AppVersions {
    let own = try #require(AppVersion(text: "7.0.0.6"))
    return try #require(AppVersions(upTo: own))
  }
}

extension HostSettings {
  static func test() throws -> HostSettings {
    HostSettings(
      versions: try .test(), deviceName: "phone", encoding: .swift, encryptsFiles: true, compresses: true)
  }
}
