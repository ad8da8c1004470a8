import AgentCore
import Foundation
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import Testing
import XFTPProtocol

@testable import SimplexAgent

@Suite("Files of agents that are stopped", .timeLimit(.minutes(3)))
struct FileRestartTests {
  /// Each commit is the last one of a process once: the next one finishes what was begun, with the same commands.
  @Test func finishAfterACrashAtEachCommit() async throws {
    let relay = try await LoopbackFileRelay.start()
    let content = randomBytes(300_000)
    let peer = try await FileAgent([relay.userServer()])
    let (_, recipients) = try await peer.send(content, recipients: 64)
    var commit = 1
    var crashes = 0
    while commit < 60 {
      let alice = try await FileAgent([relay.userServer()])
      let crash = CrashPoint(after: (.agent, commit))
      // The first commits are those of opening it.
      try? await alice.restart(closes: true) { $0.crashPoint = crash }
      let (sending, receiving) = (newFileID(), newFileID())
      let source = try alice.write(content)
      let destination = alice.destination(encrypted: true)
      func begin() async throws {
        try await alice.agent.sendFile(sending, user: alice.user, source: source, name: "a", recipients: 1)
        try await alice.agent.receiveFile(
          receiving, user: alice.user, recipients[commit], to: destination, approvedRelays: true)
      }
      let isStarted = (try? await begin()) != nil
      while !crash.isReached {
        // Everything was done without a crash.
        if isStarted, (try? await alice.openFileCount) == 0 { break }
        try await Task.sleep(for: .milliseconds(5))
      }
      let isReached = crash.isReached
      crashes += isReached ? 1 : 0
      try await alice.restart()
      try await begin()
      let (_, sent) = try await alice.sent(sending)
      #expect(try await alice.received(receiving) == 300_000)
      #expect(try destination.contents() == content)
      #expect(try await peer.receive(sent[3]) == content)
      try await alice.settle()
      await alice.agent.close()
      if !isReached { break }
      commit += 1
    }
    // Both commands, the steps of two chunks in each direction, and what ends them.
    #expect(crashes >= 10)
    await peer.agent.close()
    await relay.stop()
  }

  /// Killed at any time, and opened again: all files arrive, chunks that were finished are not transferred again, and
  /// nothing is left of them.
  @Test func finishAfterKillsAtAnyTime() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let files = (0..<10).map { (id: newFileID(), content: randomBytes(60_000 * ($0 + 1))) }
    for file in files {
      try await alice.agent.sendFile(
        file.id, user: alice.user, source: try alice.write(file.content, file.id.text), name: "a", recipients: 1)
    }
    for _ in 0..<10 {
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60)))
      try await alice.restart()
    }
    var descriptions: [FileDescription] = []
    for file in files { descriptions.append(try await alice.sent(file.id).recipients[0]) }
    let received = descriptions.map { (id: newFileID(), description: $0) }
    for (index, file) in received.enumerated() {
      try await alice.agent.receiveFile(
        file.id, user: alice.user, file.description, to: alice.destination("d\(index)"), approvedRelays: true)
    }
    for _ in 0..<10 {
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60)))
      try await alice.restart()
    }
    for (index, file) in received.enumerated() {
      _ = try await alice.received(file.id)
      #expect(try alice.destination("d\(index)").contents() == files[index].content)
    }
    try await alice.settle()
    let names = try FileManager.default.contentsOfDirectory(atPath: alice.folder)
    #expect(!names.contains { $0.hasSuffix(".part") })
    await alice.agent.close()
    await relay.stop()
  }

  /// The folders of an application are at another place after an update or a restore.
  @Test func finishAfterAMove() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(700_000)
    let (_, recipients) = try await alice.send(content)
    try await alice.agent.setNetwork(online: false)
    let (sending, receiving) = (newFileID(), newFileID())
    _ = try alice.write(content, "source")
    try await alice.agent.receiveFile(
      receiving, user: alice.user, recipients[0], to: LocalFile(path: "destination"), approvedRelays: true)
    await alice.agent.stopFiles()
    try await alice.agent.sendFile(
      sending, user: alice.user, source: LocalFile(path: "source"), name: "a", recipients: 1)
    try await alice.restart(moves: true)
    let (_, sent) = try await alice.sent(sending)
    #expect(try await alice.received(receiving) == 700_000)
    #expect(try alice.destination().contents() == content)
    #expect(try await alice.receive(sent[0]) == content)
    // A folder that is known only later counts from then on.
    try await alice.agent.startFiles(in: alice.work)
    await alice.agent.setFilesFolder(alice.folder)
    let third = newFileID()
    try await alice.agent.receiveFile(
      third, user: alice.user, recipients[1], to: LocalFile(path: "third"), approvedRelays: true)
    #expect(try await alice.received(third) == 700_000)
    #expect(try alice.destination("third").contents() == content)
    await alice.agent.close()
    await relay.stop()
  }

  /// What relays have is not uploaded again, and what is here not downloaded.
  @Test func finishedChunksAreNotRepeated() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) { $0.configuration.chunksPerRelay = 1 }
    let content = randomBytes(2_600_000)
    let (sending, receiving) = (newFileID(), newFileID())
    try await alice.agent.sendFile(
      sending, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
    func sent() async throws -> Int64 {
      try await alice.next { if case .fileSendProgress(sending, let sent, _) = $0 { sent } else { nil } }
    }
    func received() async throws -> Int64 {
      try await alice.next { if case .fileReceiveProgress(receiving, let received, _) = $0 { received } else { nil } }
    }
    _ = try await sent()
    let uploaded = try await sent()
    try await alice.restart()
    #expect(try await sent() > uploaded)
    let (_, recipients) = try await alice.sent(sending)
    try await alice.agent.receiveFile(
      receiving, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    _ = try await received()
    let downloaded = try await received()
    try await alice.restart()
    #expect(try await received() > downloaded)
    _ = try await alice.received(receiving)
    #expect(try alice.destination().contents() == content)
    #expect(Int(relay.server.usage.chunks) == recipients[0].chunks.count)
    await alice.agent.close()
    await relay.stop()
  }

  /// Events are delivered again until they are confirmed.
  @Test func eventsAreRepeated() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(100)), name: "a", recipients: 1)
    let (sender, recipients) = try await alice.sent(file)
    try await alice.restart()
    let again = try await alice.sent(file)
    #expect(again.sender == sender)
    #expect(again.recipients == recipients)
    await alice.agent.close()
    await relay.stop()
  }

  /// Only folders of files in progress stay, and what is not the agent's.
  @Test func orphansAreRemoved() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    await relay.stop()
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(100)), name: "a", recipients: 1)
    let own = "\(file.text).snd.xftp"
    while alice.leftovers != [own] { try await Task.sleep(for: .milliseconds(5)) }
    for name in ["\(newFileID().text).snd.xftp", "\(file.text).rcv.xftp", "something"] {
      try FileManager.default.createDirectory(atPath: "\(alice.work)/\(name)", withIntermediateDirectories: true)
      try Data([1]).write(to: URL(filePath: "\(alice.work)/\(name)/1"))
    }
    try await alice.restart()
    #expect(alice.leftovers == [own, "something"].sorted())
    await alice.agent.close()
  }

  /// A suspended agent transfers nothing, and continues when it is active again; likewise without a network.
  @Test(arguments: [true, false])
  func suspendedOrOffline(suspends: Bool) async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    if suspends {
      try await alice.agent.suspend(timeout: 1_000)
      _ = try await alice.next { if case .suspended = $0 { true } else { nil } }
    } else {
      try await alice.agent.setNetwork(online: false)
    }
    let content = randomBytes(9_000_000)
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
    try await Task.sleep(for: .milliseconds(100))
    #expect(relay.server.connectionCounts.accepted == 0)
    if suspends { try await alice.agent.activate() } else { try await alice.agent.setNetwork(online: true) }
    // In the middle of it once more.
    _ = try await alice.next { if case .fileSendProgress(file, _, _) = $0 { true } else { nil } }
    if suspends {
      try await alice.agent.suspend(timeout: 1_000)
      _ = try await alice.next { if case .suspended = $0 { true } else { nil } }
      try await alice.agent.activate()
    } else {
      try await alice.agent.setNetwork(online: false)
      try await alice.agent.setNetwork(online: true)
    }
    let (_, recipients) = try await alice.sent(file)
    try await alice.agent.reconfigure { $0.configuration.isolation = .perConnection }
    #expect(try await alice.receive(recipients[0]) == content)
    await alice.agent.close()
    await relay.stop()
  }

  /// An extension of an application sends what its user shares, and leaves the rest to the application.
  @Test func whereOnlySendingIsStarted() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(100_000)
    let (sender, recipients) = try await alice.send(content)
    let (_, others) = try await alice.send(content)
    try await alice.agent.startFiles(in: alice.work, files: alice.folder, onlySends: true)
    let receiving = newFileID()
    try await alice.agent.receiveFile(
      receiving, user: alice.user, others[0], to: alice.destination(), approvedRelays: true)
    try await alice.agent.deleteSentFilesAtRelays([(id: newFileID(), user: alice.user, description: sender)])
    let chunks = relay.server.usage.chunks
    let (_, sent) = try await alice.send(content)
    #expect(relay.server.usage.chunks > chunks)
    #expect(!FileManager.default.fileExists(atPath: alice.destination().path))
    try await alice.agent.startFiles(in: alice.work, files: alice.folder)
    #expect(try await alice.received(receiving) == 100_000)
    await #expect(throws: FileAgent.Failed.self) { try await alice.receive(recipients[0]) }
    #expect(try await alice.receive(sent[0]) == content)
    await alice.agent.close()
    await relay.stop()
  }

  /// The files of a deleted user are not transferred any more.
  @Test func ofADeletedUser() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    await relay.stop()
    try await alice.agent.sendFile(
      newFileID(), user: alice.user, source: try alice.write(randomBytes(100)), name: "a", recipients: 1)
    try await alice.agent.deleteUser(alice.user, deletingQueues: false)
    #expect(try await alice.openFileCount == 0)
    await #expect(throws: AgentError.noUser) {
      try await alice.agent.sendFile(
        newFileID(), user: alice.user, source: alice.destination(), name: "a", recipients: 1)
    }
    try await alice.restart()
    #expect(alice.leftovers.isEmpty)
    await alice.agent.close()
  }
}

extension FileAgent {
  /// The number of files in progress.
  fileprivate var openFileCount: Int {
    get async throws {
      let open = try await agent.look { (engine, _) throws(AgentError) in try engine.openFiles() }
      return open.sent.count + open.received.count
    }
  }
}
