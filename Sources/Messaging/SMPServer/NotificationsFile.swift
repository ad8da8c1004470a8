import FileAccess
import QueueStore
import SMPServerCore
import WireCodec

/// Waiting notifications while the relay is stopped: one in a line, as identifiers of notifier and message in base64url
/// and the time in seconds since 1970.
///
/// Only a graceful stop writes it. A crash loses notifications, never messages.
struct NotificationsFile {
  /// The number of notifications whose queues are read together.
  private static let batch = 1_000

  let path: String

  /// Writes the waiting notifications of the relay.
  func save(_ relay: Relay) throws(FileError) {
    let lines = relay.withShards { $0.savedNotifications }.joined().map { id, notification in
      "\(Base64URL.string(id)),\(Base64URL.string(notification.messageID)),\(notification.timestamp)\n"
    }
    try WholeFile.replace(path, with: lines.joined().utf8)
  }

  /// Restores notifications that are not too old and whose queue still exists; then removes the file, so that nothing
  /// is restored twice after a crash.
  func restore(_ relay: Relay) async throws(FileError) {
    guard let text = try WholeFile.text(path) else { return }
    let oldest = relay.expiryClock.now.map { $0 - relay.configuration.notificationTTL } ?? .min
    var found: [(notifier: [UInt8], notification: PendingNotification)] = []
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ",")
      // A damaged line loses its notification, and does not prevent the start of the relay.
      guard fields.count == 3, let time = Int64(fields[2]), let id = Base64URL.decode(Array(fields[0].utf8)),
        let messageID = Base64URL.decode(Array(fields[1].utf8))
      else { continue }
      if time < oldest {
        relay.statistics.count(.notificationExpired)
      } else {
        found.append((id, PendingNotification(messageID: messageID, timestamp: time)))
      }
    }
    for start in stride(from: 0, to: found.count, by: Self.batch) {
      let batch = found[start..<min(start + Self.batch, found.count)]
      let answers = await relay.store.read(batch.map { .queue(.notifier($0.notifier)) })
      for (answer, saved) in zip(answers, batch) {
        guard case .success(let lookup) = answer.queue, let queue = lookup.record else { continue }
        relay.withShard(of: queue.number) { $0.restore(saved.notification, of: queue) }
      }
    }
    try WholeFile.remove(path)
  }
}
