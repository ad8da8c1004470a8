import SMPServerCore
import WireCodec

/// Notifications that wait for their notifiers, while the relay is stopped: one in a line, as identifiers of notifier
/// and message in base64url and the time in seconds since 1970.
///
/// Only a stop in order writes it. What a crash loses are notifications, never messages.
struct NotificationsFile {
  let path: String

  /// Writes what waits in the relay.
  func save(_ relay: Relay) throws(SMPServerError) {
    let lines = relay.withShards { $0.savedNotifications }.joined().map { id, notification in
      "\(Base64URL.string(id)),\(Base64URL.string(notification.messageID)),\(notification.timestamp)\n"
    }
    try TextFile.write(lines.joined(), to: path)
  }

  /// Puts back what waited, as far as it is not too old and its queue still exists; the file is gone afterwards, so
  /// that nothing of it comes a second time after a crash.
  func restore(_ relay: Relay) throws(SMPServerError) {
    guard let text = try TextFile.read(path) else { return }
    let oldest = currentSeconds() - relay.configuration.notificationTTL
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ",")
      // A damaged line costs its notification, not the start of the relay.
      guard fields.count == 3, let time = Int64(fields[2]), let id = Base64URL.decode(Array(fields[0].utf8)),
        let messageID = Base64URL.decode(Array(fields[1].utf8))
      else { continue }
      if time < oldest {
        relay.statistics.count(.notificationExpired)
      } else if case .success(let queue?) = relay.result({ () throws(StoreFailure) in
        try relay.store.queue(.notifier(id))
      }) {
        let notification = PendingNotification(messageID: messageID, timestamp: time)
        relay.withShard(of: queue.number) { $0.restore(notification, of: queue) }
      }
    }
    try TextFile.remove(path)
  }
}
