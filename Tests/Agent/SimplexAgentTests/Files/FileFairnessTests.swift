import AgentCore
import AgentEngine
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec
import XFTPClient
import XFTPProtocol

@testable import SimplexAgent

@Suite("Whose turn it is to use the network for files")
struct LaneScheduleTests {
  /// Begins steps in a lane until it has to wait; returns how many.
  private func fill(_ lane: FileLane, _ schedule: inout LaneSchedule) -> Int {
    var count = 0
    while schedule.mayBegin(lane, limit: 4) {
      schedule.began(lane)
      count += 1
    }
    if schedule.count(lane) < 4 { schedule.wait(lane) } else { schedule.leave(lane) }
    return count
  }

  @Test func laneInWhichNothingRunsBegins() {
    var schedule = LaneSchedule(limit: 8)
    var begun: [Int] = []
    // Directions do not share, and what needs no relay waits for nothing.
    for lane in [.receiving(1), .receiving(2), .receiving(3), .receiving(4), .sending(1), .opening] as [FileLane] {
      begun.append(fill(lane, &schedule))
    }
    #expect(begun == [4, 4, 1, 1, 4, 4])
  }

  /// What ends goes to the lane in which the fewest run, until all have as many.
  @Test func lanesBecomeEqual() {
    var schedule = LaneSchedule(limit: 8)
    for lane in 1...3 { _ = fill(.receiving(Int64(lane)), &schedule) }
    for lane in [1, 2, 1, 2] as [Int64] {
      schedule.ended(.receiving(lane))
      // The one that ended is asked first.
      _ = fill(.receiving(lane), &schedule)
      while let next = schedule.next(.receiving), fill(next, &schedule) > 0 {}
    }
    let counts = (1...3).map { schedule.count(.receiving($0)) }
    #expect(counts.reduce(0, +) == 8 && counts.allSatisfy { $0 >= 2 })
  }

  /// Lanes in which nothing runs have their turns in order.
  @Test func manyLanesTakeTurns() {
    var schedule = LaneSchedule(limit: 2)
    let lanes = (1...40).map { FileLane.receiving($0) }
    var running: [FileLane] = []
    for lane in lanes where fill(lane, &schedule) > 0 { running.append(lane) }
    #expect(schedule.count(lanes[0]) == 2 && schedule.count(lanes[1]) == 1 && schedule.count(lanes[2]) == 1)
    var order: [FileLane] = []
    while let lane = running.first {
      running.removeFirst()
      while schedule.count(lane) > 0 { schedule.ended(lane) }
      schedule.leave(lane)
      while let next = schedule.next(.receiving) {
        schedule.began(next)
        schedule.leave(next)
        order.append(next)
        running.append(next)
      }
    }
    #expect(order == Array(lanes[3...]))
  }

  @Test func lanesThatLeaveAreNotNext() {
    var schedule = LaneSchedule(limit: 1)
    schedule.began(.receiving(1))
    schedule.began(.receiving(2))
    schedule.wait(.receiving(3))
    schedule.wait(.receiving(4))
    var turns = [schedule.next(.receiving)]
    schedule.ended(.receiving(1))
    turns.append(schedule.next(.receiving))
    let isEarly = schedule.mayBegin(.receiving(4), limit: 4)
    schedule.leave(.receiving(3))
    turns.append(schedule.next(.receiving))
    let isInTurn = schedule.mayBegin(.receiving(4), limit: 4)
    schedule.clear()
    turns.append(schedule.next(.receiving))
    #expect(turns == [nil, .receiving(3), .receiving(4), nil] && !isEarly && isInTurn)
  }
}

@Suite("Files beside relays that do not answer", .timeLimit(.minutes(1)))
struct FileFairnessTests {
  /// A description of a file at a relay that nobody has.
  private func film(at server: XFTPServer, chunks: Int) throws -> FileDescription {
    var random = SystemRandom()
    return FileDescription(
      party: .recipient, size: Int64(chunks) << 22, digest: random.bytes(64), key: BoxKey(using: &random),
      nonce: BoxNonce(using: &random), chunkSize: 4 << 20,
      chunks: (1...chunks).map { number in
        FileChunk(
          number: number, size: 4 << 20, digest: random.bytes(32),
          replicas: [
            FileReplica(
              server: server, id: EntityID(random.bytes(24)), key: .ed25519(Ed25519.PrivateKey(using: &random)))
          ])
      })
  }

  /// Files at relays that never answer hold nothing of what other relays need.
  @Test func aPictureDoesNotWaitForSilentRelays() async throws {
    let silent = [try SilentListener(), try SilentListener(), try SilentListener()]
    let relay = try await LoopbackFileRelay.start()
    let alice = try await FileAgent([relay.userServer()]) {
      $0.configuration.chunksAtOnce = 4
      $0.network.connectTimeout = .seconds(600)
    }
    let content = randomBytes(1_000)
    let (_, recipients) = try await alice.send(content)
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    for (index, listener) in silent.enumerated() {
      let server = XFTPServer(host, port: listener.port, keyHash: randomBytes(32))
      try await alice.agent.receiveFile(
        newFileID(), user: alice.user, try film(at: server, chunks: 8), to: alice.destination("film\(index)"),
        approvedRelays: true)
    }
    for _ in 0..<3 { #expect(try await alice.receive(recipients[0]) == content) }
    await alice.agent.close()
    await relay.stop()
    withExtendedLifetime(silent) {}
  }

  /// An attempt to connect goes on while anybody waits for it.
  @Test func aCancelledFileLeavesTheConnectionToOthers() async throws {
    let relay = try await LoopbackFileRelay.start()
    let network = FileNetwork(Agent.Options())
    for _ in 0..<20 {
      let connections = FileConnections(network)
      let key = FileSessionKey(server: relay.address, user: UserID(rawValue: 1), entity: nil)
      let (first, second) = (
        Task { try await connections.use(key) { (_) async throws(FileClientError) in } },
        Task { try await connections.use(key) { (_) async throws(FileClientError) in } }
      )
      while await !connections.isConnecting(key, for: 2), await !connections.isConnected(key) { await Task.yield() }
      first.cancel()
      _ = try? await first.value
      try await second.value
      await connections.closeAll(network)
    }
    await relay.stop()
  }

  /// What nobody waits for any more ends, and the next command connects anew.
  @Test func anAttemptThatNobodyNeedsEnds() async throws {
    let listener = try SilentListener()
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let key = FileSessionKey(
      server: XFTPServer(host, port: listener.port, keyHash: randomBytes(32)), user: UserID(rawValue: 1), entity: nil)
    var options = Agent.Options()
    options.network.connectTimeout = .seconds(600)
    let connections = FileConnections(FileNetwork(options))
    for _ in 0..<3 {
      let commands = (0..<2).map { _ in
        Task { try await connections.use(key) { (_) async throws(FileClientError) in } }
      }
      while await !connections.isConnecting(key, for: 2) { await Task.yield() }
      var accepted = listener.nextConnection()
      while accepted == nil {
        await Task.yield()
        accepted = listener.nextConnection()
      }
      for command in commands { command.cancel() }
      for command in commands {
        await #expect(throws: FileClientError.network(.cancelled)) { try await command.value }
      }
      #expect(await !connections.isConnecting(key, for: 0))
      while accepted?.isClosed == false { await Task.yield() }
    }
  }

  @Test func timeoutsOfConnectionsAreTimeouts() {
    #expect(FileClientError.network(.connectTimeout(.network)).isTimeout)
    #expect(FileClientError.timeout.isTimeout && !FileClientError.network(.closed).isTimeout)
  }
}
