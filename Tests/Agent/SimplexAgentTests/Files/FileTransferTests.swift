import AgentCore
import Foundation
import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec
import XFTPProtocol

@testable import SimplexAgent

@Suite("Files of agents", .timeLimit(.minutes(2)))
struct FileTransferTests {
  /// In the clear and encrypted, empty, in one chunk, and in several at two relays.
  @Test(arguments: [(0, false), (1, true), (100_000, false), (3_000_000, true)])
  func arrive(size: Int, encrypted: Bool) async throws {
    let relays = [try await LoopbackFileRelay.start(), try await LoopbackFileRelay.start()]
    let alice = try await FileAgent(relays.map { $0.userServer() })
    let bob = try await FileAgent([])
    let content = randomBytes(size)
    let (sender, recipients) = try await alice.send(content, encrypted: encrypted, recipients: 5)
    #expect(recipients.count == 8)
    #expect(sender.party == .sender)
    let servers = Set(sender.chunks.flatMap(\.replicas).map(\.server))
    #expect(servers.count == min(2, sender.chunks.count))
    for index in [0, 7] {
      #expect(try await bob.receive(recipients[index], encrypted: !encrypted) == content)
    }
    try await alice.settle()
    try await bob.settle()
    await alice.agent.close()
    await bob.agent.close()
    for relay in relays { await relay.stop() }
  }

  @Test func progressIsReported() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let (sender, recipients) = try await alice.send(randomBytes(700_000))
    var sent: [Int64] = []
    while sent.last != sender.size {
      sent.append(
        try await alice.next {
          if case .fileSendProgress(_, let sent, sender.size) = $0 { sent } else { nil }
        })
    }
    #expect(sent == sent.sorted() && Set(sent).count == sender.chunks.count)
    _ = try await alice.receive(recipients[1])
    let first = try await alice.next {
      if case .fileReceiveProgress(_, let received, sender.size) = $0 { received } else { nil }
    }
    #expect(first > 0)
    await alice.agent.close()
    await relay.stop()
  }

  @Test func moreRecipientsThanFitOneCommand() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(1_000)
    let (_, recipients) = try await alice.send(content, recipients: 300)
    #expect(recipients.count == 512)
    #expect(Set(recipients.flatMap(\.chunks).flatMap(\.replicas).map(\.id)).count == 512)
    #expect(try await alice.receive(recipients[511]) == content)
    await alice.agent.close()
    await relay.stop()
  }

  /// A description of a large file is a file of one chunk.
  @Test func redirectsAreFollowedOnce() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(3_000_000)
    let (_, recipients) = try await alice.send(content)
    let file = newFileID()
    try await alice.agent.sendDescription(file, user: alice.user, recipients[0], recipients: 1)
    let redirects = try await alice.sent(file).recipients
    let redirect = redirects[0]
    #expect(redirect.chunks.count == 1)
    #expect(redirect.redirect == FileRedirect(size: recipients[0].size, digest: recipients[0].digest))
    let link = try FileDescription(text: redirect.text, party: .recipient)
    #expect(try await alice.receive(link, encrypted: true) == content)
    try await alice.settle()
    // No chain of them, and not another file than announced.
    await #expect(throws: AgentError.self) {
      try await alice.agent.sendDescription(newFileID(), user: alice.user, redirect, recipients: 1)
    }
    var other = redirects[1]
    other.redirect?.digest = HashFunction.sha512.digest(of: [])
    await #expect { try await alice.receive(other) } throws: { error in
      (error as? FileAgent.Failed)?.error == .file(.redirect("digest mismatch"))
    }
    await alice.agent.close()
    await relay.stop()
  }

  /// A second command with the same identifier does nothing.
  @Test func commandsCanBeRepeated() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let file = newFileID()
    let source = try alice.write(randomBytes(1_000))
    for _ in 0..<3 {
      try await alice.agent.sendFile(file, user: alice.user, source: source, name: "a", recipients: 1)
    }
    let (_, recipients) = try await alice.sent(file)
    try await alice.agent.sendFile(file, user: alice.user, source: source, name: "a", recipients: 1)
    let received = newFileID()
    for _ in 0..<3 {
      try await alice.agent.receiveFile(
        received, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    }
    #expect(try await alice.received(received) == 1_000)
    #expect(relay.server.usage.chunks == 1)
    await alice.agent.close()
    await relay.stop()
  }

  /// What is at relays is deleted, also when they are back only later.
  @Test func deletedAtRelays() async throws {
    var relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let (sender, recipients) = try await alice.send(randomBytes(500_000))
    #expect(Int(relay.server.usage.chunks) == sender.chunks.count)
    await relay.stop()
    try await alice.agent.deleteSentFilesAtRelays([(id: newFileID(), user: alice.user, description: sender)])
    try await alice.restart()
    let stopped = relay
    relay = try await LoopbackFileRelay.start(again: stopped)
    while relay.server.usage.chunks > 0 { try await Task.sleep(for: .milliseconds(20)) }
    await #expect { try await alice.receive(recipients[0]) } throws: { error in
      (error as? FileAgent.Failed)?.error == .fileServer(stopped.address, .relay(.AUTH))
    }
    await alice.agent.close()
    await relay.stop()
  }

  /// Nothing more comes of a file that was deleted while it was sent or received.
  @Test func canBeCancelled() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(9_000_000)
    let (_, recipients) = try await alice.send(content)
    let (sending, receiving) = (newFileID(), newFileID())
    try await alice.agent.sendFile(
      sending, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
    try await alice.agent.receiveFile(
      receiving, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    try await alice.agent.deleteSentFiles([sending, newFileID()])
    try await alice.agent.deleteReceivedFiles([receiving, newFileID()])
    try await alice.settle()
    #expect(!FileManager.default.fileExists(atPath: alice.destination().path))
    // Other work goes on.
    #expect(try await alice.receive(recipients[1]) == content)
    let names = try FileManager.default.contentsOfDirectory(atPath: alice.folder)
    #expect(!names.contains { $0.hasSuffix(".part") })
    await alice.agent.close()
    await relay.stop()
  }

  /// What relays have of a file that is not sent after all is of use for nobody.
  @Test(arguments: [true, false]) func deletedAtRelaysBeforeItIsSent(fails: Bool) async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let file = newFileID()
    let source = try alice.write(randomBytes(17_000_000))
    try await alice.agent.sendFile(file, user: alice.user, source: source, name: "a", recipients: 1)
    for _ in 0..<2 {
      _ = try await alice.next { if case .fileSendProgress(file, _, _) = $0 { true } else { nil } }
    }
    #expect(relay.server.usage.chunks >= 2)
    if fails {
      // With neither its encrypted form nor the file it cannot be sent.
      try FileManager.default.removeItem(atPath: source.path)
      try FileManager.default.removeItem(atPath: "\(alice.work)/\(file.text).snd.xftp")
      await #expect(throws: FileAgent.Failed.self) { try await alice.sent(file) }
    } else {
      try await alice.agent.deleteSentFiles([file])
    }
    while relay.server.usage.chunks > 1 { try await Task.sleep(for: .milliseconds(20)) }
    try await alice.settle()
    await alice.agent.close()
    await relay.stop()
  }

  /// Each chunk has a connection of its own where connections are not to be linked.
  @Test func connectionsOfTheirOwn() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) { $0.configuration.isolation = .perConnection }
    let (sender, recipients) = try await alice.send(randomBytes(500_000))
    #expect(relay.server.connectionCounts.accepted == sender.chunks.count)
    #expect(try await alice.receive(recipients[0]).count == 500_000)
    #expect(relay.server.connectionCounts.accepted == 2 * sender.chunks.count)
    await alice.agent.close()
    await relay.stop()
  }
}
