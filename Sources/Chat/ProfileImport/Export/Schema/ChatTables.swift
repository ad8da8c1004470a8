extension ReferenceSchema {
  /// The tables of the chat core up to `extra…`, in the order of their names.
  static let chatTables = """
    CREATE TABLE app_settings ( \
      app_settings TEXT NOT NULL \
    ) STRICT;
    CREATE TABLE calls ( \
      call_id INTEGER PRIMARY KEY, contact_id INTEGER NOT NULL REFERENCES contacts ON DELETE CASCADE, \
      shared_call_id BLOB NOT NULL, chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE, \
      call_state TEXT NOT NULL, call_ts TEXT NOT NULL, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      call_uuid TEXT NOT NULL DEFAULT '' \
    ) STRICT;
    CREATE TABLE chat_item_mentions ( \
      chat_item_mention_id INTEGER PRIMARY KEY AUTOINCREMENT, \
      group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, member_id BLOB NOT NULL, \
      chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE, display_name TEXT NOT NULL \
    ) STRICT;
    CREATE TABLE chat_item_messages ( \
      chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE, \
      message_id INTEGER NOT NULL UNIQUE REFERENCES messages ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      UNIQUE(chat_item_id, message_id) \
    ) STRICT;
    CREATE TABLE chat_item_moderations ( \
      chat_item_moderation_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, \
      moderator_member_id INTEGER NOT NULL REFERENCES group_members ON DELETE CASCADE, item_member_id BLOB NOT NULL, \
      shared_msg_id BLOB NOT NULL, created_by_msg_id INTEGER REFERENCES messages(message_id) ON DELETE SET NULL, \
      moderated_at TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE chat_item_reactions ( \
      chat_item_reaction_id INTEGER PRIMARY KEY AUTOINCREMENT, item_member_id BLOB, shared_msg_id BLOB NOT NULL, \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_id INTEGER REFERENCES groups ON DELETE CASCADE, \
      group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, \
      created_by_msg_id INTEGER REFERENCES messages(message_id) ON DELETE SET NULL, reaction TEXT NOT NULL, \
      reaction_sent INTEGER NOT NULL, reaction_ts TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE chat_item_versions ( \
      chat_item_version_id INTEGER PRIMARY KEY AUTOINCREMENT, \
      chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE, msg_content TEXT NOT NULL, \
      item_version_ts TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE chat_items ( \
      chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_id INTEGER REFERENCES groups ON DELETE CASCADE, \
      group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, chat_msg_id INTEGER, \
      created_by_msg_id INTEGER UNIQUE REFERENCES messages(message_id) ON DELETE SET NULL, \
      item_sent INTEGER NOT NULL, item_ts TEXT NOT NULL, item_deleted INTEGER NOT NULL DEFAULT 0, \
      item_content TEXT NOT NULL, item_text TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')), item_status TEXT CHECK(item_status NOT NULL), \
      shared_msg_id BLOB, quoted_shared_msg_id BLOB, quoted_sent_at TEXT, quoted_content TEXT, quoted_sent INTEGER, \
      quoted_member_id BLOB, item_edited INTEGER, timed_ttl INTEGER, timed_delete_at TEXT, item_live INTEGER, \
      item_deleted_by_group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, item_deleted_ts TEXT, \
      forwarded_by_group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, item_content_tag TEXT, \
      note_folder_id INTEGER DEFAULT NULL REFERENCES note_folders ON DELETE CASCADE, fwd_from_tag TEXT, \
      fwd_from_chat_name TEXT, fwd_from_msg_dir INTEGER, \
      fwd_from_contact_id INTEGER REFERENCES contacts ON DELETE SET NULL, \
      fwd_from_group_id INTEGER REFERENCES groups ON DELETE SET NULL, \
      fwd_from_chat_item_id INTEGER REFERENCES chat_items ON DELETE SET NULL, via_proxy INTEGER, \
      msg_content_tag TEXT, include_in_history INTEGER NOT NULL DEFAULT 0, user_mention INTEGER NOT NULL DEFAULT 0, \
      group_scope_tag TEXT, \
      group_scope_group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE, \
      show_group_as_sender INTEGER NOT NULL DEFAULT 0, has_link INTEGER NOT NULL DEFAULT 0, msg_signed TEXT, \
      item_viewed INTEGER NOT NULL DEFAULT 0 \
    ) STRICT;
    CREATE TABLE chat_relays ( \
      chat_relay_id INTEGER PRIMARY KEY, address BLOB NOT NULL, display_name TEXT NOT NULL, \
      full_name TEXT NOT NULL DEFAULT '', short_descr TEXT, image TEXT, domains TEXT NOT NULL, \
      preset INTEGER NOT NULL DEFAULT 0, tested INTEGER, enabled INTEGER NOT NULL DEFAULT 1, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, deleted INTEGER NOT NULL DEFAULT 0, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE chat_tags ( \
      chat_tag_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER REFERENCES users ON DELETE CASCADE, \
      chat_tag_text TEXT NOT NULL, chat_tag_emoji TEXT, tag_order INTEGER NOT NULL \
    ) STRICT;
    CREATE TABLE chat_tags_chats ( \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_id INTEGER REFERENCES groups ON DELETE CASCADE, \
      chat_tag_id INTEGER NOT NULL REFERENCES chat_tags ON DELETE CASCADE \
    ) STRICT;
    CREATE TABLE commands ( \
      command_id INTEGER PRIMARY KEY AUTOINCREMENT, connection_id INTEGER REFERENCES connections ON DELETE CASCADE, \
      command_function TEXT NOT NULL, command_status TEXT NOT NULL, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE connections ( \
      connection_id INTEGER PRIMARY KEY, agent_conn_id BLOB NOT NULL UNIQUE, conn_level INTEGER NOT NULL DEFAULT 0, \
      via_contact INTEGER REFERENCES contacts(contact_id) ON DELETE SET NULL, conn_status TEXT NOT NULL, \
      conn_type TEXT NOT NULL, user_contact_link_id INTEGER REFERENCES user_contact_links ON DELETE CASCADE, \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_member_id INTEGER REFERENCES group_members ON DELETE CASCADE, snd_file_id INTEGER, \
      rcv_file_id INTEGER REFERENCES rcv_files(file_id) ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, updated_at TEXT CHECK(updated_at NOT NULL), \
      via_contact_uri_hash BLOB, xcontact_id BLOB, via_user_contact_link INTEGER DEFAULT NULL REFERENCES \
      user_contact_links(user_contact_link_id) ON DELETE SET NULL, \
      custom_user_profile_id INTEGER REFERENCES contact_profiles ON DELETE SET NULL, conn_req_inv BLOB, \
      local_alias TEXT DEFAULT '' CHECK(local_alias NOT NULL), \
      via_group_link INTEGER DEFAULT 0 CHECK(via_group_link NOT NULL), group_link_id BLOB, security_code TEXT NULL, \
      security_code_verified_at TEXT NULL, auth_err_counter INTEGER DEFAULT 0 CHECK(auth_err_counter NOT NULL), \
      peer_chat_min_version INTEGER NOT NULL DEFAULT 1, peer_chat_max_version INTEGER NOT NULL DEFAULT 1, \
      to_subscribe INTEGER DEFAULT 0 NOT NULL, contact_conn_initiated INTEGER NOT NULL DEFAULT 0, \
      conn_chat_version INTEGER, pq_support INTEGER NOT NULL DEFAULT 0, pq_encryption INTEGER NOT NULL DEFAULT 0, \
      pq_snd_enabled INTEGER, pq_rcv_enabled INTEGER, quota_err_counter INTEGER NOT NULL DEFAULT 0, \
      short_link_inv BLOB, via_short_link_contact BLOB, via_contact_uri BLOB, relay_test INTEGER NOT NULL DEFAULT 0, \
      FOREIGN KEY(snd_file_id, connection_id) REFERENCES snd_files(file_id, connection_id) ON DELETE CASCADE \
      DEFERRABLE INITIALLY DEFERRED \
    ) STRICT;
    CREATE TABLE connections_sync ( \
      connections_sync_id INTEGER PRIMARY KEY AUTOINCREMENT, should_sync INTEGER NOT NULL DEFAULT 0, \
      last_sync_ts TEXT \
    ) STRICT;
    CREATE TABLE contact_profiles ( \
      contact_profile_id INTEGER PRIMARY KEY, display_name TEXT NOT NULL, full_name TEXT NOT NULL, \
      properties TEXT NOT NULL DEFAULT '{}', created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL), image TEXT, \
      user_id INTEGER DEFAULT NULL REFERENCES users ON DELETE CASCADE, incognito INTEGER, \
      local_alias TEXT DEFAULT '' CHECK(local_alias NOT NULL), preferences TEXT, contact_link BLOB, \
      short_descr TEXT, chat_peer_type TEXT, badge_proof BLOB, badge_pres_header BLOB, badge_expiry TEXT, \
      badge_type TEXT, badge_verified INTEGER, badge_extra TEXT, badge_master_key BLOB, badge_signature BLOB, \
      badge_key_idx INTEGER \
    ) STRICT;
    CREATE TABLE contact_requests ( \
      contact_request_id INTEGER PRIMARY KEY, \
      user_contact_link_id INTEGER REFERENCES user_contact_links ON UPDATE CASCADE ON DELETE SET NULL, \
      agent_invitation_id BLOB NOT NULL, \
      contact_profile_id INTEGER REFERENCES contact_profiles ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, \
      local_display_name TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, updated_at TEXT CHECK(updated_at NOT NULL), \
      xcontact_id BLOB, peer_chat_min_version INTEGER NOT NULL DEFAULT 1, \
      peer_chat_max_version INTEGER NOT NULL DEFAULT 1, pq_support INTEGER NOT NULL DEFAULT 0, \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      business_group_id INTEGER REFERENCES groups(group_id) ON DELETE CASCADE, welcome_shared_msg_id BLOB, \
      request_shared_msg_id BLOB, FOREIGN KEY(user_id, local_display_name) REFERENCES display_names(user_id, \
      local_display_name) ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, \
      UNIQUE(user_id, local_display_name), UNIQUE(user_id, contact_profile_id) \
    ) STRICT;
    CREATE TABLE contacts ( \
      contact_id INTEGER PRIMARY KEY, contact_profile_id INTEGER REFERENCES contact_profiles ON DELETE SET NULL, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, local_display_name TEXT NOT NULL, \
      is_user INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT CHECK(updated_at NOT NULL), xcontact_id BLOB, enable_ntfs INTEGER, \
      unread_chat INTEGER DEFAULT 0 CHECK(unread_chat NOT NULL), \
      contact_used INTEGER DEFAULT 0 CHECK(contact_used NOT NULL), \
      user_preferences TEXT DEFAULT '{}' CHECK(user_preferences NOT NULL), chat_ts TEXT, \
      deleted INTEGER NOT NULL DEFAULT 0, favorite INTEGER NOT NULL DEFAULT 0, send_rcpts INTEGER, \
      contact_group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL, \
      contact_grp_inv_sent INTEGER NOT NULL DEFAULT 0, contact_status TEXT NOT NULL DEFAULT 'active', \
      custom_data BLOB, ui_themes TEXT, chat_deleted INTEGER NOT NULL DEFAULT 0, chat_item_ttl INTEGER, \
      conn_full_link_to_connect BLOB, conn_short_link_to_connect BLOB, welcome_shared_msg_id BLOB, \
      request_shared_msg_id BLOB, contact_request_id INTEGER REFERENCES contact_requests ON DELETE SET NULL, \
      grp_direct_inv_link BLOB, grp_direct_inv_from_group_id INTEGER REFERENCES groups(group_id) ON DELETE SET NULL, \
      grp_direct_inv_from_group_member_id INTEGER REFERENCES group_members(group_member_id) ON DELETE SET NULL, \
      grp_direct_inv_from_member_conn_id INTEGER REFERENCES connections(connection_id) ON DELETE SET NULL, \
      grp_direct_inv_started_connection INTEGER NOT NULL DEFAULT 0, FOREIGN KEY(user_id, local_display_name) \
      REFERENCES display_names(user_id, local_display_name) ON DELETE CASCADE ON UPDATE CASCADE, \
      UNIQUE(user_id, local_display_name), UNIQUE(user_id, contact_profile_id) \
    ) STRICT;
    CREATE TABLE delivery_jobs ( \
      delivery_job_id INTEGER PRIMARY KEY AUTOINCREMENT, \
      group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, worker_scope TEXT NOT NULL, \
      job_scope_spec_tag TEXT, job_scope_include_pending INTEGER, \
      job_scope_support_gm_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE, body BLOB, \
      cursor_group_member_id INTEGER, job_status TEXT NOT NULL, job_err_reason TEXT, failed INTEGER DEFAULT 0, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      sender_group_member_ids TEXT \
    ) STRICT;
    CREATE TABLE delivery_tasks ( \
      delivery_task_id INTEGER PRIMARY KEY AUTOINCREMENT, \
      group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, worker_scope TEXT NOT NULL, \
      job_scope_spec_tag TEXT, job_scope_include_pending INTEGER, \
      job_scope_support_gm_id INTEGER REFERENCES group_members(group_member_id) ON DELETE CASCADE, \
      sender_group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE, \
      message_id INTEGER REFERENCES messages ON DELETE CASCADE, message_from_channel INTEGER NOT NULL DEFAULT 0, \
      task_status TEXT NOT NULL, task_err_reason TEXT, failed INTEGER DEFAULT 0, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE display_names ( \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, local_display_name TEXT NOT NULL, \
      ldn_base TEXT NOT NULL, ldn_suffix INTEGER NOT NULL DEFAULT 0, created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL), PRIMARY KEY(user_id, local_display_name) ON CONFLICT FAIL, \
      UNIQUE(user_id, ldn_base, ldn_suffix) ON CONFLICT FAIL \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE extra_xftp_file_descriptions ( \
      extra_file_descr_id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, file_descr_text TEXT NOT NULL, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    """
}
