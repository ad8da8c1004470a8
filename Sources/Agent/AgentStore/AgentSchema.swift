import SQLiteKit

/// The history of the schema of the agent's database. A released step is never changed.
enum AgentSchema {
  static let migrations = [SQLiteMigration(1, name: "0001_agent", sql: agent + files + notifications)]
  static let fingerprint = SchemaFingerprint(of: migrations)

  // Users, servers, connections and queues have numbers, so that rows refer to each other in a few bytes. What changes
  // with every message (ratchets with their counters) is apart from what does not.
  private static let agent = """
    CREATE TABLE settings (
      name TEXT NOT NULL PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE users (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      is_deleted INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE user_servers (
      user INTEGER NOT NULL,
      position INTEGER NOT NULL,
      address TEXT NOT NULL,
      stores_messages INTEGER NOT NULL,
      forwards_messages INTEGER NOT NULL,
      PRIMARY KEY (user, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE user_file_servers (
      user INTEGER NOT NULL,
      position INTEGER NOT NULL,
      address TEXT NOT NULL,
      stores_files INTEGER NOT NULL,
      PRIMARY KEY (user, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE servers (
      number INTEGER PRIMARY KEY,
      address BLOB NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE connections (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id BLOB NOT NULL UNIQUE,
      user INTEGER NOT NULL,
      mode INTEGER NOT NULL,
      agent_version INTEGER NOT NULL,
      pq_support INTEGER NOT NULL,
      notifications INTEGER NOT NULL,
      ratchet_sync INTEGER NOT NULL DEFAULT 0,
      deletion INTEGER NOT NULL DEFAULT 0,
      delete_at INTEGER,
      joined INTEGER
    ) STRICT;
    CREATE INDEX connections_user ON connections (user);
    CREATE INDEX connections_deletion ON connections (delete_at) WHERE deletion <> 0;
    CREATE INDEX connections_broken_ratchet ON connections (number) WHERE ratchet_sync = 2 AND deletion = 0;
    CREATE TABLE created_links (
      connection INTEGER PRIMARY KEY,
      link BLOB NOT NULL
    ) STRICT;

    CREATE TABLE receive_queues (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      connection INTEGER NOT NULL,
      server INTEGER NOT NULL,
      recipient_id BLOB NOT NULL,
      sender_id BLOB NOT NULL,
      key BLOB NOT NULL,
      delivery_secret BLOB NOT NULL,
      private_key BLOB NOT NULL,
      shared_secret BLOB,
      mode INTEGER,
      client_version INTEGER NOT NULL,
      status INTEGER NOT NULL,
      is_primary INTEGER NOT NULL,
      replaces INTEGER,
      switch_status INTEGER,
      is_deleted INTEGER NOT NULL DEFAULT 0,
      is_subscribed INTEGER NOT NULL,
      last_relay_id BLOB,
      last_message INTEGER,
      last_received_at INTEGER,
      -- When the relay received the last message, in seconds.
      last_relay_time INTEGER,
      link BLOB,
      notifier BLOB,
      notifier_id BLOB
    ) STRICT;
    CREATE UNIQUE INDEX receive_queues_recipient ON receive_queues (recipient_id, server);
    CREATE INDEX receive_queues_notifier ON receive_queues (notifier_id) WHERE notifier_id IS NOT NULL;
    CREATE INDEX receive_queues_connection ON receive_queues (connection);

    CREATE TABLE send_queues (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      connection INTEGER NOT NULL,
      server INTEGER NOT NULL,
      sender_id BLOB NOT NULL,
      key BLOB NOT NULL,
      public_key BLOB,
      shared_secret BLOB NOT NULL,
      mode INTEGER,
      client_version INTEGER NOT NULL,
      status INTEGER NOT NULL,
      is_primary INTEGER NOT NULL,
      replaces INTEGER,
      switch_status INTEGER
    ) STRICT;
    CREATE INDEX send_queues_connection ON send_queues (connection);

    CREATE TABLE ratchets (
      connection INTEGER PRIMARY KEY,
      last_id INTEGER NOT NULL,
      last_sent INTEGER NOT NULL,
      last_sent_hash BLOB NOT NULL,
      last_received INTEGER NOT NULL,
      last_received_hash BLOB NOT NULL,
      received_count INTEGER NOT NULL,
      skipped_count INTEGER NOT NULL,
      last_key INTEGER,
      state BLOB NOT NULL
    ) STRICT;
    CREATE TABLE ratchet_agreements (
      connection INTEGER PRIMARY KEY,
      own_number INTEGER NOT NULL,
      peer_number INTEGER NOT NULL,
      repaired_at INTEGER NOT NULL,
      -- How many keys of the peer were taken since a time.
      taken_keys INTEGER NOT NULL,
      taken_since INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE skipped_keys (
      place INTEGER PRIMARY KEY,
      connection INTEGER NOT NULL,
      header_key BLOB NOT NULL,
      number INTEGER NOT NULL,
      key BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX skipped_keys_number ON skipped_keys (connection, header_key, number);
    CREATE TABLE ratchet_keys (
      connection INTEGER PRIMARY KEY,
      keys BLOB NOT NULL,
      parameters BLOB NOT NULL
    ) STRICT;
    CREATE TABLE ratchet_key_hashes (
      connection INTEGER NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (connection, hash)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE received_messages (
      connection INTEGER NOT NULL,
      id INTEGER NOT NULL,
      queue INTEGER NOT NULL,
      relay_id BLOB NOT NULL,
      relay_time INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      sender_number INTEGER NOT NULL,
      integrity INTEGER NOT NULL,
      integrity_from INTEGER NOT NULL,
      integrity_to INTEGER NOT NULL,
      pq_encryption INTEGER NOT NULL,
      notification INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      body BLOB NOT NULL,
      hash BLOB NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 1,
      is_aside INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (connection, id)
    ) STRICT;
    CREATE INDEX received_messages_aside ON received_messages (connection, id) WHERE is_aside = 1;
    CREATE TABLE received_hashes (
      connection INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (connection, slot)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE sent_messages (
      connection INTEGER NOT NULL,
      sender_number INTEGER NOT NULL,
      id INTEGER NOT NULL,
      key INTEGER,
      pq INTEGER NOT NULL,
      hash BLOB NOT NULL,
      receipt INTEGER NOT NULL DEFAULT 0,
      sent_at INTEGER NOT NULL,
      PRIMARY KEY (connection, sender_number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sent_messages_time ON sent_messages (sent_at);
    CREATE TABLE message_bodies (
      number INTEGER PRIMARY KEY,
      body BLOB NOT NULL
    ) STRICT;

    CREATE TABLE tasks (
      id INTEGER PRIMARY KEY,
      lane INTEGER NOT NULL,
      connection INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      message INTEGER NOT NULL,
      message_key INTEGER,
      payload BLOB NOT NULL,
      body INTEGER,
      created_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      not_before INTEGER NOT NULL DEFAULT 0,
      tag BLOB,
      is_call INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX tasks_lane ON tasks (lane, id);
    CREATE INDEX tasks_connection ON tasks (connection, message);
    CREATE INDEX tasks_body ON tasks (body) WHERE body IS NOT NULL;

    CREATE TABLE confirmations (
      id BLOB NOT NULL PRIMARY KEY,
      connection INTEGER NOT NULL,
      sender_key BLOB,
      queues BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX confirmations_connection ON confirmations (connection);
    CREATE TABLE invitations (
      id BLOB NOT NULL PRIMARY KEY,
      connection INTEGER NOT NULL,
      request BLOB NOT NULL,
      is_accepted INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX invitations_connection ON invitations (connection);
    CREATE TABLE invitation_links (
      server INTEGER NOT NULL,
      link_id BLOB NOT NULL,
      link_key BLOB NOT NULL,
      sender_key BLOB NOT NULL,
      sender_id BLOB,
      PRIMARY KEY (server, link_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX invitation_links_sender ON invitation_links (server, sender_id) WHERE sender_id IS NOT NULL;

    CREATE TABLE relay_notices (
      server INTEGER NOT NULL,
      queue BLOB NOT NULL,
      expires_at INTEGER,
      PRIMARY KEY (server, queue)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE events (
      id INTEGER PRIMARY KEY,
      connection BLOB,
      tag BLOB,
      payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE unreadable_rows (
      number INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      connection INTEGER,
      content BLOB NOT NULL,
      reason TEXT NOT NULL,
      found_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX unreadable_rows_connection ON unreadable_rows (connection);
    CREATE TABLE statistics (
      user INTEGER NOT NULL,
      server INTEGER NOT NULL,
      counter INTEGER NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (user, server, counter)
    ) STRICT, WITHOUT ROWID;
    """
}
