import AgentCore
import AgentEngine
import AgentStore
import Foundation
import SMPProtocol
import SimplexCrypto
import Testing
import XFTPProtocol

@testable import SimplexAgent

@Suite("Files whose temporary files are lost, or find no room", .timeLimit(.minutes(2)))
struct FileRecoveryTests {
  private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  /// A chunk that was received and is gone, or is shorter, is received again.
  @Test(arguments: [true, false]) func missingChunksAreReceivedAgain(isRemoved: Bool) async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) { $0.configuration.chunksPerRelay = 1 }
    let content = randomBytes(2_600_000)
    let (_, recipients) = try await alice.send(content)
    let file = newFileID()
    try await alice.agent.receiveFile(
      file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    for _ in 0..<2 { try await alice.next { if case .fileReceiveProgress(file, _, _) = $0 { () } else { nil } } }
    await alice.agent.stopFiles()
    let chunk = "\(alice.work)/\(file.text).rcv.xftp/1"
    if isRemoved { try remove(chunk) } else { try Data([1, 2, 3]).write(to: URL(filePath: chunk)) }
    try await alice.restart()
    #expect(try await alice.received(file) == 2_600_000)
    #expect(try alice.destination().contents() == content)
    try await alice.settle()
    await alice.agent.close()
    await relay.stop()
  }

  /// A file that counts as complete, and of which a chunk was never received, fails.
  @Test func aFileWithoutAChunkFails() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let (_, recipients) = try await alice.send(randomBytes(100))
    try await alice.settle()
    await relay.stop()
    try await alice.agent.setNetwork(online: false)
    let file = newFileID()
    try await alice.agent.receiveFile(
      file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    await alice.agent.stopFiles()
    _ = try await alice.agent.rows(of: "UPDATE received_files SET status = 1")
    try await alice.restart()
    await #expect { try await alice.received(file) } throws: { error in
      if case .internalError = (error as? FileAgent.Failed)?.error { true } else { false }
    }
    try await alice.settle()
    await alice.agent.close()
  }

  /// An encrypted form that is missing or damaged is made again; with another key, since its nonce was used.
  @Test(arguments: [true, false]) func aMissingSealedFormIsMadeAgain(isRemoved: Bool) async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    try await alice.agent.setNetwork(online: false)
    let content = randomBytes(300_000)
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
    try await alice.sealed()
    await alice.agent.stopFiles()
    let sealed = "\(alice.work)/\(file.text).snd.xftp/sealed"
    if isRemoved {
      try remove(sealed)
    } else {
      // As a power failure leaves it: the size is there, and the bytes are not.
      let size = try #require(FileManager.default.attributesOfItem(atPath: sealed)[.size] as? Int)
      try Data(count: size).write(to: URL(filePath: sealed))
    }
    try await alice.restart()
    let (_, recipients) = try await alice.sent(file)
    #expect(try await alice.receive(recipients[0]) == content)
    await alice.agent.close()
    await relay.stop()
  }

  /// What a relay has of the one before is deleted there.
  @Test func aSealedFormThatWasSentInPartIsMadeAgain() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    let content = randomBytes(12_000_000)
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
    try await alice.next { if case .fileSendProgress(file, _, _) = $0 { () } else { nil } }
    await alice.agent.stopFiles()
    try remove("\(alice.work)/\(file.text).snd.xftp/sealed")
    try await alice.restart()
    let (_, recipients) = try await alice.sent(file)
    #expect(try await alice.receive(recipients[0]) == content)
    while relay.server.usage.chunks > recipients[0].chunks.count { try await Task.sleep(for: .milliseconds(10)) }
    try await alice.settle()
    await alice.agent.close()
    await relay.stop()
  }

  /// A chunk is not retried only at the time that a clock far ahead has determined.
  @Test func aWrongClockDelaysNothing() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    try await alice.agent.setNetwork(online: false)
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(30_000)), name: "a", recipients: 1)
    try await alice.sealed()
    let found = try await alice.toSend()
    guard case .send(let chunk, let known) = try #require(found.first) else { return }
    let error = AgentError.fileServer(chunk.server, .timeout)
    _ = try await alice.agent.run { (engine, now) throws(AgentError) in
      // The pause is random, and may be short.
      try engine.sendingFailed(chunk, of: known, error, isTemporary: true, now: now + 60_000)
    }
    #expect(try await alice.toSend().isEmpty)
    _ = try await alice.agent.run { (engine, now) throws(AgentError) in
      try engine.sendingFailed(chunk, of: known, error, isTemporary: true, now: now + 20 * 3_600_000)
    }
    #expect(try await alice.toSend().count == found.count)
    await alice.agent.close()
    await relay.stop()
  }

  /// What happens to chunks of an encrypted form that was replaced meanwhile says nothing about the new one.
  @Test func chunksOfAnEarlierFormDoNotCount() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()])
    try await alice.agent.setNetwork(online: false)
    let file = newFileID()
    try await alice.agent.sendFile(
      file, user: alice.user, source: try alice.write(randomBytes(300_000)), name: "a", recipients: 1)
    try await alice.sealed()
    let found = try await alice.toSend()
    guard case .send(let chunk, let known) = try #require(found.first) else { return }
    var random = SystemRandom()
    let form = EncryptedForm(
      key: BoxKey(using: &random), nonce: BoxNonce(using: &random), digest: randomBytes(64), size: known.size)
    let chunks = found.compactMap { work -> (number: Int, offset: Int64, size: UInt32, digest: [UInt8])? in
      guard case .send(let chunk, _) = work else { return nil }
      return (number: chunk.number, offset: chunk.offset, size: chunk.size, digest: randomBytes(32))
    }
    _ = try await alice.agent.run { (engine, now) throws(AgentError) in
      try engine.sealedFormMissing(chunk, of: known, now: now)
    }
    _ = try await alice.agent.run { (engine, now) throws(AgentError) in
      try engine.sealed(known, form, chunks: chunks, now: now)
    }
    // The steps of the earlier form end now.
    let isWanted = try await alice.agent.change { (engine, now) throws(AgentError) in
      try engine.created(chunk, of: known, sender: EntityID(randomBytes(24)), recipients: [], now: now)
    }
    #expect(!isWanted)
    _ = try await alice.agent.run { (engine, now) throws(AgentError) in
      try engine.sealedFormMissing(chunk, of: known, now: now)
    }
    let status = try await alice.agent.look { (engine, _) throws(AgentError) in try engine.sentChunks(of: known) }
    #expect(status != nil, "not sealed a third time")
    for chunk in found {
      guard case .send(let chunk, let known) = chunk else { continue }
      _ = try await alice.agent.run { (engine, now) throws(AgentError) in
        try engine.sent(chunk, of: known, now: now)
      }
    }
    let described = try await alice.agent.look { (engine, now) throws(AgentError) in
      try engine.fileWork(in: .describing, limit: 1, now: now).work.count
    }
    #expect(described == 0, "the file counts as uploaded, but no relay has its chunks")
    await alice.agent.close()
    await relay.stop()
  }

  /// A small file does not wait until a large one that was accepted before is transferred.
  @Test func smallFilesComeFirst() async throws {
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) { $0.configuration.chunksPerRelay = 1 }
    try await alice.agent.setNetwork(online: false)
    let (large, small) = (randomBytes(14_000_000), randomBytes(1_000))
    for (index, content) in [large, small].enumerated() {
      try await alice.agent.sendFile(
        newFileID(), user: alice.user, source: try alice.write(content, "s\(index)"), name: "a", recipients: 1)
    }
    try await alice.sealed()
    try await alice.agent.setNetwork(online: true)
    var descriptions: [FileDescription] = []
    for _ in 0..<2 {
      descriptions.append(
        try await alice.next {
          if case .fileSent(_, _, _, let recipients) = $0 { recipients.description(at: 0) } else { nil }
        })
    }
    #expect(descriptions[0].size < descriptions[1].size)
    try await alice.agent.setNetwork(online: false)
    for (index, description) in descriptions.reversed().enumerated() {
      try await alice.agent.receiveFile(
        newFileID(), user: alice.user, description, to: alice.destination("d\(index)"), approvedRelays: true)
    }
    try await alice.agent.setNetwork(online: true)
    var sizes: [Int64] = []
    for _ in 0..<2 {
      sizes.append(try await alice.next { if case .fileReceived(_, let size) = $0 { size } else { nil } })
    }
    #expect(sizes == [1_000, 14_000_000])
    await alice.agent.close()
    await relay.stop()
  }

  #if os(Linux)
    /// A disk that is full while a chunk arrives is reported, and the file arrives when there is room.
    @Test func aFullDiskDelaysAChunk() async throws {
      let relay = try await LoopbackFileRelay.start()
      let alice = try await FileAgent([relay.userServer()])
      let content = randomBytes(300_000)
      let (_, recipients) = try await alice.send(content)
      try await alice.settle()
      let file = newFileID()
      let place = "\(alice.work)/\(file.text).rcv.xftp"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      // Writing there fails as on a full disk; the draft is removed then.
      try FileManager.default.createSymbolicLink(atPath: place + "/1.part", withDestinationPath: "/dev/full")
      try await alice.agent.receiveFile(
        file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
      try await alice.next { if case .fileReceiveWarning(file, .file(.local)) = $0 { () } else { nil } }
      #expect(try await alice.received(file) == 300_000)
      #expect(try alice.destination().contents() == content)
      await alice.agent.close()
      await relay.stop()
    }

    /// The same where a file is encrypted, and where a description is: its text is kept.
    @Test(arguments: [true, false]) func aFullDiskDelaysEncryption(isDescription: Bool) async throws {
      let relay = try await LoopbackFileRelay.start()
      let alice = try await FileAgent([relay.userServer()])
      let (content, file) = (randomBytes(300_000), newFileID())
      let place = "\(alice.work)/\(file.text).snd.xftp"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: place + "/sealed", withDestinationPath: "/dev/full")
      if isDescription {
        let (_, recipients) = try await alice.send(content)
        try await alice.agent.sendDescription(file, user: alice.user, recipients[0], recipients: 1)
      } else {
        try await alice.agent.sendFile(
          file, user: alice.user, source: try alice.write(content), name: "a", recipients: 1)
      }
      try await alice.next { if case .fileSendWarning(file, .file(.local)) = $0 { () } else { nil } }
      try await alice.restart()
      let (_, recipients) = try await alice.sent(file)
      #expect(try await alice.receive(recipients[0]) == content)
      try await alice.settle()
      await alice.agent.close()
      await relay.stop()
    }

    /// Files for which there is no room do not keep smaller ones from being sent.
    @Test func aFullDiskDelaysNoOthers() async throws {
      let relay = try await LoopbackFileRelay.start()
      let alice = try await FileAgent([relay.userServer()])
      let source = try alice.write(randomBytes(300_000))
      let (large, small) = ([newFileID(), newFileID()], newFileID())
      func fillDisk(for file: AgentFileID) throws {
        let place = "\(alice.work)/\(file.text).snd.xftp"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try? FileManager.default.createSymbolicLink(atPath: place + "/sealed", withDestinationPath: "/dev/full")
      }
      for file in large {
        try fillDisk(for: file)
        try await alice.agent.sendFile(file, user: alice.user, source: source, name: "a", recipients: 1)
        try await alice.next { if case .fileSendWarning(file, _) = $0 { () } else { nil } }
        // An attempt with another file that began with this one has ended, too.
        try await Task.sleep(for: .milliseconds(100))
        for file in large { try fillDisk(for: file) }
      }
      try await alice.agent.sendFile(small, user: alice.user, source: source, name: "b", recipients: 1)
      var isSent = false
      while !isSent {
        isSent = try await alice.next {
          switch $0 {
          case .fileSent(small, _, _, _): true
          case .fileSendWarning: false
          default: nil
          }
        }
        for file in large { try fillDisk(for: file) }
      }
      await alice.agent.close()
      await relay.stop()
    }

    /// The same where a file is decrypted: its chunks are kept.
    @Test func aFullDiskDelaysDecryption() async throws {
      let relay = try await LoopbackFileRelay.start()
      let alice = try await FileAgent([relay.userServer()])
      let content = randomBytes(300_000)
      let (_, recipients) = try await alice.send(content)
      try await alice.settle()
      let file = newFileID()
      try FileManager.default.createSymbolicLink(
        atPath: "\(alice.folder)/.\(file.text).part", withDestinationPath: "/dev/full")
      try await alice.agent.receiveFile(
        file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
      try await alice.next { if case .fileReceiveWarning(file, .file(.local)) = $0 { () } else { nil } }
      let downloads = relay.server.statistics.value(.fileDownloads)
      try await alice.restart()
      #expect(try await alice.received(file) == 300_000)
      #expect(try alice.destination().contents() == content)
      #expect(relay.server.statistics.value(.fileDownloads) == downloads)
      await alice.agent.close()
      await relay.stop()
    }
  #endif
}

extension FileAgent {
  /// The chunks to send now.
  fileprivate func toSend() async throws -> [FileWork] {
    try await agent.look { (engine, now) throws(AgentError) in
      for lane in try engine.fileLanes() {
        if case .sending = lane { return try engine.fileWork(in: lane, limit: 9, now: now).work }
      }
      return []
    }
  }

  /// Waits until all files to send are encrypted.
  fileprivate func sealed() async throws {
    while try await agent.look({ (engine, now) throws(AgentError) in
      try !engine.fileWork(in: .sealing, limit: 1, now: now).work.isEmpty
    }) { try await Task.sleep(for: .milliseconds(5)) }
  }
}
