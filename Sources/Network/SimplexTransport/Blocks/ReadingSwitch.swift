import NIOConcurrencyHelpers
import NIOCore

/// Resumes reading when the consumer of an asynchronous sequence of blocks has caught up, and closes the connection
/// when the consumer is gone.
final class ReadingSwitch: NIOAsyncSequenceProducerDelegate {
  private struct WeakConnection {
    weak var connection: BlockConnection?
  }

  private let target = NIOLockedValueBox(WeakConnection())

  func attach(_ connection: BlockConnection) {
    target.withLockedValue { $0.connection = connection }
  }

  func produceMore() {
    guard let connection = target.withLockedValue({ $0.connection }) else { return }
    connection.perform { connection.setReading(true) }
  }

  func didTerminate() {
    target.withLockedValue { $0.connection }?.close()
  }
}
