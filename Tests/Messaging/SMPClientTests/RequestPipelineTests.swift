import SMPClientCore
import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

@Suite("Requests and responses of one connection")
struct RequestPipelineTests {
  private var relay: FakeRelay
  private var pipeline: RequestPipeline
  private var random = InsecureSeededRandom(seed: 2)
  private let key: AuthorizationPrivateKey
  private let queue = EntityID([1, 2, 3])

  init() throws {
    let certificateKey = Ed25519.PrivateKey(using: &random)
    relay = try FakeRelay(certificateKey: certificateKey)
    let handshake = ClientHandshake(sessionID: relay.sessionID, relayKey: .ed25519(certificateKey.publicKey))
    let serverHello = try relay.hello()
    let (hello, session) = try handshake.answer(
      serverHello.span.bytes, ClientHandshake.Offer(keyHash: [7]), random: &random)
    try relay.accept(hello)
    pipeline = RequestPipeline(session)
    key = .x25519(X25519.PrivateKey(using: &random))
  }

  private mutating func send(_ requests: [RequestPipeline.Request]) throws -> [ReceivedTransmission<Command>] {
    for (index, request) in requests.enumerated() {
      try pipeline.add(request, id: UInt64(index), deadline: 1_000, random: &random)
    }
    return try pipeline.takeBlocks().flatMap { try relay.commands(in: $0) }
  }

  @Test mutating func requestsShareBlocksAndAreAuthorized() throws {
    for index in 0..<300 {
      try pipeline.add(
        RequestPipeline.Request(.sub, entity: queue, key: key), id: UInt64(index), deadline: 1_000, random: &random)
    }
    let blocks = try pipeline.takeBlocks()
    #expect(blocks.count < 6)
    let commands = try blocks.flatMap { try relay.commands(in: $0) }
    #expect(commands.count == 300)
    #expect(Set(commands.map(\.correlationID)).count == 300)
    let verifier = AuthorizationVerifier(sessionKey: relay.sessionKey)
    for command in commands {
      #expect(try command.message.get() == .sub)
      let authorization = try #require(command.authorization)
      #expect(verifier.isValid(authorization, by: key.publicKey, correlation: command.correlationID))
    }
    let more = try pipeline.takeBlocks()
    #expect(more.isEmpty)
  }

  @Test mutating func responsesFindTheirRequestsInAnyOrder() throws {
    let requests = [
      RequestPipeline.Request(.ping), RequestPipeline.Request(.sub, entity: queue, key: key),
      RequestPipeline.Request(.del, entity: queue, key: key), RequestPipeline.Request(.que, entity: queue, key: key),
    ]
    let commands = try send(requests)
    let block = try relay.block([
      (commands[2].correlationID, queue, .err(.AUTH)), (commands[1].correlationID, queue, .ok),
      (commands[0].correlationID, .none, .pong), (commands[3].correlationID, EntityID([9]), .ok),
    ])
    let received = try pipeline.receive(block)
    #expect(received.completions.map(\.id) == [2, 1, 0, 3])
    #expect(received.completions[0].result == .failure(.relay(.AUTH)))
    #expect(received.completions[1].result == .success(.ok))
    #expect(received.completions[2].result == .success(.pong))
    #expect(received.completions[3].result == .failure(.unexpectedResponse("OK")))
    #expect(pipeline.isIdle)
  }

  @Test mutating func aMessageInResponseToSubscribingIsAnEventAndASuccess() throws {
    let commands = try send([
      RequestPipeline.Request(.sub, entity: queue, key: key), RequestPipeline.Request(.get, entity: queue, key: key),
    ])
    let message = BrokerMessage.msg(SealedMessage(id: MessageID([5]), box: [1, 2]))
    let received = try pipeline.receive(
      relay.block([(commands[0].correlationID, queue, message), (commands[1].correlationID, queue, message)]))
    #expect(received.events == [RequestPipeline.Event(entity: queue, message: message)])
    #expect(received.completions.map(\.result) == [.success(.ok), .success(message)])
  }

  @Test mutating func eventsAndLateMessagesAreDeliveredLateResponsesAreNot() throws {
    let message = BrokerMessage.msg(SealedMessage(id: MessageID([5]), box: [1, 2]))
    let late = CorrelationID([77])
    let received = try pipeline.receive(
      relay.block([(.none, queue, .end), (late, queue, .ok), (late, queue, message), (.none, queue, message)]))
    #expect(received.completions.isEmpty)
    #expect(received.events.map(\.message) == [.end, message, message])
  }

  @Test mutating func timeLimitAndEndOfConnection() throws {
    try pipeline.add(RequestPipeline.Request(.ping), id: 1, deadline: 100, random: &random)
    try pipeline.add(RequestPipeline.Request(.ping), id: 2, deadline: 200, random: &random)
    let early = pipeline.expire(at: 99)
    #expect(early.isEmpty)
    let expired = pipeline.expire(at: 100)
    #expect(expired.map(\.id) == [1])
    #expect(expired.map(\.result) == [.failure(.timeout)])
    let closed = pipeline.close(.closed)
    #expect(closed.map(\.id) == [2])
    let again = pipeline.close(.closed)
    #expect(again.isEmpty)
  }

  @Test mutating func whatCannotBeSentFailsAtOnceAndLeavesNothingBehind() throws {
    let large = RequestPipeline.Request(.send(SendRequest(body: [UInt8](repeating: 0, count: 17_000))), entity: queue)
    var copy = pipeline
    var random = random
    #expect(throws: SMPClientError.transport(.largeMsg)) {
      try copy.add(large, id: 1, deadline: 1, random: &random)
    }
    pipeline = copy
    #expect(pipeline.isIdle)
    let more = try pipeline.takeBlocks()
    #expect(more.isEmpty)
  }

  @Test mutating func tamperedBlockEndsTheConnection() throws {
    var block = try relay.block([(.none, queue, .end)])
    block[100] ^= 1
    let tampered = block
    var copy = pipeline
    #expect(throws: SMPClientError.transport(.badBlock)) { try copy.receive(tampered) }
  }

  @Test mutating func proxiedCommand() throws {
    let relayKey = X25519.PrivateKey(using: &random)
    let certificate = Ed25519.PrivateKey(using: &random)
    let anyKey = AnyPublicKey.x25519(relayKey.publicKey)
    let signed = try #require(SignedKey(signing: anyKey) { certificate.signature(of: $0.span.bytes) })
    let session = ProxySession(
      sessionID: SessionID([4, 4]), versions: SMPVersion.proxied,
      relayKey: CertifiedKey(certificates: [[1]], key: signed))
    #expect(throws: SMPClientError.self) { try ProxiedRelay(session, certificateKey: anyKey) }
    let destination = try ProxiedRelay(session, certificateKey: .ed25519(certificate.publicKey))
    #expect(destination.version == SMPVersion.proxied.highest)

    let inner = RequestPipeline.Request(.send(SendRequest(body: [1, 2, 3])), entity: queue, key: key)
    let proxied = try ProxiedCommand(inner, to: destination, random: &random)
    let command = try send([proxied.request])[0]
    guard case .success(.pfwd(let forward)) = command.message else { throw SMPClientError.closed }
    let block = ProxiedBlock(key: try relayKey.boxKey(with: forward.key), correlationID: command.correlationID)
    let context = SessionContext(version: forward.version, sessionID: session.sessionID)
    let content = try block.openCommand(forward.transmission)
    let sent = context.transmissions(of: Command.self, in: content.span.bytes)[0]
    #expect(try sent.message.get() == inner.command)
    let verifier = AuthorizationVerifier(sessionKey: relayKey)
    #expect(
      verifier.isValid(try #require(sent.authorization), by: key.publicKey, correlation: sent.correlationID))

    for (answer, expected) in [
      (BrokerMessage.ok, Result<BrokerMessage, SMPClientError>.success(.ok)), (.err(.QUOTA), .failure(.relay(.QUOTA))),
    ] {
      var batch = BlockBatch(context)
      try batch.add { (writer) throws(WireError) in
        try context.write(answer, entity: queue, correlation: sent.correlationID, to: &writer)
      }
      let response = try block.sealResponse(batch.take()[0])
      let result = Result { () throws(SMPClientError) in try proxied.response(.pres(response)) }
      #expect(result == expected)
    }
    #expect(throws: SMPClientError.crypto(.authenticationFailed)) {
      try proxied.response(.pres([UInt8](repeating: 0, count: 50)))
    }
  }
}
