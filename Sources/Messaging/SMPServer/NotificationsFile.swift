import FileAccess
import SMPServerCore
import WireCodec

/// Waiting notifications while the relay is stopped: one in a line, as identifiers of notifier and message in base64url
/// and the time in seconds since 1970.
///
/// Only a graceful stop writes it. A crash loses notifications, never messages.
struct NotificationsFile {
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
  func restore(_ relay: Relay) throws(FileError) {
    guard let text = try WholeFile.text(path) else { return }
    let oldest = currentSeconds() - relay.configuration.notificationTTL
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ",")
      // A damaged line loses its notification, and does not prevent the start of the relay.
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
    try WholeFile.remove(path)
  }
}
