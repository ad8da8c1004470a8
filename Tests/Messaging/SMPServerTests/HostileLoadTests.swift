import Foundation
import SMPProtocol
import SMPServerCore
import SimplexTesting
import SimplexTransport
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The server as a program, among many clients of every bad kind at once.
///
/// Nineteen kinds; `SIMPLEX_SOAK=1` makes about 2,000 of them (or `SIMPLEX_CLIENTS=N`) instead of 400, and goes on for
/// a minute instead of some seconds. The latency of 50 good clients meanwhile, and the relay's memory, are printed.
/// `SIMPLEX_YIELDING=1` lets the relay and the good clients, processes of their own, have the processor first: the work
/// of the hostile clients, which is done elsewhere in reality, then delays nobody.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostileLoadTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] == "1"
  private static let yields = ProcessInfo.processInfo.environment["SIMPLEX_YIELDING"] == "1"
  /// The number of clients divided by that of the parts below, which are quarters for the last twelve kinds.
  private static let scale: Int = {
    let count = ProcessInfo.processInfo.environment["SIMPLEX_CLIENTS"].flatMap(Int.init) ?? (isSoak ? 2_000 : 400)
    return max(4, count / 23)
  }()

  @Test(arguments: propertySeeds(1)) func othersAreServedAndFloodsAreStopped(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let scale = Self.scale
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    let process = try await program.start()
    let recipient = try await process.client()
    let sender = try await process.client()
    var queue = try await recipient.newQueue()
    try await sender.secure(&queue)
    try await exchange(20, queue, recipient, sender)

    var sockets: [RawSocket] = []
    // Silent from the start; a handshake that never gets on; nonsense; a record longer than TLS allows.
    for _ in 0..<5 * scale { sockets.append(try RawSocket(port: process.port)) }
    var slow: [RawSocket] = []
    for _ in 0..<5 * scale { slow.append(try RawSocket(port: process.port, sending: [0x16])) }
    for _ in 0..<3 * scale {
      sockets.append(try RawSocket(port: process.port, sending: random.bytes(2_000)))
    }
    for _ in 0..<2 * scale {
      sockets.append(
        try RawSocket(port: process.port, sending: [0x16, 3, 1, 0xff, 0xff] + [UInt8](repeating: 1, count: 8_000)))
    }
    // TLS and then nothing; a handshake and then nothing; endless commands without reading the responses.
    var silent: [AsyncBlockConnection] = []
    for _ in 0..<3 * scale {
      silent.append(try await TestClient.open(port: process.port, fingerprint: process.fingerprint))
    }
    var idle: [TestClient] = []
    for _ in 0..<scale { idle.append(try await process.client()) }
    // Subscribers that acknowledge nothing.
    var deaf: [(client: TestClient, queue: TestQueue)] = []
    for _ in 0..<scale / 4 {
      let client = try await process.client()
      let queue = try await client.newQueue()
      for body: UInt8 in 1...3 { #expect(try await sender.sendMessage([body], to: queue) == .ok) }
      deaf.append((client, queue))
    }
    // Half a block and then nothing.
    var halves: [HalfBlock] = []
    for _ in 0..<scale { halves.append(try await HalfBlock.send(to: process)) }
    let latencies = goodClients(process)
    let steps = HostileSteps()
    let sent = Counter()
    var floods = flood(process, count: scale / 4, sent)
    defer { for flood in floods { flood.cancel() } }
    let victim = try await recipient.newQueue(.contact(nil), subscription: .onlyCreate)
    let keys = (0..<QueueRecord.recipientKeyLimit).map { _ in KeyKind.ed448.random }
    #expect(
      try await recipient.ask(.rkey(keys.map(\.publicKey)), victim.recipient, key: victim.key) == .ok)
    for kind in BusyClient.allCases {
      floods += (0..<scale / 4).map { _ in busy(kind, process, victim, steps) }
    }
    let target = try await HostileTarget(recipient, sender)
    for kind in CostlyClient.allCases {
      floods += (0..<scale / 4).map { _ in costly(kind, process, target, steps) }
    }
    // Back-pressure bounds the memory that they take: the server stops reading from clients that do not read.
    try await Self.untilUnchanged(sent)

    for byte: UInt8 in [3, 1, 2] {
      try await exchange(20, queue, recipient, sender)
      for socket in slow { socket.send([byte]) }
      // Somebody new is served as well.
      let newcomer = try await process.client()
      let another = try await newcomer.newQueue()
      try await exchange(5, another, newcomer, sender)
      newcomer.close()
    }
    // What had arrived has been executed since, a block or two of each; the system's buffers then took more. No longer.
    try await Self.untilUnchanged(sent)
    let kinds = BusyClient.allCases.map { "\($0)" } + CostlyClient.allCases.map { "\($0)" }
    for (kind, count) in try await steps.counts(of: kinds) { #expect(count > 0, "\(kind) did nothing") }
    for client in idle { #expect(try await client.ask(.ping) == .pong) }
    for (client, queue) in deaf {
      #expect(try queue.body(try await client.event().message).body == [1])
      #expect(try await client.hasEvent() == false)
    }
    withExtendedLifetime((sockets, slow, silent, halves)) {}
    print(
      "beside 50 good clients, hostile ones:", try await latencies.value, "peak memory", process.peakMemory ?? 0, "MB")
    process.terminate()
    try await process.waitForExit()
  }

  /// Waits until clients have sent something, and then nothing for two seconds.
  private static func untilUnchanged(_ sent: Counter) async throws {
    var (seen, unchanged) = (-1, 0)
    while seen <= 0 || unchanged < 4 {
      let value = sent.value.load(ordering: .relaxed)
      unchanged = value == seen ? unchanged + 1 : 0
      seen = value
      try await Task.sleep(for: .milliseconds(500))
    }
  }

  @Test func connectionsBeyondTheOpenFilesAreSentAway() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    let process = try await program.start(files: 128)
    let client = try await process.client()
    var sockets = try (0..<150).map { _ in try RawSocket(port: process.port) }
    #expect(try #require(sockets.last).readsEnd())
    #expect(try await client.ask(.ping) == .pong)
    sockets = []
    // There is room again, as soon as the server has seen that they are gone.
    var newcomer: TestClient?
    while newcomer == nil { newcomer = try? await process.client() }
    #expect(try await newcomer?.ask(.ping) == .pong)
    process.terminate()
    try await process.waitForExit()
  }

  /// What clients do that read what they are answered.
  private enum BusyClient: CaseIterable {
    /// Signs with a wrong key, of which the relay checks as many as the queue has.
    case forges
    /// Sends to a full queue without asking for responses.
    case sendsUnanswered
    /// Sends blocks that are none.
    case sendsGarbage
    /// Asks for sessions with relays that do not exist.
    case forwardsToNobody
    /// Connects again and again.
    case reconnects
    /// Creates queues and deletes them.
    case createsQueues
  }

  /// A client that does something bad all the time.
  private func busy(
    _ kind: BusyClient, _ process: ServerProgram.Running, _ victim: TestQueue, _ steps: HostileSteps
  ) -> Task<Void, any Error> {
    let (port, fingerprint) = (process.port, process.fingerprint)
    return steps.task("\(kind)") { step in
      var client = try await TestClient.connect(port: port, fingerprint: fingerprint)
      let forged = KeyKind.ed448.random
      var index = 0
      while !Task.isCancelled {
        index += 1
        switch kind {
        case .forges: #expect(try await client.ask(.sub, victim.recipient, key: forged) == .err(.AUTH))
        case .sendsUnanswered:
          let send = Command.send(SendRequest(body: [UInt8](repeating: 1, count: 15_000)))
          _ = try await client.send([
            TestClient.Request(command: send, entity: victim.ids.senderID, correlation: CorrelationID.none)
          ])
        case .sendsGarbage:
          try await client.send(content: [UInt8](repeating: 255, count: 16_000))
          _ = try await client.event()
        case .forwardsToNobody:
          let relay = SMPServerAddress(
            .domain("127.0.0.1"), port: UInt16(1 + index % 1_000), keyHash: [UInt8](repeating: 1, count: 32))
          _ = try await client.ask(.prxy(ProxyRequest(relay: relay, basicAuth: nil)))
        case .reconnects:
          client.close()
          client = try await TestClient.connect(port: port, fingerprint: fingerprint)
        case .createsQueues:
          let queue = try await client.newQueue()
          #expect(try await client.ask(.del, queue.recipient, key: queue.key) == .ok)
        }
        step()
      }
    }
  }

  /// 50 connections of another process that send each other messages, signed as agents sign them, while the others do
  /// what they do. All of the messages have to arrive.
  private func goodClients(_ process: ServerProgram.Running) -> Task<[String: Double], any Error> {
    let (address, rate) = (process.address, 100)
    return Task {
      try await ServerProgram.load(
        [
          "--server", address, "--pairs", "25", "--queues", "0", "--size", "16000", "--rate", "\(rate)", "--messages",
          "\(rate * (Self.isSoak ? 60 : 6) / 25)",
        ], started: { if Self.yields { yieldProcessor() } })
    }
  }

  /// Connections that send 255 commands in each block and read nothing, for as long as they are let.
  private func flood(_ process: ServerProgram.Running, count: Int, _ sent: Counter) -> [Task<Void, any Error>] {
    var tasks: [Task<Void, any Error>] = []
    for _ in 0..<count {
      let port = process.port
      let fingerprint = process.fingerprint
      tasks.append(
        Task {
          let client = try await TestClient.connect(port: port, fingerprint: fingerprint)
          let pings = [TestClient.Request](repeating: TestClient.Request(command: .ping), count: 255)
          // When the server takes no more, this waits.
          while !Task.isCancelled {
            _ = try await client.send(pings)
            sent.value.add(1, ordering: .relaxed)
          }
        })
    }
    return tasks
  }

  /// Blocks that the server's system has taken.
  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }

  private func exchange(_ count: Int, _ queue: TestQueue, _ recipient: TestClient, _ sender: TestClient) async throws {
    for index in 0..<count {
      #expect(try await sender.sendMessage([UInt8(index)], to: queue) == .ok)
      let (id, body) = try queue.body(try await recipient.event().message)
      #expect(body == [UInt8(index)])
      #expect(try await recipient.acknowledge(id, queue) == .ok)
    }
  }
}

/// Gives all threads of this process the lowest priority. Processes that were started keep theirs.
private func yieldProcessor() {
  #if canImport(Glibc)
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    for thread in threads.compactMap(UInt32.init) { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), thread, 19) }
  #endif
}

/// A TCP connection to the loopback interface without any protocol. What the server says is not read.
final class RawSocket {
  private let descriptor: Int32

  init(port: Int, sending bytes: [UInt8] = []) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    send(bytes)
  }

  deinit { close(descriptor) }

  /// Whether the server closes without a word; waits for it.
  func readsEnd() -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return count == 0 || count < 0 && errno == ECONNRESET
  }

  /// Sends what the system takes at once; the server may have closed.
  func send(_ bytes: [UInt8]) {
    #if canImport(Glibc)
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    #else
      _ = Darwin.send(descriptor, bytes, bytes.count, MSG_DONTWAIT)
    #endif
  }
}
