import NIOCore
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexCrypto
import WireCodec

// How responses are written.

extension ClientSession {
  /// Writes waiting responses, as far as the client takes them. Where messages were dropped from memory, the store is
  /// read first, and nothing is written meanwhile.
  func flush() {
    guard case .open(let established) = phase, !isRereading else { return }
    var hasWritten = false
    while connection.isWritable {
      let items = changeOutbox { $0.take() }
      if items.isEmpty { break }
      let reads = items.compactMap(\.read)
      guard reads.isEmpty else {
        reread(items, reads)
        break
      }
      write(items, established.context)
      hasWritten = true
    }
    if hasWritten {
      activeAt.store(steadySeconds(), ordering: .relaxed)
      connection.flush()
    }
    resumeReadingIfIdle()
  }

  /// Reads the messages again that were dropped from memory, then writes.
  private func reread(_ items: [Outbox.Item], _ reads: [StoreRead]) {
    isRereading = true
    shares.usual.read(size: reads.reduce(0) { $0 + $1.answerSize }) { room in
      self.rereadingRoom = room
      self.relay.store.read(reads) { answers, _ in
        self.connection.perform { self.write(items, answers) }
      }
    }
  }

  /// Writes messages that were read again.
  private func write(_ items: [Outbox.Item], _ answers: [StoreAnswer]) {
    shares.usual.readEnded(after: .zero)
    isRereading = false
    rereadingRoom = nil
    guard case .open(let established) = phase else { return }
    var answers = StoreAnswers(answers)
    var lost: [(queue: QueueNumber, message: [UInt8])] = []
    let complete = items.compactMap { item in
      item.complete(&answers) { queue, message in
        lost.append((queue, message))
        return relay.withShard(of: queue) { $0.isReading(message, of: queue, by: Client(self)) }
      }
    }
    write(complete, established.context)
    for (queue, message) in lost {
      relay.update(queue) { $0.notSent(message, of: queue, to: Client(self)) }
    }
    connection.flush()
    flush()
  }

  private func write(_ items: [Outbox.Item], _ context: SessionContext) {
    var random = SystemRandom()
    var batch = BlockBatch(context)
    relay.statistics.countEvents(items)
    for case .response(let response) in items {
      let start = response.isForwardedRefusal ? NIODeadline.now() : nil
      defer {
        if let start {
          let end = NIODeadline.now()
          addForwardedRefusal(end - start, at: end)
        }
      }
      do throws(WireError) {
        try batch.add { (writer) throws(WireError) in try response.write(in: context, to: &writer, using: &random) }
      } catch {
        try? batch.add { (writer) throws(WireError) in
          try context.write(
            .err(.LARGE_MSG), entity: response.entity, correlation: response.correlation, to: &writer)
        }
      }
    }
    do {
      for block in try batch.takeBlocks(sealing: &sealing) { try connection.write(block.span.bytes) }
    } catch {
      connection.close()
    }
  }
}

extension Response {
  /// Whether it refuses a forwarded command; its boxes are then refused work.
  fileprivate var isForwardedRefusal: Bool {
    guard case .forwarded(let sealing) = body, case .plain(.err) = sealing.response.body else { return false }
    return true
  }
}
