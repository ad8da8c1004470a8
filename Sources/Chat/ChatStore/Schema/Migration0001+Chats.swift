extension Migration0001 {
  static let chats = """
    CREATE TABLE note_folders (
      note_folder_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE chats (
      chat_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      -- ChatKind: 0 direct, 1 group, 2 notes, 9 to be purged
      kind INTEGER NOT NULL,
      -- The contact, group or note folder.
      entity_id INTEGER NOT NULL,
      -- A part of a group: 0 the main chat, -1 the user's own conversation with moderators, else the member's.
      scope INTEGER NOT NULL DEFAULT 0,
      ts INTEGER NOT NULL,
      listed INTEGER NOT NULL DEFAULT 1,
      favorite INTEGER NOT NULL DEFAULT 0,
      marked_unread INTEGER NOT NULL DEFAULT 0,
      -- 0 none, 1 all, 2 mentions
      notifications INTEGER NOT NULL DEFAULT 1,
      send_receipts INTEGER,
      item_ttl INTEGER,
      ui_themes TEXT,
      custom_data TEXT,
      unread_count INTEGER NOT NULL DEFAULT 0,
      unread_mentions INTEGER NOT NULL DEFAULT 0,
      -- Conversations of members with moderators: unread messages of the member that no other moderator answered, and
      -- when the last one was sent.
      member_attention INTEGER NOT NULL DEFAULT 0,
      last_member_ts INTEGER,
      -- Received reports that are not archived.
      reports INTEGER NOT NULL DEFAULT 0,
      -- The newest item and its position.
      last_item_id INTEGER,
      last_position INTEGER,
      UNIQUE (kind, entity_id, scope)
    ) STRICT;
    CREATE INDEX chats_list ON chats (user_id, kind, listed, ts);
    CREATE INDEX chats_expiring ON chats (user_id, item_ttl) WHERE item_ttl > 0;

    CREATE TABLE chat_tags (
      tag_id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL,
      text TEXT NOT NULL,
      emoji TEXT,
      position INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX chat_tags_text ON chat_tags (user_id, text);
    CREATE UNIQUE INDEX chat_tags_emoji ON chat_tags (user_id, emoji) WHERE emoji IS NOT NULL;
    CREATE TABLE chat_tagging (
      chat_id INTEGER NOT NULL,
      tag_id INTEGER NOT NULL,
      PRIMARY KEY (chat_id, tag_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX chat_tagging_tag ON chat_tagging (tag_id);

    """

  static let items = """
    CREATE TABLE items (
      -- Never used twice: user interfaces remember them.
      item_id INTEGER PRIMARY KEY AUTOINCREMENT,
      chat_id INTEGER NOT NULL,
      user_id INTEGER NOT NULL,
      -- Where the item stands in its chat, after items with the same position and a lower number. In groups the time it
      -- was sent, an hour ahead at most; otherwise the time of its creation, or the position of the last item where that
      -- is later because the clock was ahead: positions of new items never decrease.
      position INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      member_id INTEGER,
      -- In groups the author's identifier, base64url; a shared id is its author's.
      author TEXT NOT NULL DEFAULT '',
      -- StatusCode; 10 is new (unread)
      status INTEGER NOT NULL,
      status_detail TEXT,
      item_ts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      -- The kind of message; NULL for what is no message.
      message_tag TEXT,
      shared_id TEXT,
      deleted INTEGER NOT NULL DEFAULT 0,
      deleted_at INTEGER,
      deleted_by INTEGER,
      edited INTEGER NOT NULL DEFAULT 0,
      live INTEGER,
      viewed INTEGER NOT NULL DEFAULT 0,
      user_mention INTEGER NOT NULL DEFAULT 0,
      -- A member's message in its conversation with moderators, which none of them answered.
      awaits_answer INTEGER NOT NULL DEFAULT 0,
      has_link INTEGER NOT NULL DEFAULT 0,
      banner INTEGER NOT NULL DEFAULT 0,
      as_group INTEGER NOT NULL DEFAULT 0,
      via_proxy INTEGER,
      forwarded_by INTEGER,
      verified TEXT,
      timed_ttl INTEGER,
      delete_at INTEGER,
      quoted_id TEXT,
      quoted_sent INTEGER,
      quoted_author TEXT NOT NULL DEFAULT '',
      quoted_at INTEGER,
      quoted_content TEXT,
      forwarded TEXT,
      mentions TEXT,
      file_id INTEGER,
      text TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX items_position ON items (chat_id, position, item_id);
    CREATE INDEX items_shared ON items (chat_id, shared_id, sent, author) WHERE shared_id IS NOT NULL;
    CREATE INDEX items_member ON items (member_id) WHERE member_id IS NOT NULL;
    CREATE INDEX items_unread ON items (chat_id, position, item_id) WHERE status = 10;
    CREATE INDEX items_tagged ON items (chat_id, message_tag, position, item_id) WHERE message_tag <> 'text';
    CREATE INDEX items_links ON items (chat_id, position, item_id) WHERE has_link = 1;
    CREATE INDEX items_timed ON items (delete_at) WHERE delete_at IS NOT NULL;
    CREATE INDEX items_untimed ON items (item_id) WHERE timed_ttl IS NOT NULL AND delete_at IS NULL;
    CREATE INDEX items_all ON items (user_id, item_ts, item_id);
    CREATE INDEX items_reports ON items (chat_id, position, item_id)
      WHERE message_tag = 'report' AND sent = 0 AND deleted = 0;
    CREATE INDEX items_reported ON items (quoted_id) WHERE message_tag = 'report';
    -- The user's own in groups, which have no member.
    CREATE INDEX items_own ON items (chat_id, item_id) WHERE sent = 1 AND member_id IS NULL AND author <> '';

    -- The time to live of a received item begins when the item becomes read, or when it is added as read (status 11),
    -- whichever statement does that. Peers choose the seconds: the limit keeps the sum within 64 bits.
    CREATE TRIGGER items_timed_insert AFTER INSERT ON items
    WHEN NEW.status = 11 AND NEW.timed_ttl IS NOT NULL AND NEW.delete_at IS NULL BEGIN
      UPDATE items SET delete_at = NEW.updated_at + max(0, min(NEW.timed_ttl, 1000000000000)) * 1000000
      WHERE item_id = NEW.item_id;
    END;
    CREATE TRIGGER items_timed_update AFTER UPDATE OF status, timed_ttl ON items
    WHEN NEW.status = 11 AND NEW.timed_ttl IS NOT NULL AND NEW.delete_at IS NULL BEGIN
      UPDATE items SET delete_at = NEW.updated_at + max(0, min(NEW.timed_ttl, 1000000000000)) * 1000000
      WHERE item_id = NEW.item_id;
    END;

    -- The counters, and the newest item, follow the items, whoever changes them and how.
    CREATE TRIGGER items_unread_insert AFTER INSERT ON items WHEN NEW.status = 10 BEGIN
      UPDATE chats SET unread_count = unread_count + 1, unread_mentions = unread_mentions + NEW.user_mention,
        member_attention = member_attention + NEW.awaits_answer
      WHERE chat_id = NEW.chat_id;
    END;
    CREATE TRIGGER items_unread_delete AFTER DELETE ON items WHEN OLD.status = 10 BEGIN
      UPDATE chats SET unread_count = unread_count - 1, unread_mentions = unread_mentions - OLD.user_mention,
        member_attention = member_attention - OLD.awaits_answer
      WHERE chat_id = OLD.chat_id;
    END;
    CREATE TRIGGER items_unread_update AFTER UPDATE OF status, user_mention, awaits_answer, chat_id ON items
    WHEN OLD.status = 10 OR NEW.status = 10 BEGIN
      UPDATE chats SET unread_count = unread_count - (OLD.status = 10),
        unread_mentions = unread_mentions - (OLD.status = 10) * OLD.user_mention,
        member_attention = member_attention - (OLD.status = 10) * OLD.awaits_answer
      WHERE chat_id = OLD.chat_id;
      UPDATE chats SET unread_count = unread_count + (NEW.status = 10),
        unread_mentions = unread_mentions + (NEW.status = 10) * NEW.user_mention,
        member_attention = member_attention + (NEW.status = 10) * NEW.awaits_answer
      WHERE chat_id = NEW.chat_id;
    END;

    CREATE TRIGGER items_last_insert AFTER INSERT ON items BEGIN
      UPDATE chats SET last_item_id = NEW.item_id, last_position = NEW.position
      WHERE chat_id = NEW.chat_id AND (last_position IS NULL OR last_position <= NEW.position);
    END;
    CREATE TRIGGER items_last_delete AFTER DELETE ON items
    WHEN OLD.item_id = (SELECT last_item_id FROM chats WHERE chat_id = OLD.chat_id) BEGIN
      UPDATE chats SET (last_item_id, last_position) = (SELECT item_id, position FROM items
        WHERE chat_id = OLD.chat_id ORDER BY position DESC, item_id DESC LIMIT 1)
      WHERE chat_id = OLD.chat_id;
    END;

    CREATE TABLE item_versions (
      version_id INTEGER PRIMARY KEY,
      item_id INTEGER NOT NULL,
      content TEXT NOT NULL,
      version_ts INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX item_versions_item ON item_versions (item_id);

    -- By the shared id of the item, because in groups a reaction can come before its item.
    CREATE TABLE reactions (
      chat_id INTEGER NOT NULL,
      shared_id TEXT NOT NULL,
      author TEXT NOT NULL DEFAULT '',
      sent INTEGER NOT NULL,
      member_id INTEGER NOT NULL DEFAULT 0,
      reaction TEXT NOT NULL,
      reaction_ts INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      -- Whether its item had not come; if that never comes, the reaction goes.
      is_early INTEGER NOT NULL DEFAULT 0,
      -- The connection by which an early one came; otherwise 0 (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (chat_id, shared_id, author, sent, member_id, reaction)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reactions_early ON reactions (created_at) WHERE is_early = 1;

    -- Which items a message for the agent is about, by the number of its command; a batch is one message about many
    -- items.
    CREATE TABLE deliveries (
      command_id INTEGER NOT NULL,
      item_id INTEGER NOT NULL,
      PRIMARY KEY (command_id, item_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deliveries_item ON deliveries (item_id);

    -- Encoded messages or batches for the agent; one can go to many connections.
    CREATE TABLE packets (
      packet_id INTEGER PRIMARY KEY AUTOINCREMENT,
      body BLOB NOT NULL
    ) STRICT;

    -- Commands for the agent that it has not taken yet. Those of one connection leave in the order of their numbers. The
    -- agent knows a message by the number of its command, so that a repeated command is not carried out twice.
    CREATE TABLE agent_commands (
      -- Never used twice.
      command_id INTEGER PRIMARY KEY AUTOINCREMENT,
      -- The agent's identifier of the connection; empty where the command is about none.
      agent_conn_id TEXT NOT NULL,
      -- AgentCommand
      kind INTEGER NOT NULL,
      -- Whether it follows up an interrupted command of the user, to continue or undo it: only the next start carries
      -- it out.
      is_follow_up INTEGER NOT NULL,
      payload BLOB NOT NULL,
      packet_id INTEGER,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX agent_commands_connection ON agent_commands (agent_conn_id);
    CREATE INDEX agent_commands_packet ON agent_commands (packet_id) WHERE packet_id IS NOT NULL;

    -- Work of many turns, which goes on after a restart.
    CREATE TABLE jobs (
      job_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      -- ChatJob.Kind
      kind INTEGER NOT NULL,
      -- The member, group or file that it is about, a database id; NULL where it is about none.
      subject_id INTEGER,
      -- What the last turn ended with.
      cursor INTEGER NOT NULL DEFAULT 0,
      payload TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX jobs_subject ON jobs (kind, subject_id) WHERE subject_id IS NOT NULL;

    -- The number of the last event of the agent whose effects are stored; one row.
    CREATE TABLE handled_events (
      last_event_id INTEGER NOT NULL
    ) STRICT;
    INSERT INTO handled_events VALUES (0);

    -- Elements of messages that this version does not understand, for a later one. Each is kept without the rest of its
    -- message, and no longer than an item in its place would be.
    CREATE TABLE kept_messages (
      kept_id INTEGER PRIMARY KEY,
      connection_id INTEGER NOT NULL,
      -- The chat, of a group the main one: clearing, deleting and expiry include it.
      chat_id INTEGER NOT NULL,
      -- The item that shows it, if there is one: it goes with that.
      item_id INTEGER,
      -- When it disappears, in chats whose messages do.
      delete_at INTEGER,
      -- The event of the chat protocol, such as x.grp.inv.
      tag TEXT NOT NULL,
      shared_id TEXT,
      message_ts INTEGER NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX kept_messages_connection ON kept_messages (connection_id);
    CREATE INDEX kept_messages_chat ON kept_messages (chat_id, message_ts);
    CREATE INDEX kept_messages_item ON kept_messages (item_id) WHERE item_id IS NOT NULL;
    CREATE INDEX kept_messages_timed ON kept_messages (delete_at) WHERE delete_at IS NOT NULL;

    """
}
