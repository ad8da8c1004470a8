extension Migration0001 {
  static let users = """
    CREATE TABLE users (
      -- Never used twice: what a deleted user had goes later.
      user_id INTEGER PRIMARY KEY AUTOINCREMENT,
      agent_user_id TEXT NOT NULL,
      contact_id INTEGER NOT NULL DEFAULT 0,
      profile_id INTEGER NOT NULL DEFAULT 0,
      local_display_name TEXT NOT NULL UNIQUE,
      active INTEGER NOT NULL DEFAULT 0,
      active_order INTEGER NOT NULL DEFAULT 0,
      view_password_hash TEXT,
      view_password_salt TEXT,
      show_notifications INTEGER NOT NULL DEFAULT 1,
      send_receipts_contacts INTEGER NOT NULL DEFAULT 1,
      send_receipts_groups INTEGER NOT NULL DEFAULT 1,
      accept_member_contacts INTEGER NOT NULL DEFAULT 0,
      -- When what members of groups are sent of the profile was changed; later than each `profile_sent_at` of before.
      member_profile_updated_at INTEGER,
      chat_relay INTEGER NOT NULL DEFAULT 0,
      client_service INTEGER NOT NULL DEFAULT 0,
      ui_themes TEXT,
      item_ttl INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE profiles (
      profile_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      display_name TEXT NOT NULL,
      full_name TEXT NOT NULL,
      short_descr TEXT,
      description TEXT,
      contact_link TEXT,
      preferences TEXT,
      peer_type TEXT,
      badge TEXT,
      local_badge TEXT,
      domain TEXT,
      domain_verified INTEGER,
      local_alias TEXT NOT NULL DEFAULT '',
      incognito INTEGER NOT NULL DEFAULT 0,
      -- How often the content was changed.
      version INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      image TEXT
    ) STRICT;
    CREATE INDEX profiles_name ON profiles (user_id, display_name);
    CREATE INDEX profiles_link ON profiles (user_id, contact_link) WHERE contact_link IS NOT NULL;

    -- Every name that a user sees is one of these: no two things have the same one.
    CREATE TABLE display_names (
      user_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      base TEXT NOT NULL,
      suffix INTEGER NOT NULL,
      PRIMARY KEY (user_id, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX display_names_base ON display_names (user_id, base, suffix);

    CREATE TABLE contacts (
      contact_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      profile_id INTEGER NOT NULL,
      local_display_name TEXT NOT NULL,
      is_user INTEGER NOT NULL DEFAULT 0,
      status TEXT NOT NULL DEFAULT 'active',
      -- The connection in use, of those with this contact's id.
      connection_id INTEGER REFERENCES connections ON DELETE SET NULL,
      user_preferences TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      xcontact_id TEXT,
      request_id INTEGER,
      member_id INTEGER,
      group_invitation_sent INTEGER NOT NULL DEFAULT 0,
      direct_invitation TEXT,
      full_link TEXT,
      short_link TEXT,
      link_mode TEXT,
      welcome_shared_id TEXT,
      request_shared_id TEXT,
      -- The message that is sent as soon as an invitation is joined.
      joining_message TEXT,
      chat_deleted INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX contacts_name ON contacts (user_id, local_display_name);
    CREATE INDEX contacts_profile ON contacts (profile_id);
    CREATE INDEX contacts_connection ON contacts (connection_id);
    CREATE INDEX contacts_request ON contacts (request_id) WHERE request_id IS NOT NULL;
    CREATE INDEX contacts_member ON contacts (member_id) WHERE member_id IS NOT NULL;
    CREATE INDEX contacts_xcontact ON contacts (user_id, xcontact_id) WHERE xcontact_id IS NOT NULL;
    CREATE INDEX contacts_full_link ON contacts (user_id, full_link) WHERE full_link IS NOT NULL;
    CREATE INDEX contacts_short_link ON contacts (user_id, short_link) WHERE short_link IS NOT NULL;

    -- The call with a contact.
    CREATE TABLE calls (
      contact_id INTEGER PRIMARY KEY NOT NULL REFERENCES contacts ON DELETE CASCADE,
      call_id BLOB NOT NULL,
      call_uuid TEXT NOT NULL,
      item_id INTEGER REFERENCES items ON DELETE SET NULL,
      state TEXT NOT NULL,
      call_type TEXT NOT NULL,
      call_ts INTEGER NOT NULL,
      -- The keys for its encryption, while they are needed: the caller's private one; of the other side the one to send
      -- and the secret of both.
      public_key BLOB,
      secret_key BLOB,
      connected_at INTEGER
    ) STRICT;
    CREATE INDEX calls_item ON calls (item_id) WHERE item_id IS NOT NULL;

    CREATE TABLE addresses (
      -- Never used twice: connections and requests remember the address they came by.
      address_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      group_id INTEGER,
      full_link TEXT NOT NULL,
      short_link TEXT,
      link_data_set INTEGER NOT NULL DEFAULT 0,
      link_large_data_set INTEGER NOT NULL DEFAULT 0,
      business INTEGER NOT NULL DEFAULT 0,
      auto_accept INTEGER NOT NULL DEFAULT 0,
      accept_incognito INTEGER NOT NULL DEFAULT 0,
      auto_reply TEXT,
      group_link_id TEXT,
      member_role TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX addresses_user ON addresses (user_id) WHERE group_id IS NULL;
    CREATE UNIQUE INDEX addresses_group ON addresses (group_id) WHERE group_id IS NOT NULL;
    CREATE INDEX addresses_full_link ON addresses (user_id, full_link);
    CREATE INDEX addresses_short_link ON addresses (user_id, short_link) WHERE short_link IS NOT NULL;

    CREATE TABLE contact_requests (
      request_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      address_id INTEGER,
      agent_invitation_id TEXT NOT NULL,
      contact_id INTEGER,
      business_group_id INTEGER,
      profile_id INTEGER NOT NULL,
      local_display_name TEXT NOT NULL,
      xcontact_id TEXT,
      pq_support INTEGER NOT NULL DEFAULT 0,
      welcome_shared_id TEXT,
      request_shared_id TEXT,
      peer_min_version INTEGER NOT NULL,
      peer_max_version INTEGER NOT NULL,
      -- The connection of the address by which it came, while it is not accepted; otherwise 0 (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX contact_requests_charged ON contact_requests (created_at) WHERE charged_to <> 0;
    CREATE INDEX contact_requests_list ON contact_requests (user_id, updated_at) WHERE contact_id IS NULL;
    CREATE INDEX contact_requests_invitation ON contact_requests (agent_invitation_id);
    CREATE INDEX contact_requests_name ON contact_requests (user_id, local_display_name);
    CREATE INDEX contact_requests_xcontact ON contact_requests (user_id, xcontact_id) WHERE xcontact_id IS NOT NULL;
    CREATE INDEX contact_requests_contact ON contact_requests (contact_id) WHERE contact_id IS NOT NULL;
    CREATE INDEX contact_requests_group ON contact_requests (business_group_id) WHERE business_group_id IS NOT NULL;
    CREATE INDEX contact_requests_profile ON contact_requests (profile_id);
    CREATE INDEX contact_requests_address ON contact_requests (address_id);
    CREATE TRIGGER contact_requests_delete AFTER DELETE ON contact_requests BEGIN
      UPDATE contacts SET request_id = NULL WHERE request_id = OLD.request_id;
    END;

    """

  static let connections = """
    CREATE TABLE connections (
      -- Never used twice: recipients of files remember them.
      connection_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      agent_conn_id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      status_error TEXT,
      level INTEGER NOT NULL DEFAULT 0,
      via_contact INTEGER,
      via_address INTEGER,
      via_group_link INTEGER NOT NULL DEFAULT 0,
      group_link_id TEXT,
      xcontact_id TEXT,
      custom_profile_id INTEGER,
      initiated INTEGER NOT NULL DEFAULT 0,
      local_alias TEXT NOT NULL DEFAULT '',
      contact_id INTEGER,
      member_id INTEGER,
      address_id INTEGER,
      security_code TEXT,
      verified_at INTEGER,
      pq_support INTEGER NOT NULL DEFAULT 0,
      pq_encryption INTEGER NOT NULL DEFAULT 0,
      pq_sending INTEGER,
      pq_receiving INTEGER,
      -- Whether the ratchet has to be synchronized before anything can be sent.
      sending_prohibited INTEGER NOT NULL DEFAULT 0,
      authorization_errors INTEGER NOT NULL DEFAULT 0,
      quota_errors INTEGER NOT NULL DEFAULT 0,
      chat_version INTEGER NOT NULL,
      peer_min_version INTEGER NOT NULL,
      peer_max_version INTEGER NOT NULL,
      -- The invitation this side made or joins.
      invitation_link TEXT,
      invitation_short_link TEXT,
      -- The address this side asks to connect by.
      via_link TEXT,
      via_link_hash TEXT,
      via_short_link TEXT,
      to_subscribe INTEGER NOT NULL DEFAULT 0,
      -- The agent's number of the last message that was received; numbers only grow. All through it are handled but those
      -- in unhandled_messages.
      last_received_id INTEGER NOT NULL DEFAULT 0,
      -- The version of the user's profile when the connection was created.
      profile_version INTEGER NOT NULL DEFAULT 0,
      -- Whether that message gets a receipt, which is decided when it is handled.
      sends_receipt INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TRIGGER connections_delete AFTER DELETE ON connections BEGIN
      DELETE FROM kept_messages WHERE connection_id = OLD.connection_id;
      DELETE FROM unhandled_messages WHERE connection_id = OLD.connection_id;
    END;
    -- Messages that could not be handled, and that the agent keeps and delivers again after later ones.
    CREATE TABLE unhandled_messages (
      connection_id INTEGER NOT NULL,
      agent_message_id INTEGER NOT NULL,
      PRIMARY KEY (connection_id, agent_message_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX connections_contact ON connections (contact_id) WHERE contact_id IS NOT NULL;
    CREATE INDEX connections_member ON connections (member_id) WHERE member_id IS NOT NULL;
    CREATE INDEX connections_address ON connections (address_id) WHERE address_id IS NOT NULL;
    CREATE INDEX connections_user ON connections (user_id);
    CREATE INDEX connections_pending ON connections (user_id, updated_at)
      WHERE kind = 'contact' AND contact_id IS NULL;
    CREATE INDEX connections_invitation ON connections (user_id, invitation_link) WHERE invitation_link IS NOT NULL;
    CREATE INDEX connections_short_invitation ON connections (user_id, invitation_short_link)
      WHERE invitation_short_link IS NOT NULL;
    CREATE INDEX connections_via_hash ON connections (user_id, via_link_hash) WHERE via_link_hash IS NOT NULL;
    CREATE INDEX connections_profile ON connections (custom_profile_id) WHERE custom_profile_id IS NOT NULL;

    """
}
