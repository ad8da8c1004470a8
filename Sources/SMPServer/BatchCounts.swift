import SMPProtocol
import SMPServerCore

// Clients that have many queues send commands about all of them in a few blocks, and are told about many in a few. The
// numbers of blocks are counted beside those of queues, as in the reference server.

extension ServerStatistics {
  /// Events that fit into a block.
  private static let endsInBlock = 255
  private static let notificationsInBlock = 80

  /// Counts a block with several commands that is all about one thing.
  func countBatch(_ transmissions: [ReceivedTransmission<Command>]) {
    guard transmissions.count > 1 else { return }
    let commands = transmissions.lazy.compactMap { try? $0.message.get() }
    guard let first = commands.first, let event = first.batchEvent else { return }
    if commands.allSatisfy({ $0.party == first.party }) { count(event) }
  }

  /// Counts what ends subscriptions and what notifies among the responses that are written in one go.
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
      count(.subscriptionEndedBatch, by: ends / Self.endsInBlock + 1)
    }
    if notifications > 0 {
      count(.notificationSent, by: notifications)
      count(.notificationSentBatch, by: notifications / Self.notificationsInBlock + 1)
    }
  }
}

extension Command {
  /// What a block counts as that begins with this command.
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
