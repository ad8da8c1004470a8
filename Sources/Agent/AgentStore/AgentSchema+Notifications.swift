extension AgentSchema {
  // The token of this device at its notification server, tokens to delete, and the subscriptions of receive queues. The
  // row of a subscription outlives its queue until the server has deleted it. `place` is where its next step is: the
  // number of a relay, or 0 for the notification server.
  static let notifications = """
    CREATE TABLE notification_tokens (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      server BLOB NOT NULL,
      device BLOB NOT NULL,
      key BLOB NOT NULL,
      dh_key BLOB NOT NULL,
      id BLOB,
      box_key BLOB,
      status TEXT NOT NULL,
      action BLOB,
      mode INTEGER NOT NULL,
      due_at INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,
      failing_since INTEGER
    ) STRICT;
    CREATE TABLE token_deletions (
      number INTEGER PRIMARY KEY,
      server BLOB NOT NULL,
      id BLOB NOT NULL,
      key BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE queue_notifications (
      queue INTEGER PRIMARY KEY,
      is_wanted INTEGER NOT NULL,
      subscription BLOB,
      token BLOB,
      notifier BLOB,
      status TEXT,
      was_checked INTEGER NOT NULL DEFAULT 0,
      place INTEGER NOT NULL,
      due_at INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX queue_notifications_due ON queue_notifications (place, due_at) WHERE due_at IS NOT NULL;
    """
}
