import SMPProtocol
import SMPServerCore

// Statistics of batches: clients with many queues send commands on all of them in a few blocks, and receive events in a
// few. The blocks are counted in addition to the queues, as in the reference server.

/// Events that fit into a block.
private let endsInBlock = 255
private let notificationsInBlock = 80

extension ServerStatistics {
  /// Counts a block with several commands of one kind.
  func countBatch(_ transmissions: [ReceivedTransmission<Command>]) {
    guard transmissions.count > 1 else { return }
    let commands = transmissions.lazy.compactMap { try? $0.message.get() }
    guard let first = commands.first, let event = first.batchEvent else { return }
    if commands.allSatisfy({ $0.party == first.party }) { count(event) }
  }

  /// Counts the responses of one write that end subscriptions, and those that notify.
  func countEvents(_ items: [Outbox.Item]) {
    var (ends, notifications) = (0, 0)
    for case .response(let response) in items where response.correlation.isNone {
      switch response.body {
      case .plain(.end), .plain(.deld): ends += 1
      case .notification: notifications += 1
      default: break
      }
    }
    if ends > 0 {
      count(.subscriptionEnded, by: ends)
      count(.subscriptionEndedBatch, by: ends / endsInBlock + 1)
    }
    if notifications > 0 {
      count(.notificationSent, by: notifications)
      count(.notificationSentBatch, by: notifications / notificationsInBlock + 1)
    }
  }
}

extension Command {
  /// The event that a block is counted as that begins with this command.
  fileprivate var batchEvent: ServerEvent? {
    switch self {
    case .sub: .subscribedBatch
    case .del: .queueDeletedBatch
    case .ndel: .notifierDeletedBatch
    case .nsub: .notifierSubscribedBatch
    default: nil
    }
  }
}
