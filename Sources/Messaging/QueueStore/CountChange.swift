import SMPProtocol
import SMPServerCore
import SQLiteKit

/// How the totals of what is stored are changed by the transaction that is under way.
struct CountChange: Equatable {
  var queues = 0
  var messages = 0
  var notifiers = 0
  /// Queues whose recipient belongs to a service, and those whose notifier does.
  var serviceQueues = 0
  var serviceNotifiers = 0
  var recipientServices = 0
  var notifierServices = 0

  /// Counts a queue that is added (1) or removed (-1).
  mutating func count(_ queue: QueueRecord, _ change: Int) {
    queues += change
    if queue.serviceID != nil { serviceQueues += change }
    count(queue.notifier, change)
  }

  /// Counts a notifier that is added (1) or removed (-1).
  mutating func count(_ notifier: QueueRecord.Notifier?, _ change: Int) {
    guard let notifier else { return }
    notifiers += change
    if notifier.serviceID != nil { serviceNotifiers += change }
  }

  /// Counts a service that is added (1) or removed (-1), by the letter of its role.
  mutating func countService(role: Int64, _ change: Int) {
    if role == Int64(ServiceRole.messaging.letter) { recipientServices += change }
    if role == Int64(ServiceRole.notifier.letter) { notifierServices += change }
  }

  /// Writes the change into the transaction.
  func write(to database: SQLiteConnection) throws(SQLiteError) {
    guard self != CountChange() else { return }
    try database.execute(
      QueueSQL.addToCounts, Int64(queues), Int64(messages), Int64(notifiers), Int64(serviceQueues),
      Int64(serviceNotifiers), Int64(recipientServices), Int64(notifierServices))
  }
}
