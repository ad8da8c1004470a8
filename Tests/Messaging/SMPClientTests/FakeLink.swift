import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Synchronization

/// A link to a relay in this process, which answers each command with `answer`.
final class FakeLink: BlockLink {
  /// What the relay answers to a command; nil for nothing.
  typealias Answer = @Sendable (ReceivedTransmission<Command>) -> BrokerMessage?

  let sessionID: SessionID
  let relayKey: AnyPublicKey?
  private let relay: RelayActor
  private let taken = Atomic<Int>(0)
  private let blocks: AsyncStream<[UInt8]>
  private let sink: AsyncStream<[UInt8]>.Continuation

  init(answer: @escaping Answer) throws {
    var random = SystemRandom()
    let certificateKey = Ed25519.PrivateKey(using: &random)
    let relay = try FakeRelay(certificateKey: certificateKey)
    sessionID = relay.sessionID
    relayKey = .ed25519(certificateKey.publicKey)
    (blocks, sink) = AsyncStream.makeStream()
    var padding = BlockSealing()
    sink.yield(try padding.seal(try relay.hello()))
    self.relay = RelayActor(relay, answer)
  }

  func send(_ blocks: [[UInt8]]) async throws(SMPClientError) {
    for block in blocks {
      for answer in await relay.answers(block) { sink.yield(answer) }
    }
  }

  func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError) {
    for await block in blocks {
      taken.add(1, ordering: .relaxed)
      guard await body(block) else { return }
    }
  }

  /// How many blocks the client has taken, that of the handshake among them.
  var takenCount: Int { taken.load(ordering: .relaxed) }

  /// Returns when the client takes no more blocks.
  func waitUntilHeld() async throws {
    var seen = -1
    while seen != takenCount {
      seen = takenCount
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  func close() { sink.finish() }

  /// Sends an event.
  func push(_ messages: [(EntityID, BrokerMessage)]) async {
    if let block = await relay.block(messages) { sink.yield(block) }
  }

  /// Sends a block unchanged.
  func push(block: [UInt8]) { sink.yield(block) }
}

private actor RelayActor {
  private var relay: FakeRelay
  private let respond: FakeLink.Answer

  init(_ relay: FakeRelay, _ respond: @escaping FakeLink.Answer) {
    self.relay = relay
    self.respond = respond
  }

  func answers(_ block: [UInt8]) -> [[UInt8]] {
    guard relay.context != nil else {
      if let content = try? Padding.unpad(block) { try? relay.accept(content) }
      return []
    }
    let commands = (try? relay.commands(in: block)) ?? []
    let answers = commands.compactMap { command in
      respond(command).map { (command.correlationID, command.entityID, $0) }
    }
    return answers.isEmpty ? [] : (try? relay.blocks(answers)) ?? []
  }

  func block(_ messages: [(EntityID, BrokerMessage)]) -> [UInt8]? {
    try? relay.block(messages.map { (CorrelationID.none, $0.0, $0.1) })
  }
}
