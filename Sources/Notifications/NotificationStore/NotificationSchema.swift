import SQLiteKit

/// The steps of the schema.
enum NotificationSchema {
  static let migrations = [
    SQLiteMigration(
      1, name: "notifications",
      sql: """
        CREATE TABLE relays (
          relay_no INTEGER PRIMARY KEY AUTOINCREMENT,
          address TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE tokens (
          -- Never used again: a push may end after its token was deleted.
          token_no INTEGER PRIMARY KEY AUTOINCREMENT,
          token_id BLOB NOT NULL UNIQUE,
          service TEXT NOT NULL,
          device TEXT NOT NULL,
          status TEXT NOT NULL,
          verify_key BLOB NOT NULL,
          client_key BLOB NOT NULL,
          server_key BLOB NOT NULL,
          box_key BLOB NOT NULL,
          code BLOB NOT NULL,
          is_code_due INTEGER NOT NULL,
          interval INTEGER NOT NULL,
          checked_at INTEGER NOT NULL,
          registered_at INTEGER NOT NULL,
          was_verified INTEGER NOT NULL,
          used_day INTEGER NOT NULL,
          subscriptions INTEGER NOT NULL DEFAULT 0,
          unsent INTEGER NOT NULL DEFAULT 0,
          UNIQUE (device, service, verify_key)
        ) STRICT;
        CREATE INDEX tokens_unverified ON tokens (registered_at) WHERE was_verified = 0;
        CREATE INDEX tokens_check ON tokens (checked_at + 60 * interval) WHERE interval > 0 AND status = 'ACTIVE';
        CREATE INDEX tokens_pushes ON tokens (token_no) WHERE is_code_due = 1 OR unsent > 0;
        CREATE TABLE subscriptions (
          subscription_no INTEGER PRIMARY KEY AUTOINCREMENT,
          subscription_id BLOB NOT NULL UNIQUE,
          token_no INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
          relay_no INTEGER NOT NULL REFERENCES relays,
          notifier_id BLOB NOT NULL,
          notifier_key BLOB NOT NULL,
          -- NULL: subscribed at the relay.
          status TEXT,
          UNIQUE (notifier_id, relay_no)
        ) STRICT;
        CREATE INDEX subscriptions_token ON subscriptions (token_no, relay_no);
        CREATE TABLE notifications (
          subscription_no INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
          token_no INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
          number INTEGER NOT NULL,
          time INTEGER NOT NULL,
          nonce BLOB NOT NULL,
          box BLOB NOT NULL,
          is_sent INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX notifications_token ON notifications (token_no, number);
        CREATE INDEX notifications_number ON notifications (number);
        -- The last time at which the server is known to have run, in seconds since 1970.
        CREATE TABLE time (noted INTEGER) STRICT;
        INSERT INTO time VALUES (NULL);
        CREATE TRIGGER subscriptions_inserted AFTER INSERT ON subscriptions BEGIN
          UPDATE tokens SET subscriptions = subscriptions + 1 WHERE token_no = NEW.token_no;
        END;
        CREATE TRIGGER subscriptions_deleted AFTER DELETE ON subscriptions BEGIN
          UPDATE tokens SET subscriptions = subscriptions - 1 WHERE token_no = OLD.token_no;
        END;
        """)
  ]
}
