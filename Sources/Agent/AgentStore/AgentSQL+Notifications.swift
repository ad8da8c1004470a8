extension AgentSQL {
  private static let token = """
    number, server, device, key, dh_key, id, box_key, status, action, mode, due_at, attempts, failing_since
    """
  static let notificationToken = "SELECT \(token) FROM notification_tokens ORDER BY number DESC LIMIT 1"
  static let insertToken = """
    INSERT INTO notification_tokens (server, device, key, dh_key, id, box_key, status, action, mode, due_at, attempts, \
    failing_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let updateToken = """
    UPDATE notification_tokens SET device = ?2, id = ?3, box_key = ?4, status = ?5, action = ?6, mode = ?7, \
    due_at = ?8, attempts = ?9, failing_since = ?10 WHERE number = ?1
    """

  private static let deletion = "number, server, id, key, created_at, due_at, attempts"
  static let tokenDeletions = "SELECT \(deletion) FROM token_deletions ORDER BY number"
  static let insertTokenDeletion = """
    INSERT INTO token_deletions (server, id, key, created_at, due_at) VALUES (?, ?, ?, ?, ?)
    """
  static let delayTokenDeletion = "UPDATE token_deletions SET due_at = ?2, attempts = ?3 WHERE number = ?1"

  private static let queueNotification =
    "queue, is_wanted, subscription, token, notifier, status, was_checked, due_at, attempts"
  static let queueNotifications = "SELECT \(queueNotification) FROM queue_notifications WHERE queue = ?"
  static let allQueueNotifications = "SELECT \(queueNotification) FROM queue_notifications ORDER BY queue"
  static let dueNotifications = """
    SELECT \(queueNotification) FROM queue_notifications WHERE place = ? AND due_at <= ? ORDER BY due_at, queue LIMIT ?
    """
  /// The places with due steps, found by skipping from one to the next in the index.
  static let nextNotificationPlace = """
    SELECT place, due_at FROM queue_notifications WHERE due_at IS NOT NULL AND place > ? ORDER BY place, due_at LIMIT 1
    """
  static let putQueueNotifications = """
    INSERT OR REPLACE INTO queue_notifications (queue, is_wanted, subscription, token, notifier, status, was_checked, \
    due_at, attempts, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let setNotificationsOfQueue = """
    UPDATE queue_notifications SET is_wanted = ?2, due_at = ?3, attempts = 0 WHERE queue = ?1 AND is_wanted <> ?2
    """
  static let unwantedNotificationsOfConnection = """
    UPDATE queue_notifications SET is_wanted = 0, due_at = 0, attempts = 0, place = 0 \
    WHERE queue IN (SELECT number FROM receive_queues WHERE connection = ?)
    """
  /// Wants pushes of all queues whose connections have notifications; `?2` is the token, whose subscriptions stay.
  static let wantNotifications = """
    INSERT INTO queue_notifications (queue, is_wanted, place, due_at) \
    SELECT q.number, 1, CASE WHEN q.notifier_id IS NULL THEN q.server ELSE 0 END, ?1 \
    FROM receive_queues q JOIN connections c ON c.number = q.connection JOIN users u ON u.number = c.user \
    WHERE c.notifications = 1 AND c.deletion = 0 AND u.is_deleted = 0 AND q.is_deleted = 0 AND q.status <> 4 \
    ON CONFLICT (queue) DO UPDATE SET is_wanted = 1, attempts = 0, \
    place = CASE WHEN token IS NOT ?2 AND token IS NOT NULL THEN excluded.place ELSE place END, \
    due_at = ?1 WHERE is_wanted = 0 OR due_at IS NULL OR (token IS NOT NULL AND token IS NOT ?2)
    """
  static let unwantNotifications = """
    UPDATE queue_notifications SET is_wanted = 0, due_at = ?1, attempts = 0, \
    place = coalesce((SELECT server FROM receive_queues WHERE number = queue AND notifier_id IS NOT NULL), 0)
    """
  static let forgetSubscriptions = """
    UPDATE queue_notifications SET subscription = NULL, token = NULL, notifier = NULL, status = NULL
    """
  static let countNotifications = "SELECT status, count(*) FROM queue_notifications WHERE is_wanted = 1 GROUP BY status"
  static let notifiedQueues = """
    SELECT q.number, q.server, c.id, q.last_relay_time, q.notifier \
    FROM receive_queues q JOIN connections c ON c.number = q.connection WHERE q.notifier_id = ?
    """
  static let setLastRelayTime = """
    UPDATE receive_queues SET last_relay_time = coalesce(max(last_relay_time, ?2), ?2) WHERE number = ?1
    """
}
