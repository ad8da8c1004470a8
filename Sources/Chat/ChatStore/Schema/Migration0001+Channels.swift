extension Migration0001 {
  /// Channels: groups whose members reach each other through relays. Private keys are PKCS #8 and public ones
  /// SubjectPublicKeyInfo, both DER (RFC 8410).
  static let channels = """
    -- The keys of the user in a channel.
    CREATE TABLE channel_keys (
      group_id INTEGER NOT NULL PRIMARY KEY,
      -- The identifier of the channel, in all of its signatures: 32 bytes.
      public_identifier BLOB NOT NULL,
      root_public_key BLOB NOT NULL,
      -- Only owners have it.
      root_private_key BLOB,
      -- The key that signs as a member.
      member_private_key BLOB NOT NULL
    ) STRICT;

    -- The relays of a channel as its owner knows them.
    CREATE TABLE group_relays (
      group_relay_id INTEGER PRIMARY KEY AUTOINCREMENT,
      group_id INTEGER NOT NULL,
      member_id INTEGER NOT NULL UNIQUE,
      -- UserChatRelay, as it was when the relay was invited
      relay TEXT NOT NULL,
      -- RelayStatus
      status TEXT NOT NULL,
      -- The relay's link for this channel.
      link TEXT,
      web_domain TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX group_relays_group ON group_relays (group_id);

    -- The list of the members with rights, which an owner signs.
    CREATE TABLE rosters (
      group_id INTEGER NOT NULL PRIMARY KEY,
      -- The highest version that a signed event named, the version up to which everything is applied, and the version
      -- of the list in body; NULL for none.
      seen_version INTEGER,
      applied_version INTEGER,
      stored_version INTEGER,
      -- The signed event that announced the list, when it was sent, and the list, as they are served to others.
      header BLOB,
      header_at INTEGER,
      body BLOB
    ) STRICT;

    -- Lists that are being received, one from each relay.
    CREATE TABLE roster_transfers (
      group_id INTEGER NOT NULL,
      -- The member by whose connection it comes.
      source_id INTEGER NOT NULL,
      version INTEGER NOT NULL,
      -- The message that announced it.
      shared_id TEXT NOT NULL,
      size INTEGER NOT NULL,
      digest BLOB NOT NULL,
      header BLOB NOT NULL,
      header_at INTEGER NOT NULL,
      -- The number of the part that comes next; parts are numbered from 1.
      next_part INTEGER NOT NULL DEFAULT 1,
      body BLOB NOT NULL DEFAULT x'',
      PRIMARY KEY (group_id, source_id)
    ) STRICT, WITHOUT ROWID;

    -- What a relay delivers to the members of a channel, in the order of the numbers.
    CREATE TABLE channel_deliveries (
      delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
      group_id INTEGER NOT NULL,
      -- The member for whose support chat it is; 0 for all members.
      scope_id INTEGER NOT NULL,
      -- The member who sent it and does not get it back; 0 where several did.
      sender_id INTEGER NOT NULL,
      includes_pending INTEGER NOT NULL,
      -- Whether connections are deleted after it.
      is_last INTEGER NOT NULL,
      -- The index of the last member who was served; -1 for none. NULL when all were.
      cursor INTEGER DEFAULT -1,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX channel_deliveries_group ON channel_deliveries (group_id, delivery_id);
    CREATE INDEX channel_deliveries_waiting ON channel_deliveries (group_id, delivery_id) WHERE cursor IS NOT NULL;

    -- The messages of a delivery, as they are forwarded. One whose content is deleted goes.
    CREATE TABLE channel_delivery_parts (
      delivery_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      -- The author, 0 for the channel, and the shared id, base64url; empty where it has none.
      author_id INTEGER NOT NULL,
      shared_id TEXT NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (delivery_id, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX channel_delivery_parts_message ON channel_delivery_parts (shared_id) WHERE shared_id <> '';

    -- Members who were passed over because nothing could be sent to them, and the first delivery that they missed.
    CREATE TABLE delivery_positions (
      member_id INTEGER NOT NULL PRIMARY KEY,
      group_id INTEGER NOT NULL,
      delivery_id INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX delivery_positions_group ON delivery_positions (group_id, delivery_id);

    -- What belongs to a channel, a member or a delivery goes with it, whoever deletes that and how.
    CREATE TRIGGER groups_delete AFTER DELETE ON groups BEGIN
      DELETE FROM channel_keys WHERE group_id = OLD.group_id;
      DELETE FROM group_relays WHERE group_id = OLD.group_id;
      DELETE FROM rosters WHERE group_id = OLD.group_id;
      DELETE FROM roster_transfers WHERE group_id = OLD.group_id;
      DELETE FROM channel_deliveries WHERE group_id = OLD.group_id;
      DELETE FROM delivery_positions WHERE group_id = OLD.group_id;
    END;
    CREATE TRIGGER members_leave_channel AFTER DELETE ON members BEGIN
      DELETE FROM group_relays WHERE member_id = OLD.member_id;
      DELETE FROM roster_transfers WHERE group_id = OLD.group_id AND source_id = OLD.member_id;
      DELETE FROM delivery_positions WHERE member_id = OLD.member_id;
    END;
    CREATE TRIGGER channel_deliveries_delete AFTER DELETE ON channel_deliveries BEGIN
      DELETE FROM channel_delivery_parts WHERE delivery_id = OLD.delivery_id;
    END;

    """
}
