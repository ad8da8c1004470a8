import Foundation
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Synchronization

/// A relay with hostile clients of twelve kinds in another process, and good ones beside them; then a file relay, too.
///
/// `SIMPLEX_BENCH_CLIENTS` sets the number of hostile clients (default: 2,000), and `SIMPLEX_BENCH_KIND` makes all of
/// them do the same (a ``HostileClient/Kind``). Their process has the lowest priority:
/// in reality their work is done elsewhere.
@Sendable func hostileRelaySuite(_ bench: Bench) async throws {
  try await inRelayFolder { try await measureHostileClients(bench, $0) }
  try await measureHostileFileClients(bench)
}

private func measureHostileClients(_ bench: Bench, _ folder: URL) async throws {
  try await HostileQueues.store(in: folder)
  let relay = try RelayProgram(in: folder)
  defer { relay.stop() }
  let count = ProcessInfo.processInfo.environment["SIMPLEX_BENCH_CLIENTS"].flatMap(Int.init) ?? 2_000
  let quiet = try relay.load("--pairs 25 --queues 0 --messages 100 --rate 100")
  let hostile = try ServerProcess("hostile", arguments: [relay.address, "\(count)"], isYielding: true)
  defer { hostile.stop() }
  let figures = try relay.load("--pairs 25 --queues 0 --messages 120 --rate 100")
  guard let before = quiet["SEND to MSG p99 (ms)"], let p50 = figures["SEND to MSG p50 (ms)"],
    let p99 = figures["SEND to MSG p99 (ms)"]
  else { throw BenchError.program("smp-bench did not tell the latency") }
  bench.record("p99 of 50 good clients alone", before, unit: "ms", lessIsBetter: true, note: "100 messages a second")
  bench.record("p50 beside \(count) hostile ones", p50, unit: "ms", lessIsBetter: true)
  bench.record("p99 beside them", p99, unit: "ms", goal: 50, lessIsBetter: true)
  bench.record("the most memory", relay.peakBytes / 1e6, unit: "MB", goal: 200, lessIsBetter: true)
}

/// The queues that hostile clients use, in the store before the relay starts.
private enum HostileQueues {
  static let full = EntityID(benchQueue(1).senderID)
  static let messages = EntityID(benchQueue(2).recipientID)
  static let linkID = EntityID([UInt8](repeating: 9, count: 24))

  /// The key of the recipients, the same in both processes.
  static var key: AuthorizationPrivateKey {
    var random = InsecureSeededRandom(seed: 1)
    return .ed25519(Ed25519.PrivateKey(using: &random))
  }

  static func store(in folder: URL) async throws {
    let store = try SQLiteQueueStore(path: RelayProgram.database(in: folder).path)
    let der = key.publicKey.publicKey.der
    for index in 1...2 {
      let outcome = try await store.perform(.createQueue(benchQueue(index, recipientKey: der), nil))
      guard case .created(let queue) = outcome else { continue }
      for number: UInt8 in 1...3 {
        let message = QueuedMessage(
          id: [UInt8](repeating: number, count: 24), timestamp: currentTime(),
          content: .message(notify: false, body: [UInt8](repeating: number, count: 16_000)))
        _ = try await store.perform(.addMessage(queue, message, quota: index == 1 ? 2 : 9))
      }
    }
    var contact = benchQueue(3, recipientKey: der)
    contact.mode = .contact
    contact.linkID = linkID.bytes
    let data = LinkData(fixed: [UInt8](repeating: 1, count: 2_000), user: [UInt8](repeating: 2, count: 13_000))
    _ = try await store.perform(.createQueue(contact, data))
    await store.close()
  }

  private static func currentTime() -> Int64 { Int64(Date().timeIntervalSince1970) }
}

/// The process of the hostile clients: says when all are connected, and goes on until its input is closed.
@Sendable func serveHostileClients() async throws {
  let arguments = CommandLine.arguments
  guard arguments.count >= 5, let count = Int(arguments[4]),
    let server = try? ServerWithAuth<SMPScheme>.textCodec.decode(text: arguments[3]).server
  else { throw BenchError.noServer }
  let only = ProcessInfo.processInfo.environment["SIMPLEX_BENCH_KIND"]
  let kinds = HostileClient.Kind.allCases.filter { only == nil || "\($0)" == only }
  // All connect before any of them begins: with the lowest priority the others would never get as far.
  let clients = Mutex<[HostileClient]>([])
  try await concurrently(count, workers: 32) { index in
    guard only != nil || index % (kinds.count + 1) < kinds.count else {
      _ = try await HalfBlock.send(to: server)
      return
    }
    let client = try await HostileClient(server, kinds[index % (only == nil ? kinds.count + 1 : kinds.count)])
    clients.withLock { $0.append(client) }
  }
  let active = ActiveClients()
  for client in clients.withLock({ $0 }) { active.begin(client, server) }
  ServerProcess.announce("ready")
  await ServerProcess.waitForParent()
  FileHandle.standardError.write(Data("Hostile clients that are still active: \(active.summary)\n".utf8))
}

/// The hostile clients that do something, by their kinds.
final class ActiveClients: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// Has a client do what its kind does, until the relay closes the connection.
  func begin(_ client: HostileClient, _ server: SMPServerAddress) {
    count(client, 1)
    Task.detached {
      await client.run(server, self)
      self.count(client, -1)
    }
  }

  private func count(_ client: HostileClient, _ change: Int) {
    counts.withLock { $0["\(client.kind)", default: 0] += change }
  }

  /// The number of each kind.
  var summary: String {
    counts.withLock { counts in counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } }
      .joined(separator: ", ")
  }
}

extension HostileClient {
  /// Does what its kind does until the relay closes the connection.
  func run(_ server: SMPServerAddress, _ active: ActiveClients) async {
    do {
      while true {
        switch kind {
        case .silent: try await Task.sleep(for: .seconds(3_600))
        case .pings: try await send(.ping, .none, times: 255)
        case .getsMessages: try await send(.get, HostileQueues.messages, key: HostileQueues.key, times: 16)
        case .getsLinkData: try await send(.lget, HostileQueues.linkID, times: 150)
        case .sendsUnanswered:
          let send = Command.send(SendRequest(body: [UInt8](repeating: 1, count: 15_000)))
          try await self.send(send, HostileQueues.full, isAnswered: false, times: 1)
        case .forgesBlocks:
          try await send(.sub, HostileQueues.messages, key: forged, times: 80)
          try await receive(1)
        case .forwards:
          try await forward(.send(SendRequest(body: [1])), HostileQueues.linkID)
          try await receive(1)
        case .createsQueues:
          try await createQueue()
          try await receive(1)
        case .subscribes:
          try await send(.sub, HostileQueues.messages, key: HostileQueues.key, times: 1)
          try await receive(1)
        case .asksForRelays:
          try await askForRelay()
          try await receive(1)
        case .reconnects:
          close()
          let next = try await HostileClient(server, kind)
          active.begin(next, server)
          return
        }
      }
    } catch {
      // The relay closed it, as it should; how many are left is printed.
    }
  }
}
