import AgentCore
import NotificationProtocol
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// A queue that a push is about.
public struct NotifiedQueue: Sendable {
  /// Its number.
  public var number: Int64
  /// Its connection.
  public var connection: ConnectionID
  /// Where it is.
  public var server: SMPServerAddress
  /// When the relay received the last message that is known of it, in seconds.
  public var lastRelayTime: Int64?
  /// The keys of its notifier.
  public var notifier: NotifierCredentials
}

extension SQLiteRow {
  fileprivate func queueNotifications() throws(SQLiteError) -> QueueNotifications {
    var row = QueueNotifications(queue: try integer(0), isWanted: try bool(1))
    row.subscription = try optionalBytes(2).map { EntityID($0) }
    row.token = try optionalBytes(3).map { EntityID($0) }
    row.notifier = try optionalBytes(4).map { EntityID($0) }
    if !isNull(5) {
      let text = try text(5)
      row.status = try readStored { () throws(WireError) in try NotifierStatus.codec.decode(text: text) }
    }
    row.wasChecked = try bool(6)
    row.dueAt = try optionalInteger(7)
    row.attempts = try integer(8)
    return row
  }
}

extension AgentDatabase {
  /// The subscription of a queue for pushes; nil without one.
  public func queueNotifications(_ queue: Int64) throws(SQLiteError) -> QueueNotifications? {
    try database.first(AgentSQL.queueNotifications, queue) { (row) throws(SQLiteError) in try row.queueNotifications() }
  }

  /// The subscriptions of all queues.
  package func allQueueNotifications() throws(SQLiteError) -> [QueueNotifications] {
    try database.all(AgentSQL.allQueueNotifications) { (row) throws(SQLiteError) in try row.queueNotifications() }
  }

  /// Where subscriptions have next steps, and when the first of each place is due: numbers of relays, or 0 for the
  /// notification server.
  public func notificationPlaces() throws(SQLiteError) -> [(place: Int64, dueAt: Int64)] {
    var places: [(place: Int64, dueAt: Int64)] = []
    var last: Int64 = -1
    while true {
      let next = try database.first(AgentSQL.nextNotificationPlace, last) { (row) throws(SQLiteError) in
        (place: try row.integer(0), dueAt: try row.integer(1))
      }
      guard let next else { return places }
      places.append(next)
      last = next.place
    }
  }

  /// The subscriptions whose next step is due at a place, at most `limit`.
  public func dueNotifications(
    at place: Int64, now: Int64, limit: Int
  ) throws(SQLiteError) -> [QueueNotifications] {
    try database.all(AgentSQL.dueNotifications, place, now, limit) { (row) throws(SQLiteError) in
      try row.queueNotifications()
    }
  }

  /// Stores the subscription of a queue.
  /// - Parameter place: where its next step is; see ``notificationPlaces()``.
  public func put(_ row: QueueNotifications, place: Int64) throws(SQLiteError) {
    let status = try row.status.map { (status) throws(SQLiteError) in
      try stored { () throws(WireError) in try NotifierStatus.codec.text(status) }
    }
    try database.execute(
      AgentSQL.putQueueNotifications, row.queue, row.isWanted, row.subscription?.bytes, row.token?.bytes,
      row.notifier?.bytes, status, row.wasChecked, row.dueAt, row.attempts, place)
  }

  /// Changes whether pushes of a queue are wanted, where that is known of it.
  public func setNotifications(ofQueue queue: Int64, areWanted: Bool, at time: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.setNotificationsOfQueue, queue, areWanted, time)
  }

  /// Wants pushes of all queues whose connections have notifications. Subscriptions of this token stay as they are.
  public func wantNotifications(token: EntityID, at time: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.wantNotifications, time, token.bytes)
  }

  /// Wants no pushes any more.
  /// - Parameter isTokenDeleted: whether the server deletes the subscriptions with the token.
  public func unwantNotifications(isTokenDeleted: Bool, at time: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.unwantNotifications, time)
    if isTokenDeleted { try database.execute(AgentSQL.forgetSubscriptions) }
  }

  /// Removes the subscription of a queue.
  public func removeNotifications(ofQueue queue: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM queue_notifications WHERE queue = ?", queue)
  }

  /// The number of queues whose pushes are wanted, by the status at the notification server.
  public func countNotifications() throws(SQLiteError) -> [String: Int] {
    let counts = try database.all(AgentSQL.countNotifications) { (row) throws(SQLiteError) in
      (row.isNull(0) ? "none" : try row.text(0), Int(try row.integer(1)))
    }
    return Dictionary(counts) { $0 + $1 }
  }

  /// The queue with this notifier at a relay.
  public func notifiedQueue(_ queue: NotifierQueue) throws(SQLiteError) -> NotifiedQueue? {
    let found = try database.all(AgentSQL.notifiedQueues, queue.notifier.bytes) {
      (row) throws(SQLiteError) -> NotifiedQueue in
      let secret = try row.secret(4)
      return NotifiedQueue(
        number: try row.integer(0), connection: ConnectionID(try row.bytes(2)), server: try server(try row.integer(1)),
        lastRelayTime: try row.optionalInteger(3),
        notifier: try readStored { () throws(WireError) in try NotifierCredentials.codec.decodeAll(secret.bytes) })
    }
    return found.first { $0.server == queue.relay }
      ?? found.first { found in found.server.hosts.contains { queue.relay.hosts.contains($0) } }
  }

  /// Notes when the relay received the last message that is known of a queue, in seconds.
  public func setLastRelayTime(ofQueue queue: Int64, _ time: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.setLastRelayTime, queue, time)
  }
}
