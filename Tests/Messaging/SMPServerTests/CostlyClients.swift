import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import Testing

/// Clients whose few bytes cost the server much.
enum CostlyClient: CaseIterable {
  /// Asks for the same message again and again, and reads nothing.
  case getsMessages
  /// Asks for the same link data again and again, and reads nothing.
  case getsLinkData
  /// Sends full blocks of commands with wrong signatures, and reads what it is answered.
  case forgesBlocks
  /// Sends commands as another relay forwards them: a key agreement, and a response of a whole block each.
  case forwards
}

/// What costly clients ask for: a queue with messages, and one with link data.
struct HostileTarget: Sendable {
  let messages: (recipient: EntityID, key: AuthorizationPrivateKey)
  let linkID: EntityID

  init(_ recipient: TestClient, _ sender: TestClient) async throws {
    let queue = try await recipient.newQueue(subscription: .onlyCreate)
    for byte: UInt8 in 1...3 {
      #expect(try await sender.sendMessage([UInt8](repeating: byte, count: 15_000), to: queue) == .ok)
    }
    messages = (queue.recipient, queue.key)
    var random = SystemRandom()
    let correlation = CorrelationID(using: &random)
    linkID = EntityID(random.bytes(24))
    let data = QueueLinkData(
      fixedData: [UInt8](repeating: 1, count: 2_000), userData: [UInt8](repeating: 2, count: 13_000))
    _ = try await recipient.newQueue(
      .contact(ContactLink(linkID: linkID, senderID: EntityID.sender(for: correlation), data: data)),
      subscription: .onlyCreate, correlation: correlation)
  }
}

/// A client that costs much, all the time.
func costly(
  _ kind: CostlyClient, _ process: ServerProgram.Running, _ target: HostileTarget, _ steps: HostileSteps
) -> Task<Void, any Error> {
  let (port, fingerprint) = (process.port, process.fingerprint)
  return steps.task("\(kind)") { step in
    let client = try await TestClient.connect(port: port, fingerprint: fingerprint, isProxy: kind == .forwards)
    let forged = KeyKind.ed25519.random
    while !Task.isCancelled {
      switch kind {
      // When the server takes no more, these wait.
      case .getsMessages:
        let get = TestClient.Request(command: .get, entity: target.messages.recipient, key: target.messages.key)
        _ = try await client.send([TestClient.Request](repeating: get, count: 16))
      case .getsLinkData:
        let get = TestClient.Request(command: .lget, entity: target.linkID)
        _ = try await client.send([TestClient.Request](repeating: get, count: 150))
      case .forgesBlocks:
        let sub = TestClient.Request(command: .sub, entity: target.messages.recipient, key: forged)
        for correlation in try await client.send([TestClient.Request](repeating: sub, count: 80)) {
          #expect(try await client.response(to: correlation) == .err(.AUTH))
        }
      case .forwards:
        let send = Command.send(SendRequest(body: [1]))
        #expect(try await client.forward(send, EntityID([UInt8](repeating: 7, count: 24)), nil) == .err(.AUTH))
      }
      step()
    }
  }
}

/// How often hostile clients of each kind did what they do.
final class HostileSteps: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var failed: Set<String> = []
  }

  private let state = Mutex(State())

  /// A client of this kind, which calls what it is given after each step.
  func task(
    _ kind: String, _ client: @escaping @Sendable (_ step: @Sendable () -> Void) async throws -> Void
  ) -> Task<Void, any Error> {
    Task {
      do {
        try await client { self.state.withLock { $0.counts[kind, default: 0] += 1 } }
      } catch {
        state.withLock { _ = $0.failed.insert(kind) }
        throw error
      }
    }
  }

  /// The steps so far, after one of each kind, or the end of a client of a kind that took none.
  func counts(of kinds: [String]) async throws -> [(kind: String, count: Int)] {
    while true {
      let state = state.withLock { $0 }
      guard kinds.contains(where: { state.counts[$0] == nil && !state.failed.contains($0) }) else {
        return kinds.map { ($0, state.counts[$0] ?? 0) }
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}

/// A connection that has sent the first half of a block, and reads what comes; the rest never follows.
final class HalfBlock: PlaintextReceiver, Sendable {
  static func send(to process: ServerProgram.Running) async throws -> HalfBlock {
    let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    return try await transport.connect(
      host: "127.0.0.1", port: process.port, policy: .relay(fingerprint: process.fingerprint)
    ) { _, _, tls in
      try tls.write([UInt8](repeating: 1, count: 8_000).span.bytes)
      tls.flush()
      let receiver = HalfBlock()
      return (receiver, receiver)
    }
  }

  func read(from engine: TLSEngine) throws(TLSError) -> Bool { try engine.readAll { _ in } }
  func readComplete() {}
  func writabilityChanged(_ isWritable: Bool) {}
  func connectionClosed(_ error: TransportError?) {}
}
