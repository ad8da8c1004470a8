extension Migration0001 {
  static let groups = """
    CREATE TABLE groups (
      -- Never used twice: the members of a deleted group go later.
      group_id INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id INTEGER NOT NULL,
      local_display_name TEXT NOT NULL,
      display_name TEXT NOT NULL,
      full_name TEXT NOT NULL,
      short_descr TEXT,
      description TEXT,
      public_group TEXT,
      -- Whether messages go through relays, RelayStatus of the user where it is one of them, and the number of members
      -- that the link shows.
      use_relays INTEGER NOT NULL DEFAULT 0,
      relay_status TEXT,
      public_members INTEGER,
      preferences TEXT,
      admission TEXT,
      local_alias TEXT NOT NULL DEFAULT '',
      business TEXT,
      -- The user as member, and the member through whom the user joined.
      membership_id INTEGER NOT NULL DEFAULT 0,
      host_member_id INTEGER,
      -- Members that are admitted and still there; triggers maintain it.
      current_members INTEGER NOT NULL DEFAULT 0,
      -- The index of the member that is added next.
      next_index INTEGER NOT NULL DEFAULT 0,
      -- Members who wait for an answer of a moderator or to be admitted, and reports that are not archived; triggers
      -- maintain them.
      attention INTEGER NOT NULL DEFAULT 0,
      reports INTEGER NOT NULL DEFAULT 0,
      -- The link of a received invitation, and the item in the chat of the contact who invited.
      invitation TEXT,
      invitation_item_id INTEGER,
      -- The link that the user joined by: its identifier (groupLinkId), and both its forms.
      via_link TEXT,
      full_link TEXT,
      short_link TEXT,
      -- Whether the group was made from a link and waits for the user to join; whether the user did.
      link_prepared INTEGER NOT NULL DEFAULT 0,
      link_started INTEGER NOT NULL DEFAULT 0,
      welcome_shared_id TEXT,
      request_shared_id TEXT,
      -- How often the group's profile was changed.
      profile_version INTEGER NOT NULL DEFAULT 0,
      -- When the members got the user's profile; never before it was changed.
      profile_sent_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      image TEXT
    ) STRICT;
    CREATE UNIQUE INDEX groups_name ON groups (user_id, local_display_name);
    CREATE INDEX groups_invitation ON groups (user_id, invitation) WHERE invitation IS NOT NULL;
    CREATE INDEX groups_full_link ON groups (user_id, full_link) WHERE full_link IS NOT NULL;
    CREATE INDEX groups_short_link ON groups (user_id, short_link) WHERE short_link IS NOT NULL;
    CREATE INDEX groups_via_link ON groups (user_id, via_link) WHERE via_link IS NOT NULL;

    CREATE TABLE members (
      -- Never used twice: reactions and receipts remember them.
      member_id INTEGER PRIMARY KEY AUTOINCREMENT,
      group_id INTEGER NOT NULL,
      user_id INTEGER NOT NULL,
      -- Position in the relations of other members.
      index_in_group INTEGER NOT NULL,
      -- The identifier in the group, base64url.
      shared_member_id TEXT NOT NULL,
      role TEXT NOT NULL,
      -- GroupMemberCategory: how the member came, as the user sees it
      category TEXT NOT NULL,
      status TEXT NOT NULL,
      -- Whether the status is one of a member that is admitted and still there.
      is_current INTEGER NOT NULL,
      show_messages INTEGER NOT NULL DEFAULT 1,
      blocked_by_admin INTEGER NOT NULL DEFAULT 0,
      -- 0 unknown, 1 the user, 2 the contact in invited_by_contact
      invited_by INTEGER NOT NULL DEFAULT 0,
      invited_by_contact INTEGER,
      invited_by_member INTEGER,
      local_display_name TEXT NOT NULL,
      -- The profile that is shown, and that of the contact or, for the user, the main one; they differ where a member is
      -- incognito.
      profile_id INTEGER NOT NULL,
      contact_profile_id INTEGER NOT NULL,
      contact_id INTEGER,
      connection_id INTEGER REFERENCES connections ON DELETE SET NULL,
      min_version INTEGER NOT NULL,
      max_version INTEGER NOT NULL,
      public_key TEXT,
      -- Of a relay: its link for the channel.
      relay_link TEXT,
      -- What has to be sent before anything else: messages in pending_messages that are not held.
      has_pending INTEGER NOT NULL DEFAULT 0,
      -- Whether others are still being introduced to the member; everything else is held until that is done.
      is_introduced_to INTEGER NOT NULL DEFAULT 0,
      host_profile_received INTEGER NOT NULL DEFAULT 0,
      -- The request that a member joined by: its xContactId, and the id of its welcome message.
      join_xcontact_id TEXT,
      join_welcome_id TEXT,
      removed_at INTEGER,
      -- The connection by which the member came, while it is not connected; 0 for none (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      -- The version of the group's profile when the member was added.
      group_version INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      -- The link of the connection that an invited contact was sent.
      invitation TEXT,
      -- MemberRelation of each other member, at its index. The last column: it may be long, and SQLite reads what
      -- stands before a column to get to it.
      relations BLOB NOT NULL DEFAULT x''
    ) STRICT;
    CREATE UNIQUE INDEX members_shared ON members (group_id, shared_member_id);
    CREATE INDEX members_index ON members (group_id, index_in_group);
    CREATE INDEX members_name ON members (user_id, local_display_name);
    CREATE INDEX members_contact ON members (contact_id) WHERE contact_id IS NOT NULL;
    CREATE INDEX members_profile ON members (profile_id);
    CREATE INDEX members_contact_profile ON members (contact_profile_id);
    CREATE INDEX members_connection ON members (connection_id) WHERE connection_id IS NOT NULL;
    CREATE INDEX members_pending ON members (group_id) WHERE status IN ('pending_approval', 'pending_review');
    CREATE INDEX members_introduced ON members (group_id, category, status)
      WHERE category = 'pre' AND status IN ('introduced', 'intro-inv');
    CREATE INDEX members_joined ON members (group_id, invited_by_member)
      WHERE category = 'post' AND status IN ('intro-inv', 'pending_approval', 'pending_review');
    CREATE INDEX members_unknown ON members (group_id, invited_by_member, status) WHERE status = 'unknown';
    CREATE INDEX members_introduced_to ON members (group_id) WHERE is_introduced_to = 1;
    CREATE INDEX members_join_request ON members (join_xcontact_id, group_id) WHERE join_xcontact_id IS NOT NULL;
    CREATE INDEX members_charged ON members (created_at) WHERE charged_to <> 0;
    CREATE INDEX members_invited_by ON members (invited_by_contact) WHERE invited_by_contact IS NOT NULL;
    CREATE INDEX members_removed ON members (removed_at) WHERE removed_at IS NOT NULL;

    CREATE TRIGGER members_insert AFTER INSERT ON members WHEN NEW.is_current = 1 BEGIN
      UPDATE groups SET current_members = current_members + 1 WHERE group_id = NEW.group_id;
    END;
    CREATE TRIGGER members_delete AFTER DELETE ON members WHEN OLD.is_current = 1 BEGIN
      UPDATE groups SET current_members = current_members - 1 WHERE group_id = OLD.group_id;
    END;
    CREATE TRIGGER members_update AFTER UPDATE OF is_current ON members WHEN OLD.is_current <> NEW.is_current BEGIN
      UPDATE groups SET current_members = current_members + NEW.is_current - OLD.is_current
      WHERE group_id = NEW.group_id;
    END;

    -- Messages for members that nothing can be sent to yet, in the order of their numbers.
    CREATE TABLE pending_messages (
      pending_id INTEGER PRIMARY KEY AUTOINCREMENT,
      member_id INTEGER NOT NULL,
      packet_id INTEGER NOT NULL,
      notify INTEGER NOT NULL,
      item_id INTEGER,
      -- Whether it waits until all others are introduced to the member.
      is_held INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pending_messages_member ON pending_messages (member_id, is_held, pending_id);
    CREATE INDEX pending_messages_packet ON pending_messages (packet_id);
    CREATE INDEX pending_messages_time ON pending_messages (created_at);

    -- The status of a message for each of its recipients.
    CREATE TABLE item_recipients (
      item_id INTEGER NOT NULL,
      member_id INTEGER NOT NULL,
      -- RecipientStatusCode
      status INTEGER NOT NULL,
      status_detail TEXT,
      via_proxy INTEGER,
      PRIMARY KEY (item_id, member_id)
    ) STRICT, WITHOUT ROWID;
    -- How many recipients of an item have each status, so that they are not counted again for each change.
    CREATE TABLE item_recipient_counts (
      item_id INTEGER NOT NULL,
      status INTEGER NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (item_id, status)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER item_recipients_insert AFTER INSERT ON item_recipients BEGIN
      INSERT INTO item_recipient_counts VALUES (NEW.item_id, NEW.status, 1)
        ON CONFLICT DO UPDATE SET count = count + 1;
    END;
    CREATE TRIGGER item_recipients_update AFTER UPDATE OF status ON item_recipients WHEN OLD.status <> NEW.status BEGIN
      UPDATE item_recipient_counts SET count = count - 1 WHERE item_id = OLD.item_id AND status = OLD.status;
      INSERT INTO item_recipient_counts VALUES (NEW.item_id, NEW.status, 1)
        ON CONFLICT DO UPDATE SET count = count + 1;
    END;

    -- Messages of groups that were received, by their author's identifier: they come directly and forwarded.
    CREATE TABLE received_messages (
      group_id INTEGER NOT NULL,
      -- 0 for the channel.
      author_id INTEGER NOT NULL,
      shared_id TEXT NOT NULL,
      -- Who forwarded the copy that came first; 0 for the author.
      forwarded_by INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      -- The connection by which it came, where it shows nothing by itself; otherwise 0 (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (group_id, author_id, shared_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX received_messages_time ON received_messages (received_at);

    -- Deletions of messages that have not come yet, by moderators or by their authors.
    CREATE TABLE moderations (
      group_id INTEGER NOT NULL,
      author TEXT NOT NULL,
      shared_id TEXT NOT NULL,
      moderator_id INTEGER NOT NULL,
      moderated_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      -- The connection by which it came (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (group_id, author, shared_id, moderator_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX moderations_moderator ON moderations (moderator_id);
    CREATE INDEX moderations_time ON moderations (created_at);

    -- What was decided about members before they were introduced.
    CREATE TABLE early_decisions (
      -- In the order of the decisions.
      decision_id INTEGER PRIMARY KEY,
      group_id INTEGER NOT NULL,
      shared_member_id TEXT NOT NULL,
      -- accepted, removed, role or blocked
      kind TEXT NOT NULL,
      -- The role that it was accepted with or given, or whether it is blocked.
      value TEXT,
      -- The role of the member who decided, whose rights are known when the member is introduced; empty where accepted.
      by_role TEXT NOT NULL,
      -- Who decided about a member that was not known; NULL where it was.
      by_member INTEGER,
      created_at INTEGER NOT NULL,
      -- The connection by which it came; 0 where the member is known (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0,
      UNIQUE (group_id, shared_member_id, kind, by_role)
    ) STRICT;
    CREATE INDEX early_decisions_time ON early_decisions (created_at);
    CREATE INDEX early_decisions_member ON early_decisions (by_member) WHERE by_member IS NOT NULL;

    -- Secrets by which a contact and a member are found to be the same person: to whom each was sent, who was asked
    -- whether they know its hash, and what others sent.
    CREATE TABLE sent_probes (
      probe_id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL,
      probe TEXT NOT NULL,
      contact_id INTEGER,
      member_id INTEGER,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sent_probes_probe ON sent_probes (user_id, probe);
    CREATE INDEX sent_probes_time ON sent_probes (created_at);
    CREATE INDEX sent_probes_contact ON sent_probes (contact_id) WHERE contact_id IS NOT NULL;
    CREATE INDEX sent_probes_member ON sent_probes (member_id) WHERE member_id IS NOT NULL;
    CREATE TABLE asked_probes (
      probe_id INTEGER NOT NULL,
      contact_id INTEGER,
      member_id INTEGER
    ) STRICT;
    CREATE INDEX asked_probes_probe ON asked_probes (probe_id);
    CREATE INDEX asked_probes_contact ON asked_probes (contact_id) WHERE contact_id IS NOT NULL;
    CREATE INDEX asked_probes_member ON asked_probes (member_id) WHERE member_id IS NOT NULL;
    CREATE TRIGGER sent_probes_delete AFTER DELETE ON sent_probes BEGIN
      DELETE FROM asked_probes WHERE probe_id = OLD.probe_id;
    END;
    CREATE TABLE received_probes (
      received_id INTEGER PRIMARY KEY,
      user_id INTEGER NOT NULL,
      hash TEXT NOT NULL,
      probe TEXT,
      contact_id INTEGER,
      member_id INTEGER,
      created_at INTEGER NOT NULL,
      -- The connection by which it came (peer_state).
      charged_to INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX received_probes_hash ON received_probes (user_id, hash);
    CREATE INDEX received_probes_time ON received_probes (created_at);
    CREATE INDEX received_probes_contact ON received_probes (contact_id) WHERE contact_id IS NOT NULL;
    CREATE INDEX received_probes_member ON received_probes (member_id) WHERE member_id IS NOT NULL;

    -- What refers to a contact or a member goes with it, whoever deletes that and how.
    CREATE TRIGGER contacts_delete AFTER DELETE ON contacts BEGIN
      DELETE FROM sent_probes WHERE contact_id = OLD.contact_id;
      DELETE FROM asked_probes WHERE contact_id = OLD.contact_id;
      DELETE FROM received_probes WHERE contact_id = OLD.contact_id;
      UPDATE members SET invited_by_contact = NULL WHERE invited_by_contact = OLD.contact_id;
    END;
    CREATE TRIGGER members_forget AFTER DELETE ON members BEGIN
      DELETE FROM sent_probes WHERE member_id = OLD.member_id;
      DELETE FROM asked_probes WHERE member_id = OLD.member_id;
      DELETE FROM received_probes WHERE member_id = OLD.member_id;
      UPDATE contacts SET member_id = NULL WHERE member_id = OLD.member_id;
    END;

    """
}
