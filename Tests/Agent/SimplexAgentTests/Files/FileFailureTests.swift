import AgentCore
import Foundation
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec
import XFTPProtocol

@testable import SimplexAgent

@Suite("Files that fail, or fail at first", .timeLimit(.minutes(2)))
struct FileFailureTests {
  private func isFailure(_ error: any Error, _ expected: AgentError) -> Bool {
    (error as? FileAgent.Failed)?.error == expected
  }

  @Test func withoutARelay() async throws {
    let alice = try await FileAgent([])
    await #expect { try await alice.send([1]) } throws: { isFailure($0, .noServers) }
    try await alice.settle()
    await alice.agent.close()
  }

  @Test func withoutItsSource() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: LocalFile(path: alice.folder + "/none"), name: "a", recipients: 1)
    await #expect { try await alice.sent(file) } throws: { error in
      if case .file(.local) = (error as? FileAgent.Failed)?.error { true } else { false }
    }
    try await alice.settle()
    await alice.agent.close()
    await relay.stop()
  }

  /// A relay refuses without its password; another one takes the file.
  @Test func withAWrongPassword() async throws {
    let closed = try await LoopbackFileRelay.start { $0.basicAuth = BasicAuth(Array("secret".utf8)) }
    let open = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([closed.userServer(password: "wrong")])
    await #expect { try await alice.send([1]) } throws: {
      isFailure($0, .fileServer(closed.address, .relay(.AUTH)))
    }
    try await alice.agent.setFileServers([closed.userServer(password: "secret")], for: alice.user)
    #expect(try await alice.send([1]).sender.chunks[0].replicas[0].server == closed.address)
    try await alice.agent.setFileServers([closed.userServer(), open.userServer()], for: alice.user)
    for _ in 0..<4 { #expect(try await alice.send([1]).sender.chunks[0].replicas[0].server == open.address) }
    await alice.agent.close()
    await closed.stop()
    await open.stop()
  }

  /// A relay that cannot be reached is replaced by another one of the user.
  @Test func whenARelayIsDown() async throws {
    let down = try await LoopbackFileRelay.start()
    let up = try await LoopbackFileRelay.start()
    await down.stop()
    let alice = try await FileAgent([down.userServer(), up.userServer()])
    let content = randomBytes(700_000)
    let (sender, recipients) = try await alice.send(content)
    #expect(Set(sender.chunks.flatMap(\.replicas).map(\.server)) == [up.address])
    #expect(try await alice.receive(recipients[0]) == content)
    await alice.agent.close()
    await up.stop()
  }

  /// What a relay does not have now is downloaded when it is back, and uploaded where there is no other relay.
  @Test func whenTheOnlyRelayIsBack() async throws {
    let first = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([first.userServer()])
    let content = randomBytes(300_000)
    let (_, recipients) = try await alice.send(content)
    await first.stop()
    let (sending, receiving) = (newFileID(), newFileID())
    let destination = alice.destination()
    try await alice.agent.sendFile(
      sending, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
    try await alice.agent.receiveFile(
      receiving, user: alice.user, recipients[0], to: destination, approvedRelays: true)
    try await Task.sleep(for: .milliseconds(300))
    let second = try await LoopbackFileRelay.start(again: first)
    #expect(try await alice.received(receiving) == 300_000)
    #expect(try destination.contents() == content)
    _ = try await alice.sent(sending)
    await alice.agent.close()
    await second.stop()
  }

  /// Work expires: then the last error is reported.
  @Test func whenTheirTimeIsOver() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) {
      $0.configuration.sentFileTimeout = 200
      $0.configuration.receivedFileTimeout = 200
    }
    let (sender, recipients) = try await alice.send([1])
    await relay.stop()
    await #expect { try await alice.send([1]) } throws: { error in
      if case .fileServer(relay.address, .network) = (error as? FileAgent.Failed)?.error { true } else { false }
    }
    await #expect { try await alice.receive(recipients[0]) } throws: { error in
      if case .fileServer(relay.address, .network) = (error as? FileAgent.Failed)?.error { true } else { false }
    }
    try await alice.settle()
    // A deletion is given up in silence.
    try await alice.agent.deleteSentFilesAtRelays([(id: newFileID(), user: alice.user, description: sender)])
    while try await !alice.agent.rows(of: "SELECT * FROM chunk_deletions").isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    await alice.agent.close()
  }

  /// Relays that are not the user's do not learn the address of the device without approval.
  @Test func withRelaysThatAreNotApproved() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(1_000)
    let (_, recipients) = try await alice.send(content)
    let bob = try await FileAgent([])
    await #expect { try await bob.receive(recipients[0], approved: false) } throws: {
      isFailure($0, .file(.notApproved))
    }
    #expect(relay.server.connectionCounts.accepted == 1)
    #expect(try await bob.receive(recipients[0]) == content)
    // Its own are.
    #expect(try await alice.receive(recipients[0], approved: false) == content)
    // Through a proxy that is not there nothing is reached, but it may be tried.
    let carol = try await FileAgent([]) {
      $0.network.socksProxy = SOCKS5Proxy(host: "127.0.0.1", port: 1)
      $0.configuration.receivedFileTimeout = 1
    }
    await #expect { try await carol.receive(recipients[0], approved: false) } throws: { error in
      if case .fileServer = (error as? FileAgent.Failed)?.error { true } else { false }
    }
    for agent in [alice, bob, carol] { await agent.agent.close() }
    await relay.stop()
  }

  /// A chunk that one relay does not have is downloaded from another.
  @Test func fromTheNextReplica() async throws {
    let relays = [try await LoopbackFileRelay.start(), try await LoopbackFileRelay.start()]
    let alice = try await FileAgent([relays[0].userServer()])
    let content = randomBytes(2_000)
    var description = try await alice.send(content).recipients[0]
    var random = SystemRandom()
    description.chunks[0].replicas.insert(
      FileReplica(
        server: relays[1].address, id: EntityID(using: &random),
        key: .ed25519(Ed25519.PrivateKey(using: &random))), at: 0)
    #expect(try await alice.receive(description) == content)
    await alice.agent.close()
    for relay in relays { await relay.stop() }
  }

  /// A form that is not the described one is no file.
  @Test func withAWrongDigest() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let (_, recipients) = try await alice.send(randomBytes(2_000))
    var description = recipients[0]
    description.digest = HashFunction.sha512.digest(of: [])
    await #expect { try await alice.receive(description) } throws: { isFailure($0, .file(.damaged(.DIGEST))) }
    description = recipients[1]
    description.chunks[0].digest = HashFunction.sha256.digest(of: [])
    await #expect { try await alice.receive(description) } throws: {
      isFailure($0, .fileServer(relay.address, .relay(.DIGEST)))
    }
    try await alice.settle()
    let names = try FileManager.default.contentsOfDirectory(atPath: alice.folder)
    #expect(!names.contains { $0.hasSuffix(".part") })
    await alice.agent.close()
    await relay.stop()
  }
}
