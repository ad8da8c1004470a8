extension ReferenceSchema {
  /// The tables of the chat core from `files` on.
  static let furtherChatTables = """
    CREATE TABLE files ( \
      file_id INTEGER PRIMARY KEY, contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_id INTEGER REFERENCES groups ON DELETE CASCADE, file_name TEXT NOT NULL, file_path TEXT, \
      file_size INTEGER NOT NULL, chunk_size INTEGER NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      chat_item_id INTEGER DEFAULT NULL REFERENCES chat_items ON DELETE CASCADE, \
      updated_at TEXT CHECK(updated_at NOT NULL), cancelled INTEGER, ci_file_status TEXT, file_inline TEXT, \
      agent_snd_file_id BLOB NULL, private_snd_file_descr TEXT NULL, \
      agent_snd_file_deleted INTEGER DEFAULT 0 CHECK(agent_snd_file_deleted NOT NULL), \
      protocol TEXT NOT NULL DEFAULT 'smp', file_crypto_key BLOB, file_crypto_nonce BLOB, \
      note_folder_id INTEGER DEFAULT NULL REFERENCES note_folders ON DELETE CASCADE, \
      redirect_file_id INTEGER REFERENCES files ON DELETE CASCADE, shared_msg_id BLOB, \
      file_type TEXT NOT NULL DEFAULT 'normal', roster_transfer_id INTEGER \
    ) STRICT;
    CREATE TABLE group_member_intros ( \
      group_member_intro_id INTEGER PRIMARY KEY, \
      re_group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE, \
      to_group_member_id INTEGER NOT NULL REFERENCES group_members(group_member_id) ON DELETE CASCADE, \
      group_queue_info BLOB, direct_queue_info BLOB, intro_status TEXT NOT NULL, \
      created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), \
      intro_chat_protocol_version INTEGER NOT NULL DEFAULT 3, UNIQUE(re_group_member_id, to_group_member_id) \
    ) STRICT;
    CREATE TABLE group_member_status_predicates ( \
      member_status TEXT NOT NULL PRIMARY KEY, current_member INTEGER NOT NULL DEFAULT 0 \
    ) STRICT;
    CREATE TABLE group_members ( \
      group_member_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, \
      member_id BLOB NOT NULL, member_role TEXT NOT NULL, member_category TEXT NOT NULL, \
      member_status TEXT NOT NULL, invited_by INTEGER REFERENCES contacts(contact_id) ON DELETE SET NULL, \
      sent_inv_queue_info BLOB, group_queue_info BLOB, direct_queue_info BLOB, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, local_display_name TEXT NOT NULL, \
      contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles ON DELETE CASCADE, \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL), \
      member_profile_id INTEGER REFERENCES contact_profiles ON DELETE SET NULL, \
      show_messages INTEGER NOT NULL DEFAULT 1, xgrplinkmem_received INTEGER NOT NULL DEFAULT 0, \
      invited_by_group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, \
      peer_chat_min_version INTEGER NOT NULL DEFAULT 1, peer_chat_max_version INTEGER NOT NULL DEFAULT 1, \
      member_restriction TEXT, support_chat_ts TEXT, support_chat_items_unread INTEGER NOT NULL DEFAULT 0, \
      support_chat_items_member_attention INTEGER NOT NULL DEFAULT 0, \
      support_chat_items_mentions INTEGER NOT NULL DEFAULT 0, support_chat_last_msg_from_member_ts TEXT, \
      member_xcontact_id BLOB, member_welcome_shared_msg_id BLOB, index_in_group INTEGER NOT NULL DEFAULT 0, \
      member_relations_vector BLOB, relay_link BLOB, member_pub_key BLOB, removed_at TEXT, \
      FOREIGN KEY(user_id, local_display_name) REFERENCES display_names(user_id, \
      local_display_name) ON DELETE CASCADE ON UPDATE CASCADE, UNIQUE(group_id, member_id) \
    ) STRICT;
    CREATE TABLE group_profiles ( \
      group_profile_id INTEGER PRIMARY KEY, display_name TEXT NOT NULL, full_name TEXT NOT NULL, \
      properties TEXT NOT NULL DEFAULT '{}', created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL), image TEXT, \
      user_id INTEGER DEFAULT NULL REFERENCES users ON DELETE CASCADE, preferences TEXT, description TEXT NULL, \
      member_admission TEXT, short_descr TEXT, group_type TEXT, group_link BLOB, public_group_id BLOB, \
      group_web_page TEXT, group_domain TEXT, domain_web_page INTEGER, allow_embedding INTEGER \
    ) STRICT;
    CREATE TABLE group_relays ( \
      group_relay_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, \
      group_member_id INTEGER NOT NULL REFERENCES group_members ON DELETE CASCADE, \
      chat_relay_id INTEGER NOT NULL REFERENCES chat_relays ON DELETE CASCADE, relay_status TEXT NOT NULL, \
      relay_link BLOB, conf_id BLOB, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')), base_web_url TEXT \
    ) STRICT;
    CREATE TABLE group_snd_item_statuses ( \
      group_snd_item_status_id INTEGER PRIMARY KEY, \
      chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE, \
      group_member_id INTEGER NOT NULL REFERENCES group_members ON DELETE CASCADE, \
      group_snd_item_status TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')), via_proxy INTEGER \
    ) STRICT;
    CREATE TABLE groups ( \
      group_id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      local_display_name TEXT NOT NULL, group_profile_id INTEGER REFERENCES group_profiles ON DELETE SET NULL, \
      inv_queue_info BLOB, created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), \
      chat_item_id INTEGER DEFAULT NULL REFERENCES chat_items ON DELETE SET NULL, enable_ntfs INTEGER, \
      unread_chat INTEGER DEFAULT 0 CHECK(unread_chat NOT NULL), chat_ts TEXT, favorite INTEGER NOT NULL DEFAULT 0, \
      send_rcpts INTEGER, via_group_link_uri_hash BLOB, user_member_profile_sent_at TEXT, custom_data BLOB, \
      ui_themes TEXT, business_member_id BLOB NULL, business_chat TEXT NULL, business_xcontact_id BLOB NULL, \
      customer_member_id BLOB NULL, chat_item_ttl INTEGER, local_alias TEXT DEFAULT '', \
      members_require_attention INTEGER NOT NULL DEFAULT 0, conn_full_link_to_connect BLOB, \
      conn_short_link_to_connect BLOB, conn_link_started_connection INTEGER NOT NULL DEFAULT 0, \
      welcome_shared_msg_id BLOB, request_shared_msg_id BLOB, \
      conn_link_prepared_connection INTEGER NOT NULL DEFAULT 0, via_group_link_uri BLOB, \
      summary_current_members_count INTEGER NOT NULL DEFAULT 0, member_index INTEGER NOT NULL DEFAULT 0, \
      use_relays INTEGER NOT NULL DEFAULT 0, creating_in_progress INTEGER NOT NULL DEFAULT 0, relay_own_status TEXT, \
      relay_request_inv_id BLOB, relay_request_group_link BLOB, relay_request_peer_chat_min_version INTEGER, \
      relay_request_peer_chat_max_version INTEGER, relay_request_failed INTEGER DEFAULT 0, \
      relay_request_err_reason TEXT, root_priv_key BLOB, root_pub_key BLOB, member_priv_key BLOB, \
      public_member_count INTEGER, relay_request_retries INTEGER NOT NULL DEFAULT 0, \
      relay_request_delay INTEGER NOT NULL DEFAULT 0, \
      relay_request_execute_at TEXT NOT NULL DEFAULT '1970-01-01 00:00:00', relay_inactive_at TEXT, \
      relay_sent_web_domain TEXT, roster_version INTEGER, roster_msg_body BLOB, roster_msg_chat_binding TEXT, \
      roster_msg_signatures BLOB, roster_sending_owner_gm_id INTEGER, roster_broker_ts TEXT, roster_blob BLOB, \
      FOREIGN KEY(user_id, local_display_name) REFERENCES display_names(user_id, local_display_name) \
      ON DELETE CASCADE ON UPDATE CASCADE, UNIQUE(user_id, local_display_name), UNIQUE(user_id, group_profile_id) \
    ) STRICT;
    CREATE TABLE known_servers ( \
      server_id INTEGER PRIMARY KEY, host TEXT NOT NULL, port TEXT NOT NULL, key_hash BLOB, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL), UNIQUE(user_id, host, port) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE messages ( \
      message_id INTEGER PRIMARY KEY, msg_sent INTEGER NOT NULL, chat_msg_event TEXT NOT NULL, msg_body BLOB, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT CHECK(updated_at NOT NULL), \
      connection_id INTEGER DEFAULT NULL REFERENCES connections ON DELETE CASCADE, \
      group_id INTEGER DEFAULT NULL REFERENCES groups ON DELETE CASCADE, shared_msg_id BLOB, \
      shared_msg_id_user INTEGER, author_group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, \
      forwarded_by_group_member_id INTEGER REFERENCES group_members ON DELETE SET NULL, broker_ts TEXT, \
      msg_chat_binding TEXT, msg_signatures BLOB \
    ) STRICT;
    CREATE TABLE msg_deliveries ( \
      msg_delivery_id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE, \
      connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE, agent_msg_id INTEGER, \
      agent_msg_meta TEXT, chat_ts TEXT NOT NULL DEFAULT(datetime('now')), \
      created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), delivery_status TEXT \
    ) STRICT;
    CREATE TABLE note_folders ( \
      note_folder_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      chat_ts TEXT NOT NULL DEFAULT(datetime('now')), favorite INTEGER NOT NULL DEFAULT 0, \
      unread_chat INTEGER NOT NULL DEFAULT 0 \
    ) STRICT;
    CREATE TABLE operator_usage_conditions ( \
      operator_usage_conditions_id INTEGER PRIMARY KEY AUTOINCREMENT, server_operator_id INTEGER REFERENCES \
      server_operators(server_operator_id) ON DELETE SET NULL ON UPDATE CASCADE, server_operator_tag TEXT, \
      conditions_commit TEXT NOT NULL, accepted_at TEXT, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      auto_accepted INTEGER DEFAULT 0 \
    ) STRICT;
    CREATE TABLE pending_group_messages ( \
      pending_group_message_id INTEGER PRIMARY KEY, \
      group_member_id INTEGER NOT NULL REFERENCES group_members ON DELETE CASCADE, \
      message_id INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE protocol_servers ( \
      smp_server_id INTEGER PRIMARY KEY, host TEXT NOT NULL, port TEXT NOT NULL, key_hash BLOB NOT NULL, \
      basic_auth TEXT, preset INTEGER NOT NULL DEFAULT 0, tested INTEGER, enabled INTEGER NOT NULL DEFAULT 1, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      protocol TEXT NOT NULL DEFAULT 'smp', UNIQUE(user_id, host, port) \
    ) STRICT;
    CREATE TABLE rcv_file_chunks ( \
      file_id INTEGER NOT NULL REFERENCES rcv_files ON DELETE CASCADE, chunk_number INTEGER NOT NULL, \
      chunk_agent_msg_id INTEGER NOT NULL, chunk_stored INTEGER NOT NULL DEFAULT 0, \
      created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), \
      PRIMARY KEY(file_id, chunk_number) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rcv_files ( \
      file_id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE, file_status TEXT NOT NULL, \
      group_member_id INTEGER REFERENCES group_members ON DELETE CASCADE, file_queue_info BLOB, \
      created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), rcv_file_inline TEXT, \
      file_inline TEXT, file_descr_id INTEGER NULL REFERENCES xftp_file_descriptions ON DELETE SET NULL, \
      agent_rcv_file_id BLOB NULL, agent_rcv_file_deleted INTEGER DEFAULT 0 CHECK(agent_rcv_file_deleted NOT NULL), \
      to_receive INTEGER, user_approved_relays INTEGER NOT NULL DEFAULT 0 \
    ) STRICT;
    CREATE TABLE rcv_roster_transfers ( \
      roster_transfer_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE, \
      from_member_id INTEGER NOT NULL REFERENCES group_members ON DELETE CASCADE, roster_version INTEGER NOT NULL, \
      roster_digest BLOB NOT NULL, sending_owner_gm_id INTEGER NOT NULL, broker_ts TEXT NOT NULL, \
      roster_msg_body BLOB, roster_msg_chat_binding TEXT, roster_msg_signatures BLOB, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE received_probes ( \
      received_probe_id INTEGER PRIMARY KEY, contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_member_id INTEGER REFERENCES group_members ON DELETE CASCADE, probe BLOB, probe_hash BLOB NOT NULL, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL) \
    ) STRICT;
    CREATE TABLE remote_controllers ( \
      remote_ctrl_id INTEGER PRIMARY KEY AUTOINCREMENT, ctrl_device_name TEXT NOT NULL, ca_key BLOB NOT NULL, \
      ca_cert BLOB NOT NULL, ctrl_fingerprint BLOB NOT NULL, id_pub BLOB NOT NULL, dh_priv_key BLOB NOT NULL, \
      prev_dh_priv_key BLOB \
    ) STRICT;
    CREATE TABLE remote_hosts ( \
      remote_host_id INTEGER PRIMARY KEY AUTOINCREMENT, host_device_name TEXT NOT NULL, store_path TEXT NOT NULL, \
      ca_key BLOB NOT NULL, ca_cert BLOB NOT NULL, id_key BLOB NOT NULL, host_fingerprint BLOB NOT NULL, \
      host_dh_pub BLOB NOT NULL, bind_addr TEXT, bind_iface TEXT, bind_port INTEGER \
    ) STRICT;
    CREATE TABLE sent_probe_hashes ( \
      sent_probe_hash_id INTEGER PRIMARY KEY, \
      sent_probe_id INTEGER NOT NULL REFERENCES "sent_probes" ON DELETE CASCADE, \
      contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_member_id INTEGER REFERENCES group_members ON DELETE CASCADE, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL) \
    ) STRICT;
    CREATE TABLE sent_probes ( \
      sent_probe_id INTEGER PRIMARY KEY, contact_id INTEGER REFERENCES contacts ON DELETE CASCADE, \
      group_member_id INTEGER REFERENCES group_members ON DELETE CASCADE, probe BLOB NOT NULL, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, created_at TEXT CHECK(created_at NOT NULL), \
      updated_at TEXT CHECK(updated_at NOT NULL), UNIQUE(user_id, probe) \
    ) STRICT;
    CREATE TABLE server_operators ( \
      server_operator_id INTEGER PRIMARY KEY AUTOINCREMENT, server_operator_tag TEXT, trade_name TEXT NOT NULL, \
      legal_name TEXT, server_domains TEXT, enabled INTEGER NOT NULL DEFAULT 1, \
      smp_role_storage INTEGER NOT NULL DEFAULT 1, smp_role_proxy INTEGER NOT NULL DEFAULT 1, \
      xftp_role_storage INTEGER NOT NULL DEFAULT 1, xftp_role_proxy INTEGER NOT NULL DEFAULT 1, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE settings ( \
      settings_id INTEGER PRIMARY KEY, chat_item_ttl INTEGER, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE snd_files ( \
      file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE, \
      connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE, file_status TEXT NOT NULL, \
      group_member_id INTEGER REFERENCES group_members ON DELETE CASCADE, \
      created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), file_inline TEXT, \
      last_inline_msg_delivery_id INTEGER, \
      file_descr_id INTEGER NULL REFERENCES xftp_file_descriptions ON DELETE SET NULL, \
      PRIMARY KEY(file_id, connection_id) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE usage_conditions ( \
      usage_conditions_id INTEGER PRIMARY KEY AUTOINCREMENT, conditions_commit TEXT NOT NULL UNIQUE, \
      notified_at TEXT, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE user_contact_links ( \
      user_contact_link_id INTEGER PRIMARY KEY, conn_req_contact BLOB NOT NULL, \
      local_display_name TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, updated_at TEXT CHECK(updated_at NOT NULL), \
      auto_accept INTEGER DEFAULT 0, auto_reply_msg_content TEXT DEFAULT NULL, \
      group_id INTEGER REFERENCES groups ON DELETE CASCADE, \
      auto_accept_incognito INTEGER DEFAULT 0 CHECK(auto_accept_incognito NOT NULL), group_link_id BLOB, \
      group_link_member_role TEXT NULL, business_address INTEGER DEFAULT 0, short_link_contact BLOB, \
      short_link_data_set INTEGER NOT NULL DEFAULT 0, short_link_large_data_set INTEGER NOT NULL DEFAULT 0, \
      UNIQUE(user_id, local_display_name) \
    ) STRICT;
    CREATE TABLE users ( \
      user_id INTEGER PRIMARY KEY, \
      contact_id INTEGER NOT NULL UNIQUE REFERENCES contacts ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED, \
      local_display_name TEXT NOT NULL UNIQUE, active_user INTEGER NOT NULL DEFAULT 0, \
      created_at TEXT CHECK(created_at NOT NULL), updated_at TEXT CHECK(updated_at NOT NULL), \
      agent_user_id INTEGER CHECK(agent_user_id NOT NULL), view_pwd_hash BLOB, view_pwd_salt BLOB, \
      show_ntfs INTEGER NOT NULL DEFAULT 1, send_rcpts_contacts INTEGER NOT NULL DEFAULT 0, \
      send_rcpts_small_groups INTEGER NOT NULL DEFAULT 0, user_member_profile_updated_at TEXT, ui_themes TEXT, \
      active_order INTEGER NOT NULL DEFAULT 0, auto_accept_member_contacts INTEGER NOT NULL DEFAULT 0, \
      is_user_chat_relay INTEGER NOT NULL DEFAULT 0, client_service INTEGER NOT NULL DEFAULT 0, FOREIGN KEY(user_id, \
      local_display_name) REFERENCES display_names(user_id, local_display_name) ON DELETE RESTRICT ON UPDATE CASCADE \
      DEFERRABLE INITIALLY DEFERRED \
    ) STRICT;
    CREATE TABLE xftp_file_descriptions ( \
      file_descr_id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      file_descr_text TEXT NOT NULL, file_descr_part_no INTEGER NOT NULL DEFAULT(0), \
      file_descr_complete INTEGER NOT NULL DEFAULT(0), created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    """
}
