extension AgentSchema {
  // Files being sent and received, and what is to be deleted at relays. Only chunks to transfer have rows in the
  // indexes by relay, and only files in progress have chunks.
  static let files = """
    CREATE TABLE file_servers (
      number INTEGER PRIMARY KEY,
      address BLOB NOT NULL UNIQUE
    ) STRICT;

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
    CREATE INDEX sent_files_to_seal ON sent_files (number) WHERE status = 0;
    CREATE INDEX sent_files_to_describe ON sent_files (number) WHERE status = 2;
    CREATE INDEX sent_files_forgotten ON sent_files (number) WHERE status = 5;
    CREATE INDEX sent_files_user ON sent_files (user);
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
    CREATE INDEX sent_chunks_to_send ON sent_chunks (server, not_before) WHERE is_sent = 0;

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
    CREATE INDEX received_files_to_open ON received_files (number) WHERE status = 1;
    CREATE INDEX received_files_forgotten ON received_files (number) WHERE status = 4;
    CREATE INDEX received_files_user ON received_files (user);
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
    CREATE INDEX received_chunks_to_receive ON received_chunks (server, not_before) WHERE is_received = 0;

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
    CREATE UNIQUE INDEX chunk_deletions_chunk ON chunk_deletions (sender_id, server);
    CREATE INDEX chunk_deletions_to_delete ON chunk_deletions (server, not_before);

    CREATE TABLE file_statistics (
      user INTEGER NOT NULL,
      server INTEGER NOT NULL,
      counter INTEGER NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (user, server, counter)
    ) STRICT, WITHOUT ROWID;

    """
}
