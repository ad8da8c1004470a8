import NotificationProtocol
import NotificationServerCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

extension NotificationDatabase {
  private static let subscriptionColumns = """
    subscription_id, token_no, address, notifier_id, notifier_key, status FROM subscriptions JOIN relays USING (relay_no)
    """

  private static func subscription(_ row: borrowing SQLiteRow) throws(SQLiteError) -> SubscriptionRecord {
    let status = try status(of: row.optionalText(5))
    let id = try row.bytes(0)
    let token = try row.integer(1)
    let queue = try queue(row, address: 2, notifier: 3)
    let key = try key(row, 4)
    return SubscriptionRecord(
      id: EntityID(id), token: TokenNumber(token), queue: queue, notifierKey: key, status: status)
  }

  private static func status(of text: String?) throws(SQLiteError) -> NotifierStatus {
    guard let text else { return .new }
    do { return try NotifierStatus.codec.decode(text: text) } catch {
      throw SQLiteError(.other, "the status of a subscription is damaged")
    }
  }

  func subscription(_ id: EntityID) throws(NotificationStoreError) -> SubscriptionRecord? {
    try attempt { () throws(SQLiteError) in
      try connection.first("SELECT \(Self.subscriptionColumns) WHERE subscription_id = ?", id.bytes) {
        (row) throws(SQLiteError) in try Self.subscription(row)
      }
    }
  }

  func subscription(of queue: NotifierQueue) throws(NotificationStoreError) -> SubscriptionRecord? {
    try attempt { () throws(SQLiteError) in
      guard let relay = try number(of: queue.relay) else { return nil }
      return try connection.first(
        "SELECT \(Self.subscriptionColumns) WHERE notifier_id = ? AND relay_no = ?", queue.notifier.bytes, relay
      ) { (row) throws(SQLiteError) in try Self.subscription(row) }
    }
  }

  func insert(_ subscription: SubscriptionRecord) throws(NotificationStoreError) {
    let status = try Self.text(of: subscription.status)
    try attempt { () throws(SQLiteError) in
      let relay = try addedNumber(of: subscription.queue.relay)
      try connection.execute(
        """
        INSERT INTO subscriptions (subscription_id, token_no, relay_no, notifier_id, notifier_key, status)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        subscription.id.bytes, subscription.token.value, relay, subscription.queue.notifier.bytes,
        subscription.notifierKey.der, status)
    }
  }

  /// The stored status: NULL for one that is subscribed.
  private static func text(of status: NotifierStatus) throws(NotificationStoreError) -> String? {
    switch status {
    case .new, .pending, .active, .inactive: return nil
    case .end, .deleted, .auth, .service, .error: break
    }
    do { return try NotifierStatus.codec.text(status) } catch { throw .failed("a status has no text form") }
  }

  func setStatus(_ status: NotifierStatus, of queue: NotifierQueue) throws(NotificationStoreError) {
    let text = try Self.text(of: status)
    try attempt { () throws(SQLiteError) in
      guard let relay = try number(of: queue.relay) else { return }
      try connection.execute(
        "UPDATE subscriptions SET status = ? WHERE notifier_id = ? AND relay_no = ?", text, queue.notifier.bytes, relay)
    }
  }

  func deleteSubscription(_ id: EntityID) throws(NotificationStoreError) {
    try attempt { () throws(SQLiteError) in
      _ = try connection.execute("DELETE FROM subscriptions WHERE subscription_id = ?", id.bytes)
    }
  }

  func subscriptionCount(of token: TokenNumber) throws(NotificationStoreError) -> Int {
    try count("SELECT subscriptions FROM tokens WHERE token_no = ?", token.value)
  }

  func isRelayAllowed(
    _ relay: SMPServerAddress, of token: TokenNumber, limit: Int
  ) throws(NotificationStoreError) -> Bool {
    let number = try attempt { () throws(SQLiteError) in try self.number(of: relay) }
    if let number {
      let known = try count(
        "SELECT EXISTS (SELECT 1 FROM subscriptions WHERE token_no = ? AND relay_no = ?)", token.value, number)
      if known > 0 { return true }
    }
    // Steps from relay to relay in the index, whatever the number of subscriptions.
    let relays = try count(
      """
      WITH RECURSIVE steps (relay, n) AS (
        SELECT (SELECT min(relay_no) FROM subscriptions WHERE token_no = ?1), 1
        UNION ALL
        SELECT (SELECT min(relay_no) FROM subscriptions WHERE token_no = ?1 AND relay_no > relay), n + 1
        FROM steps WHERE relay IS NOT NULL AND n <= ?2
      ) SELECT count(relay) FROM steps
      """, token.value, limit)
    return relays < limit
  }

  private func count<each Value: SQLiteBindable>(
    _ sql: String, _ values: repeat each Value
  ) throws(NotificationStoreError) -> Int {
    try attempt { () throws(SQLiteError) in
      try connection.first(sql, repeat each values) { (row) throws(SQLiteError) in Int(try row.integer(0)) } ?? 0
    }
  }

  // MARK: Notifications

  func addNotification(
    _ message: PushedMessage, keeping kept: Int
  ) throws(NotificationStoreError) -> StoredToken? {
    try attempt { () throws(SQLiteError) in
      guard let relay = try number(of: message.queue.relay) else { return nil }
      let numbers = try connection.first(
        "SELECT subscription_no, token_no FROM subscriptions WHERE notifier_id = ? AND relay_no = ?",
        message.queue.notifier.bytes, relay
      ) { (row) throws(SQLiteError) in [try row.integer(0), try row.integer(1)] }
      guard let numbers else { return nil }
      let token = numbers[1]
      let stored = try connection.first(
        "SELECT \(Self.tokenColumns) FROM tokens WHERE token_no = ? AND status = 'ACTIVE'", token
      ) { (row) throws(SQLiteError) in try Self.token(row) }
      guard let stored else { return nil }
      try connection.execute(
        "INSERT OR REPLACE INTO notifications VALUES (?, ?, ?, ?, ?, ?, 0)", numbers[0], token, nextNotification(),
        message.time.seconds, message.notification.nonce.bytes, message.notification.box)
      try connection.execute(
        """
        DELETE FROM notifications WHERE token_no = ?1 AND number <= (
          SELECT number FROM notifications WHERE token_no = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
        """, token, kept)
      try connection.execute("UPDATE tokens SET unsent = 1 WHERE token_no = ? AND unsent = 0", token)
      return stored
    }
  }

  func notifications(of token: TokenNumber, limit: Int) throws(NotificationStoreError) -> [StoredNotification] {
    let newest: [StoredNotification] = try attempt { () throws(SQLiteError) in
      try connection.all(
        """
        SELECT address, notifier_id, time, nonce, box, number, is_sent
        FROM notifications n JOIN subscriptions USING (subscription_no) JOIN relays USING (relay_no)
        WHERE n.token_no = ? ORDER BY number DESC LIMIT ?
        """, token.value, limit
      ) { (row) throws(SQLiteError) in
        let nonceBytes = try row.bytes(3)
        guard let time = UTCTime(seconds: try row.integer(2)), let nonce = try? BoxNonce(nonceBytes.span.bytes) else {
          throw SQLiteError(.other, "a notification is damaged")
        }
        let queue = try Self.queue(row, address: 0, notifier: 1)
        let box = try row.bytes(4)
        let message = PushedMessage(
          queue: queue, time: time, notification: NotificationMessage(nonce: nonce, box: box))
        let number = try row.integer(5)
        return StoredNotification(message: message, number: number, isSent: try row.bool(6))
      }
    }
    return newest.reversed()
  }

  func markSent(upTo number: Int64, of token: TokenNumber) throws(NotificationStoreError) {
    try attempt { () throws(SQLiteError) in
      try connection.execute(
        "UPDATE notifications SET is_sent = 1 WHERE token_no = ? AND number <= ? AND is_sent = 0", token.value, number)
      try connection.execute(
        """
        UPDATE tokens SET unsent = 0 WHERE token_no = ?1 AND NOT EXISTS (
          SELECT 1 FROM notifications WHERE token_no = ?1 AND is_sent = 0)
        """, token.value)
    }
  }

  func noteTime(_ time: Int64?) throws(NotificationStoreError) -> Int64? {
    try attempt { () throws(SQLiteError) in
      let noted = try connection.first("SELECT noted FROM time") { (row) throws(SQLiteError) in
        try row.optionalInteger(0)
      }
      if let time { try connection.execute("UPDATE time SET noted = ?", time) }
      return noted ?? nil
    }
  }

  func usedTokens(since day: Int64) throws(NotificationStoreError) -> Int {
    try count("SELECT count(*) FROM tokens WHERE used_day >= ?", day)
  }

  func usage() throws(NotificationStoreError) -> NotificationUsage {
    var usage = NotificationUsage()
    usage.tokens = try count("SELECT count(*) FROM tokens")
    usage.activeTokens = try count("SELECT count(*) FROM tokens WHERE status = 'ACTIVE'")
    usage.subscriptions = try count("SELECT count(*) FROM subscriptions")
    usage.subscribed = try count("SELECT count(*) FROM subscriptions WHERE status IS NULL")
    usage.notifications = try count("SELECT count(*) FROM notifications")
    return usage
  }

  // MARK: Reading

  /// The key that authorizes a command; nil where there is none.
  func key(of command: CommandKey) throws(SQLiteError) -> AuthorizationKey? {
    switch command {
    case .none: return nil
    case .given(let key): return key
    case .token(let token): return try key(where: "token_id = ?", token)
    case .subscription(let subscription):
      return try key(
        where: "token_no = (SELECT token_no FROM subscriptions WHERE subscription_id = ?)", subscription)
    }
  }

  private func key(where condition: String, _ id: EntityID) throws(SQLiteError) -> AuthorizationKey? {
    try connection.first("SELECT verify_key FROM tokens WHERE \(condition)", id.bytes) {
      (row) throws(SQLiteError) in
      guard let key = try? AuthorizationKey.codec.decode(try row.bytes(0)) else {
        throw SQLiteError(.other, "the key of a token is damaged")
      }
      return key
    }
  }

  /// Up to `limit` subscriptions that are subscribed, with their positions.
  func wanted(
    after position: Int64, limit: Int
  ) throws(SQLiteError) -> [(position: Int64, subscription: WantedSubscription)] {
    try connection.all(
      """
      SELECT subscription_no, address, notifier_id, notifier_key
      FROM subscriptions JOIN relays USING (relay_no)
      WHERE subscription_no > ? AND (status IS NULL OR status = 'SERVICE') ORDER BY subscription_no LIMIT ?
      """, position, limit
    ) { (row) throws(SQLiteError) in
      let queue = try Self.queue(row, address: 1, notifier: 2)
      let key = try Self.key(row, 3)
      let position = try row.integer(0)
      return (position: position, subscription: WantedSubscription(queue: queue, key: key))
    }
  }
}
