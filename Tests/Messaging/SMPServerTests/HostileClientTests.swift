import Foundation
import QueueStore
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec

/// Clients that violate the protocol, or cannot be trusted.
@Suite(.timeLimit(.minutes(2))) struct HostileClientTests {
  @Test(arguments: KeyKind.allCases) func forgedAuthorizationsAreRefused(_ kind: KeyKind) async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let attacker = try await relay.client()
      var queue = try await recipient.newQueue(kind: kind)
      try await recipient.secure(&queue, kind: kind)
      for forged in KeyKind.allCases.map(\.random) {
        #expect(try await attacker.ask(.sub, queue.recipient, key: forged) == .err(.AUTH))
        #expect(try await attacker.ask(.del, queue.recipient, key: forged) == .err(.AUTH))
        #expect(try await attacker.ask(.key(forged.publicKey), queue.recipient, key: forged) == .err(.AUTH))
        let send = Command.send(SendRequest(body: [1]))
        #expect(try await attacker.ask(send, queue.ids.senderID, key: forged) == .err(.AUTH))
        // A queue that does not exist gets the same answer.
        #expect(try await attacker.ask(.sub, queue.ids.senderID, key: forged) == .err(.AUTH))
      }
      // The sender's identifier and key are not the recipient's, nor the other way round.
      #expect(try await attacker.ask(.sub, queue.ids.senderID, key: queue.key) == .err(.AUTH))
      #expect(try await attacker.ask(.sub, queue.recipient, key: queue.sender) == .err(.AUTH))
      #expect(try await attacker.hasEvent() == false)
    }
  }

  @Test func anAuthorizationHoldsForItsSessionAndQueueAlone() async throws {
    try await TestRelay.with { relay in
      let owner = try await relay.client()
      let attacker = try await relay.client()
      let queue = try await owner.newQueue()
      let other = try await owner.newQueue()
      // Signed for the owner's session, sent in the attacker's.
      var signed = Writer(version: 18)
      let correlation = CorrelationID([UInt8](repeating: 7, count: 24))
      let signer = try CommandSigner(queue.key, serverKey: nil)
      try owner.context.write(
        .sub as Command, entity: queue.recipient, correlation: correlation, signer: signer, to: &signed)
      let transmission = signed.finish()
      var block = Writer()
      block.append(1)
      block.append(integer: UInt16(transmission.count))
      block.append(transmission)
      try await attacker.send(content: block.finish())
      #expect(try await attacker.response(to: correlation) == .err(.AUTH))
      #expect(try await attacker.ask(.sub, other.recipient, key: queue.key) == .err(.AUTH))
    }
  }

  /// The relay keeps the keys that it agreed on with clients that authorized a command before.
  @Test(arguments: KeyKind.allCases) func aValidAuthorizationHelpsNoForgery(_ kind: KeyKind) async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      var queue = try await recipient.newQueue(subscription: .onlyCreate, kind: kind)
      try await recipient.secure(&queue, kind: kind)
      for body in 0..<3 {
        #expect(try await recipient.sendMessage([UInt8(body)], to: queue) == .ok)
        let send = Command.send(SendRequest(body: [9]))
        let valid = try signed(send, queue.ids.senderID, queue.sender, recipient)
        // One bit of the authorization, of the message, and the correlation, which is the nonce of an authenticator.
        let proof = Int(valid.bytes[0])
        for changed in [1, proof, valid.bytes.count - 1, valid.correlationStart] {
          var forged = valid.bytes
          forged[changed] ^= 1
          try await recipient.send(content: block(forged))
          let correlation = CorrelationID(Array(forged[valid.correlationStart..<valid.correlationStart + 24]))
          #expect(try await recipient.response(to: correlation) == .err(.AUTH))
        }
        // The authorization of another command with the same correlation.
        let other = try signed(
          .send(SendRequest(body: [8])), queue.ids.senderID, queue.sender, recipient, valid.correlation)
        let mixed = Array(valid.bytes[...proof]) + other.bytes[(proof + 1)...]
        try await recipient.send(content: block(mixed))
        #expect(try await recipient.response(to: valid.correlation) == .err(.AUTH))
      }
      #expect(try await relay.store.counts().messages == 3)
    }
  }

  /// TLS prevents others from replaying a transmission; a client that replays its own only repeats the command.
  @Test func aRepeatedTransmissionIsCarriedOutAgain() async throws {
    try await TestRelay.with { relay in
      let client = try await relay.client()
      var queue = try await client.newQueue()
      try await client.secure(&queue)
      #expect(try await client.sendMessage([1], to: queue) == .ok)
      let (id, _) = try queue.body(try await client.event().message)
      let acknowledgement = try signed(.ack(id), queue.recipient, queue.key, client)
      try await client.send(content: block(acknowledgement.bytes))
      #expect(try await client.response(to: acknowledgement.correlation) == .ok)
      try await client.send(content: block(acknowledgement.bytes))
      #expect(try await client.response(to: acknowledgement.correlation) == .err(.NO_MSG))
      let key = KeyKind.ed25519.random
      let secure = try signed(.skey(key.publicKey), queue.ids.senderID, key, client)
      for _ in 0..<2 {
        try await client.send(content: block(secure.bytes))
        #expect(try await client.response(to: secure.correlation) == .err(.AUTH))
      }
    }
  }

  private struct Signed {
    var bytes: [UInt8]
    var correlation: CorrelationID
    /// The offset of the correlation identifier.
    var correlationStart: Int
  }

  private func signed(
    _ command: Command, _ entity: EntityID, _ key: AuthorizationPrivateKey?, _ client: TestClient,
    _ given: CorrelationID? = nil
  ) throws -> Signed {
    var random = SystemRandom()
    let correlation = given ?? CorrelationID(using: &random)
    let signer = try CommandSigner(try #require(key), serverKey: client.serverKey)
    var writer = Writer(version: client.context.version)
    try client.context.write(command, entity: entity, correlation: correlation, signer: signer, to: &writer)
    let bytes = writer.finish()
    // The authorization with its length, no service signature, and the length of the correlation identifier.
    return Signed(bytes: bytes, correlation: correlation, correlationStart: Int(bytes[0]) + 3)
  }

  private func block(_ transmission: [UInt8]) -> [UInt8] {
    var block = Writer()
    block.append(1)
    block.append(integer: UInt16(transmission.count))
    block.append(transmission)
    return block.finish()
  }

  @Test func malformedBlocksAreErrors() async throws {
    try await TestRelay.with { relay in
      let client = try await relay.client()
      for content in [[], [0], [1], [1, 0, 200, 1, 2, 3], [2, 0, 1, 0], [UInt8](repeating: 255, count: 16_000)] {
        try await client.send(content: content)
        let answer = try await client.event()
        #expect(answer.message == .err(.BLOCK))
      }
      // A command that does not exist, and one whose parameters are cut off.
      for (text, error) in [("WHAT", ProtocolCommandError.UNKNOWN), ("NEW 123", .SYNTAX), ("SUB", .NO_AUTH)] {
        var block = Writer()
        block.append(1)
        try block.sized(UInt16.self) { writer in
          writer.append(0)
          writer.append(24)
          writer.append(repeating: 5, count: 24)
          writer.append(0)
          writer.append(text)
        }
        try await client.send(content: block.finish())
        let answer = try await client.response(to: CorrelationID([UInt8](repeating: 5, count: 24)))
        #expect(answer == .err(.CMD(cmdErr: error)))
      }
      #expect(try await client.ask(.ping) == .pong)
    }
  }

  @Test func garbageClosesTheConnection() async throws {
    try await TestRelay.with { relay in
      // After the handshake: a block that does not decrypt.
      let client = try await relay.client()
      try await client.connection.send([UInt8](repeating: 0x5a, count: 16_384))
      await #expect(throws: (any Error).self) { try await client.event() }
      // Instead of the handshake.
      for block in [[UInt8](repeating: 0, count: 16_384), [UInt8](repeating: 0xff, count: 16_384)] {
        let connection = try await TestClient.open(port: relay.port, fingerprint: relay.server.fingerprint)
        try await connection.send(block)
        var blocks = connection.blocks.makeAsyncIterator()
        _ = try await blocks.next()
        #expect(try await blocks.next() == nil)
      }
      let wrong = [UInt8](repeating: 1, count: 32)
      await #expect(throws: (any Error).self) { try await TestClient.connect(port: relay.port, fingerprint: wrong) }
      _ = try await relay.client().ask(.ping)
    }
  }

  @Test func failedHandshakesAreToldIfAskedFor() async throws {
    let (failures, sink) = AsyncStream.makeStream(of: TransportError.self)
    try await TestRelay.with({ $0.handshakeFailed = { sink.yield($0) } }) { relay in
      let socket = try RawSocket(port: relay.port, sending: Array("GET / HTTP/1.1\r\n\r\n".utf8))
      var iterator = failures.makeAsyncIterator()
      guard case .tls? = await iterator.next() else {
        Issue.record("no failure of TLS")
        return
      }
      withExtendedLifetime(socket) {}
      _ = try await relay.client().ask(.ping)
    }
    sink.finish()
    // The well-behaved client is none of them.
    for await failure in failures { Issue.record("\(failure)") }
  }

  @Test func aSlowReaderGetsEverythingInTheEnd() async throws {
    try await TestRelay.with { relay in
      let reader = try await relay.client()
      let sender = try await relay.client()
      var queues: [TestQueue] = []
      for _ in 0..<150 { queues.append(try await reader.newQueue()) }
      // The reader takes nothing while messages of 2.4 MB arrive for it.
      for (index, queue) in queues.enumerated() {
        let body = [UInt8](repeating: UInt8(index), count: 16_000)
        #expect(try await sender.sendMessage(body, to: queue) == .ok)
      }
      var received: Set<UInt8> = []
      for _ in queues {
        let event = try await reader.event()
        let queue = try #require(queues.first { $0.recipient == event.entity })
        received.insert(try queue.body(event.message).body[0])
      }
      #expect(received == Set(0..<150))
    }
  }

  #if os(Linux)
    /// Silently dead peers are detected by the system, on both sides.
    @Test func silentConnectionsAreProbed() async throws {
      try await TestRelay.with { relay in
        let connection = try await relay.connection()
        _ = try await connection.perform(RequestPipeline.Request(.ping))
        let port = ":" + String(format: "%04X", relay.port)
        // Of each connection, its kind of timer in hexadecimal: 2 for keep-alive, 1 while something waits for the peer.
        var timers: [Substring] = []
        while timers.count != 2 || timers.contains(where: { $0.hasPrefix("01:") }) {
          try await Task.sleep(for: .milliseconds(20))
          // It comes in parts, all of which are read so.
          let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
          let rows = String(decoding: table, as: UTF8.self).split(separator: "\n")
          let own = try ownSockets()
          let connections = rows.map { $0.split(separator: " ") }
            .filter { $0.count > 9 && $0[3] == "01" && ($0[1].hasSuffix(port) || $0[2].hasSuffix(port)) }
          timers = connections.filter { own.contains("socket:[" + $0[9] + "]") }.map { $0[5] }
        }
        #expect(timers.allSatisfy { $0.hasPrefix("02:") }, "\(timers)")
        await connection.close()
      }
    }

    /// The sockets of this process, as its files are named; connections of others may have the same ports.
    private func ownSockets() throws -> Set<String> {
      let folder = "/proc/self/fd"
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      return Set(files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") })
    }
  #endif

  @Test func connectionsBeyondTheLimitAreRefused() async throws {
    try await TestRelay.with({ $0.connectionLimit = 60 }) { relay in
      var clients: [TestClient] = []
      for _ in 0..<60 { clients.append(try await relay.client()) }
      await #expect(throws: (any Error).self) { try await relay.client() }
      for client in clients { #expect(try await client.ask(.ping) == .pong) }
      #expect(relay.server.connectionCounts[0].open == 60)
    }
  }

  @Test func inactiveConnectionsAreClosedUnlessSubscribed() async throws {
    try await TestRelay.with({ $0.inactivity = .init(ttl: 1, checkInterval: 1) }) { relay in
      let idle = try await relay.client()
      let subscribed = try await relay.client()
      let queue = try await subscribed.newQueue()
      await #expect(throws: (any Error).self) { try await idle.event() }
      let sender = try await relay.client()
      #expect(try await sender.sendMessage([1], to: queue) == .ok)
      #expect(try queue.body(try await subscribed.event().message).body == [1])
    }
  }
}

/// Commands that another relay forwards.
@Suite(.timeLimit(.minutes(2))) struct ForwardedCommandTests {
  @Test func aForwardedMessageArrives() async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      var queue = try await recipient.newQueue()
      try await recipient.secure(&queue)
      let proxy = try await TestClient.connect(
        port: relay.port, fingerprint: relay.server.fingerprint, isProxy: true)
      let answer = try await proxy.forward(.send(SendRequest(body: [1, 2, 3])), queue.ids.senderID, queue.sender)
      #expect(answer == .ok)
      #expect(try queue.body(try await recipient.event().message).body == [1, 2, 3])
      // A proxy cannot subscribe for its clients.
      let sub = try await proxy.forward(.sub, queue.recipient, queue.key)
      #expect(sub == .err(.CMD(cmdErr: .PROHIBITED)))
      let forged = try await proxy.forward(.send(SendRequest(body: [9])), queue.ids.senderID, KeyKind.x25519.random)
      #expect(forged == .err(.AUTH))
      #expect(try await proxy.ask(.rfwd([1, 2, 3])) == .err(.CRYPTO))
    }
  }

  /// The version of the client's command is its own word.
  @Test(arguments: [0, 5, 17, 18, 65_535] as [UInt16]) func forwardedVersionsAreChecked(_ version: UInt16) async throws
  {
    try await TestRelay.with({ $0.versions = VersionRange(6...17) }) { relay in
      let queue = try await relay.client(17).newQueue(subscription: .onlyCreate)
      let proxy = try await TestClient.connect(
        port: relay.port, fingerprint: relay.server.fingerprint, version: 17, isProxy: true)
      let send = Command.send(SendRequest(body: [1]))
      guard version != 17 else {
        #expect(try await proxy.forward(send, queue.ids.senderID, nil, version: version) == .ok)
        return
      }
      let error = await #expect(throws: Unexpected.self) {
        try await proxy.forward(send, queue.ids.senderID, nil, version: version)
      }
      #expect(
        error?.message == .err(.PROXY(proxyErr: .BROKER(brokerErr: .TRANSPORT(transportErr: .version)))))
    }
  }

  /// A block has one forwarded command: forty short ones would be forty key agreements and forty long responses.
  @Test func shortBoxesAreNotOpened() async throws {
    try await TestRelay.with(store: MemoryQueueStore()) { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue()
      let proxy = try await TestClient.connect(port: relay.port, fingerprint: relay.server.fingerprint, isProxy: true)
      let send = Command.send(SendRequest(body: [9]))
      for size in [100, 300, 15_000] {
        let error = await #expect(throws: Unexpected.self) {
          try await proxy.forward(send, queue.ids.senderID, nil, paddedTo: size)
        }
        #expect(error?.message == .err(.BLOCK))
      }
      #expect(try await owner.hasEvent() == false)
      #expect(try await proxy.forward(send, queue.ids.senderID, nil) == .ok)
      #expect(try queue.body(try await owner.event().message).body == [9])
    }
  }
}
