extension Migration0001 {
  static let files = """
    CREATE TABLE files (
      -- Never used twice: user interfaces remember them.
      file_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      -- The item that shows it; NULL for files outside of chats.
      item_id INTEGER,
      -- Whether its item is gone: the local file and the transfer are removed soon, and then the row.
      removed INTEGER NOT NULL DEFAULT 0,
      sent INTEGER NOT NULL,
      -- FileProtocol
      protocol TEXT NOT NULL,
      name TEXT NOT NULL,
      size INTEGER NOT NULL,
      chunk_size INTEGER NOT NULL,
      -- Relative to the folder of files, or absolute; NULL for a file that is not accepted.
      path TEXT,
      -- Where the local file is encrypted, base64url.
      crypto_key TEXT,
      crypto_nonce TEXT,
      -- CIFileStatus
      status TEXT NOT NULL,
      cancelled INTEGER NOT NULL DEFAULT 0,
      -- The agent's identifier of the transfer, base64url, and whether the agent has forgotten it.
      agent_id TEXT,
      agent_deleted INTEGER NOT NULL DEFAULT 0,
      -- InlineFileMode that the sender offers, and that was accepted.
      inline_mode TEXT,
      accepted_inline TEXT,
      -- How many parts came in messages.
      received_parts INTEGER NOT NULL DEFAULT 0,
      -- The file that this one only leads to.
      redirect_for INTEGER,
      -- FileStatus of a received file.
      step TEXT NOT NULL,
      -- The member who sends it.
      member_id INTEGER,
      -- Whether it is received with the next start, and whether from any server.
      to_receive INTEGER NOT NULL DEFAULT 0,
      approves_relays INTEGER NOT NULL DEFAULT 0,
      -- The connection by which a file came that is received without being asked for, until it is there; otherwise 0
      -- (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX files_charged ON files (created_at) WHERE charged_to <> 0;
    CREATE INDEX files_agent ON files (agent_id) WHERE agent_id IS NOT NULL;
    CREATE INDEX files_removed ON files (file_id) WHERE removed = 1;
    CREATE INDEX files_wanted ON files (user_id) WHERE to_receive = 1;
    CREATE INDEX files_outside_chats ON files (updated_at) WHERE item_id IS NULL;
    CREATE INDEX files_path ON files (path) WHERE path IS NOT NULL;
    CREATE INDEX files_redirect ON files (redirect_for) WHERE redirect_for IS NOT NULL;

    -- A file goes with its item, whoever removes that and how.
    CREATE TRIGGER items_file_delete AFTER DELETE ON items WHEN OLD.file_id IS NOT NULL BEGIN
      UPDATE files SET removed = 1 WHERE file_id = OLD.file_id;
    END;
    CREATE TRIGGER items_file_update AFTER UPDATE OF file_id ON items
    WHEN OLD.file_id IS NOT NULL AND NEW.file_id IS NULL BEGIN
      UPDATE files SET removed = 1 WHERE file_id = OLD.file_id;
    END;

    CREATE TABLE file_descriptions (
      -- Never used twice: the API shows them.
      description_id INTEGER PRIMARY KEY AUTOINCREMENT,
      file_id INTEGER NOT NULL,
      -- FileDescriptionKind: 0 received, 1 for a recipient, 2 spare, 3 the sender's
      kind INTEGER NOT NULL,
      text TEXT NOT NULL,
      -- The last part that was received.
      part INTEGER NOT NULL,
      complete INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX file_descriptions_file ON file_descriptions (file_id, kind);

    -- Parts of descriptions that came before their turn, or before the message with the file.
    CREATE TABLE early_descriptions (
      chat_id INTEGER NOT NULL,
      author TEXT NOT NULL,
      shared_id TEXT NOT NULL,
      part INTEGER NOT NULL,
      complete INTEGER NOT NULL,
      text TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      -- The connection by which it came (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (chat_id, author, shared_id, part)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX early_descriptions_time ON early_descriptions (created_at);

    -- Local files that nothing shows any more and that could not be removed yet, by their paths as in `files`.
    CREATE TABLE leftover_files (
      path TEXT PRIMARY KEY
    ) STRICT, WITHOUT ROWID;

    -- To whom the description of a sent file goes.
    CREATE TABLE file_recipients (
      recipient_id INTEGER PRIMARY KEY,
      file_id INTEGER NOT NULL,
      -- NULL for a member that was not connected when the file was sent.
      connection_id INTEGER,
      member_id INTEGER,
      -- FileStatus
      status TEXT NOT NULL,
      description_id INTEGER,
      -- The command with the last part of the description, while its outcome is not known.
      command_id INTEGER
    ) STRICT;
    CREATE INDEX file_recipients_file ON file_recipients (file_id);
    CREATE INDEX file_recipients_command ON file_recipients (command_id) WHERE command_id IS NOT NULL;

    """
}
