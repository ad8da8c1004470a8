CREATE TABLE chunk_deletions (
  number INTEGER PRIMARY KEY,
  user INTEGER NOT NULL,
  server INTEGER NOT NULL,
  sender_id BLOB NOT NULL,
  key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE confirmations (
  id BLOB NOT NULL PRIMARY KEY,
  connection INTEGER NOT NULL,
  sender_key BLOB,
  queues BLOB NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE TABLE created_links (
  connection INTEGER PRIMARY KEY,
  link BLOB NOT NULL
) STRICT;
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  connection BLOB,
  tag BLOB,
  payload BLOB NOT NULL
) STRICT;
CREATE TABLE file_servers (
  number INTEGER PRIMARY KEY,
  address BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE file_statistics (
  user INTEGER NOT NULL,
  server INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (user, server, counter)
) STRICT, WITHOUT ROWID;
CREATE TABLE invitation_links (
  server INTEGER NOT NULL,
  link_id BLOB NOT NULL,
  link_key BLOB NOT NULL,
  sender_key BLOB NOT NULL,
  sender_id BLOB,
  PRIMARY KEY (server, link_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE invitations (
  id BLOB NOT NULL PRIMARY KEY,
  connection INTEGER NOT NULL,
  request BLOB NOT NULL,
  is_accepted INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE message_bodies (
  number INTEGER PRIMARY KEY,
  body BLOB NOT NULL
) STRICT;
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
CREATE TABLE ratchet_agreements (
  connection INTEGER PRIMARY KEY,
  own_number INTEGER NOT NULL,
  peer_number INTEGER NOT NULL,
  repaired_at INTEGER NOT NULL,
  -- How many keys of the peer were taken since a time.
  taken_keys INTEGER NOT NULL,
  taken_since INTEGER NOT NULL
) STRICT;
CREATE TABLE ratchet_key_hashes (
  connection INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (connection, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE ratchet_keys (
  connection INTEGER PRIMARY KEY,
  keys BLOB NOT NULL,
  parameters BLOB NOT NULL
) STRICT;
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
CREATE TABLE received_chunks (
  file INTEGER NOT NULL,
  number INTEGER NOT NULL,
  size INTEGER NOT NULL,
  digest BLOB NOT NULL,
  replicas BLOB NOT NULL,
  replica INTEGER NOT NULL DEFAULT 0,
  server INTEGER NOT NULL,
  is_received INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (file, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE received_files (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  user INTEGER NOT NULL,
  destination TEXT NOT NULL,
  destination_key BLOB,
  destination_nonce BLOB,
  is_approved INTEGER NOT NULL,
  redirect_size INTEGER,
  redirect_digest BLOB,
  key BLOB NOT NULL,
  nonce BLOB NOT NULL,
  digest BLOB NOT NULL,
  chunk_size INTEGER NOT NULL,
  size INTEGER NOT NULL,
  received INTEGER NOT NULL DEFAULT 0,
  status INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE received_hashes (
  connection INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (connection, slot)
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
CREATE TABLE relay_notices (
  server INTEGER NOT NULL,
  queue BLOB NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (server, queue)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE sent_chunks (
  file INTEGER NOT NULL,
  number INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  size INTEGER NOT NULL,
  digest BLOB NOT NULL,
  server INTEGER NOT NULL,
  sender_id BLOB,
  recipient_ids BLOB NOT NULL,
  is_sent INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (file, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE sent_files (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  user INTEGER NOT NULL,
  source TEXT,
  source_key BLOB,
  source_nonce BLOB,
  content BLOB,
  name TEXT NOT NULL,
  recipients INTEGER NOT NULL,
  redirect_size INTEGER,
  redirect_digest BLOB,
  seed BLOB NOT NULL,
  key BLOB,
  nonce BLOB,
  digest BLOB,
  size INTEGER NOT NULL DEFAULT 0,
  sent INTEGER NOT NULL DEFAULT 0,
  status INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE servers (
  number INTEGER PRIMARY KEY,
  address BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE settings (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE skipped_keys (
  place INTEGER PRIMARY KEY,
  connection INTEGER NOT NULL,
  header_key BLOB NOT NULL,
  number INTEGER NOT NULL,
  key BLOB NOT NULL
) STRICT;
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE statistics (
  user INTEGER NOT NULL,
  server INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (user, server, counter)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE token_deletions (
  number INTEGER PRIMARY KEY,
  server BLOB NOT NULL,
  id BLOB NOT NULL,
  key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE unreadable_rows (
  number INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  connection INTEGER,
  content BLOB NOT NULL,
  reason TEXT NOT NULL,
  found_at INTEGER NOT NULL
) STRICT;
CREATE TABLE user_file_servers (
  user INTEGER NOT NULL,
  position INTEGER NOT NULL,
  address TEXT NOT NULL,
  stores_files INTEGER NOT NULL,
  PRIMARY KEY (user, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE user_servers (
  user INTEGER NOT NULL,
  position INTEGER NOT NULL,
  address TEXT NOT NULL,
  stores_messages INTEGER NOT NULL,
  forwards_messages INTEGER NOT NULL,
  PRIMARY KEY (user, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE users (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  is_deleted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX chunk_deletions_chunk ON chunk_deletions (sender_id, server);
CREATE INDEX chunk_deletions_to_delete ON chunk_deletions (server, not_before);
CREATE INDEX confirmations_connection ON confirmations (connection);
CREATE INDEX connections_broken_ratchet ON connections (number) WHERE ratchet_sync = 2 AND deletion = 0;
CREATE INDEX connections_deletion ON connections (delete_at) WHERE deletion <> 0;
CREATE INDEX connections_user ON connections (user);
CREATE INDEX invitation_links_sender ON invitation_links (server, sender_id) WHERE sender_id IS NOT NULL;
CREATE INDEX invitations_connection ON invitations (connection);
CREATE INDEX queue_notifications_due ON queue_notifications (place, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX receive_queues_connection ON receive_queues (connection);
CREATE INDEX receive_queues_notifier ON receive_queues (notifier_id) WHERE notifier_id IS NOT NULL;
CREATE UNIQUE INDEX receive_queues_recipient ON receive_queues (recipient_id, server);
CREATE INDEX received_chunks_to_receive ON received_chunks (server, not_before) WHERE is_received = 0;
CREATE INDEX received_files_forgotten ON received_files (number) WHERE status = 4;
CREATE INDEX received_files_to_open ON received_files (number) WHERE status = 1;
CREATE INDEX received_files_user ON received_files (user);
CREATE INDEX received_messages_aside ON received_messages (connection, id) WHERE is_aside = 1;
CREATE INDEX send_queues_connection ON send_queues (connection);
CREATE INDEX sent_chunks_to_send ON sent_chunks (server, not_before) WHERE is_sent = 0;
CREATE INDEX sent_files_forgotten ON sent_files (number) WHERE status = 5;
CREATE INDEX sent_files_to_describe ON sent_files (number) WHERE status = 2;
CREATE INDEX sent_files_to_seal ON sent_files (number) WHERE status = 0;
CREATE INDEX sent_files_user ON sent_files (user);
CREATE INDEX sent_messages_time ON sent_messages (sent_at);
CREATE UNIQUE INDEX skipped_keys_number ON skipped_keys (connection, header_key, number);
CREATE INDEX tasks_body ON tasks (body) WHERE body IS NOT NULL;
CREATE INDEX tasks_connection ON tasks (connection, message);
CREATE INDEX tasks_lane ON tasks (lane, id);
CREATE INDEX unreadable_rows_connection ON unreadable_rows (connection);
