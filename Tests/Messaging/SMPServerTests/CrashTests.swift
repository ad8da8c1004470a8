import Foundation
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import SimplexTesting
import Synchronization
import Testing

/// The server as a program: initialized, killed at random moments under load, started again.
///
/// `SIMPLEX_SOAK=1` runs 50 rounds instead of 3. The moments and the messages follow from the seed; what the server has
/// done by then does not.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CrashTests {
  /// What senders and recipients know to be true, in spite of all crashes.
  private struct Ledger {
    /// Messages that the relay said OK to.
    var accepted: Set<[UInt8]> = []
    /// Messages whose answer was lost: they may or may not be there.
    var unknown: Set<[UInt8]> = []
    /// Messages whose acknowledgement the relay said OK to.
    var acknowledged: Set<[UInt8]> = []
    var received: Set<[UInt8]> = []
  }

  /// What happened in a round so far.
  private final class Progress: Sendable {
    let accepted = Atomic<Int>(0)
  }

  @Test(arguments: propertySeeds(1)) func acceptedMessagesSurviveKills(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let rounds = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] == "1" ? 50 : 3
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run(["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
    var process = try await program.start()
    let setup = try await process.client()
    var queues: [TestQueue] = []
    for _ in 0..<4 {
      var queue = try await setup.newQueue(subscription: .onlyCreate)
      try await setup.secure(&queue, kind: .ed25519)
      queues.append(queue)
    }
    var ledgers = [Ledger](repeating: Ledger(), count: queues.count)
    for _ in 0..<rounds {
      let port = process
      let progress = Progress()
      let delay = Int.random(in: 20...600, using: &random)
      let kill = Task {
        // However busy the machine is, commands are in flight, unless the server answers none.
        for _ in 0..<1_000 where progress.accepted.load(ordering: .relaxed) == 0 {
          try await Task.sleep(for: .milliseconds(10))
        }
        try await Task.sleep(for: .milliseconds(delay))
        port.kill()
      }
      await withTaskGroup(of: (Int, Ledger).self) { group in
        for (index, queue) in queues.enumerated() {
          let ledger = ledgers[index]
          let bodies = InsecureSeededRandom(seed: random.next())
          group.addTask { (index, await Self.exchange(queue, process: port, ledger, progress, bodies)) }
        }
        for await (index, ledger) in group { ledgers[index] = ledger }
      }
      try await kill.value
      try SQLiteConnection(path: program.database).checkIntegrity()
      process = try await program.start()
    }
    for (queue, ledger) in zip(queues, ledgers) {
      let ledger = try await Self.drain(queue, process, ledger)
      #expect(ledger.accepted.subtracting(ledger.received).isEmpty, "messages were lost")
      #expect(ledger.received.isSubset(of: ledger.accepted.union(ledger.unknown)), "messages out of nowhere")
    }
    #expect(ledgers.reduce(0) { $0 + $1.accepted.count } > 0)
    process.terminate()
    try await process.waitForExit()
  }

  /// Sends and receives until the connection breaks.
  private static func exchange(
    _ queue: TestQueue, process: ServerProgram.Running, _ known: Ledger, _ progress: Progress,
    _ bodies: InsecureSeededRandom
  ) async -> Ledger {
    var ledger = known
    var pending: [UInt8]?
    do {
      let client = try await process.client()
      var random = bodies
      guard try await client.ask(.sub, queue.recipient, key: queue.key) == .sok(nil) else { return ledger }
      while true {
        let body = random.bytes(2_000)
        pending = body
        guard try await client.sendMessage(body, to: queue) == .ok else { continue }
        ledger.accepted.insert(body)
        progress.accepted.add(1, ordering: .relaxed)
        pending = nil
        var delivery = try await client.event().message
        for _ in 0..<4 {
          let (id, received) = try queue.body(delivery)
          note(received, &ledger)
          let answer = try await client.acknowledge(id, queue)
          ledger.acknowledged.insert(received)
          if answer == .ok { break }
          delivery = answer
        }
      }
    } catch {
      if let pending { ledger.unknown.insert(pending) }
      return ledger
    }
  }

  private static func note(_ body: [UInt8], _ ledger: inout Ledger) {
    #expect(!ledger.acknowledged.contains(body), "an acknowledged message came again")
    ledger.received.insert(body)
  }

  /// Receives everything that waits.
  private static func drain(
    _ queue: TestQueue, _ process: ServerProgram.Running, _ known: Ledger
  ) async throws -> Ledger {
    var ledger = known
    let client = try await process.client()
    while case .msg(let message) = try await client.ask(.get, queue.recipient, key: queue.key) {
      let (id, body) = try queue.body(.msg(message))
      note(body, &ledger)
      #expect(try await client.acknowledge(id, queue) == .ok)
    }
    return ledger
  }
}
