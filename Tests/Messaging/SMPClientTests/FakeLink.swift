import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// A link to a relay in this process, which answers each command with `answer`.
final class FakeLink: BlockLink {
  /// What the relay answers to a command; nil for nothing.
  typealias Answer = @Sendable (ReceivedTransmission<Command>) -> BrokerMessage?

  let sessionID: SessionID
  let relayKey: AnyPublicKey?
  private let relay: RelayActor
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
      guard let answer = await relay.answer(block) else { continue }
      sink.yield(answer)
    }
  }

  func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError) {
    for await block in blocks {
      guard await body(block) else { return }
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

  func answer(_ block: [UInt8]) -> [UInt8]? {
    guard relay.context != nil else {
      if let content = try? Padding.unpad(block) { try? relay.accept(content) }
      return nil
    }
    let commands = (try? relay.commands(in: block)) ?? []
    let answers = commands.compactMap { command in
      respond(command).map { (command.correlationID, command.entityID, $0) }
    }
    return answers.isEmpty ? nil : try? relay.block(answers)
  }

  func block(_ messages: [(EntityID, BrokerMessage)]) -> [UInt8]? {
    try? relay.block(messages.map { (CorrelationID.none, $0.0, $0.1) })
  }
}
