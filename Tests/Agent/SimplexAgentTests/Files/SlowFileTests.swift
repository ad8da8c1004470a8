import AgentCore
import ChunkStore
import FileTesting
import Foundation
import SMPProtocol
import Synchronization
import Testing
import XFTPProtocol

@testable import SimplexAgent

@Suite("Files over slow or faulty networks", .timeLimit(.minutes(2)))
struct SlowFileTests {
  /// The time counts from the last bytes that came, not for a whole chunk.
  @Test func slowDownloadsSucceed() async throws {
    let relay = try await LoopbackFileRelay.start(store: { store in
      WrappedStore(store) { $0.reading = { _, _ in Thread.sleep(forTimeInterval: 0.1) } }
    })
    let alice = try await FileAgent([relay.userServer()]) {
      $0.network.requestTimeout = .seconds(2)
      $0.fileTimePerKB = .zero
    }
    // A chunk of 4 MB takes more than 6 seconds.
    let content = randomBytes(4_000_000)
    let (_, recipients) = try await alice.send(content)
    let file = newFileID()
    try await alice.agent.receiveFile(
      file, user: alice.user, recipients[0], to: alice.destination(), approvedRelays: true)
    _ = try await alice.received(file)
    #expect(relay.server.statistics.value(.fileDownloads) == Int64(recipients[0].chunks.count))
    await alice.agent.close()
    await relay.stop()
  }

  /// A transfer that the relay gives up does not end the others on its connection.
  @Test func resetTransfersAreAlone() async throws {
    let failures = Mutex(3)
    let relay = try await LoopbackFileRelay.start(store: { store in
      WrappedStore(store) { hooks in
        hooks.reading = { (chunk, _) throws(ChunkStoreError) in
          guard chunk.size == 65_536 else { return Thread.sleep(forTimeInterval: 0.02) }
          let fails = failures.withLock { left in
            left -= 1
            return left >= 0
          }
          if fails { throw .failed("the disk") }
        }
      }
    })
    let alice = try await FileAgent([relay.userServer()])
    let (_, large) = try await alice.send(randomBytes(4_000_000))
    let (_, small) = try await alice.send(randomBytes(1_000))
    let connections = relay.server.connectionCounts.accepted
    let files = [newFileID(), newFileID()]
    for (file, description) in zip(files, [large[0], small[0]]) {
      try await alice.agent.receiveFile(
        file, user: alice.user, description, to: alice.destination(file.text), approvedRelays: true)
    }
    for file in files { _ = try await alice.received(file) }
    #expect(failures.withLock { $0 } < 0)
    #expect(relay.server.connectionCounts.accepted == connections)
    await alice.agent.close()
    await relay.stop()
  }
}
