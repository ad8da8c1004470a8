extension ReferenceSchema {
  /// The tables of the agent, in the order of their names.
  static let agentTables = """
    CREATE TABLE client_notices ( \
      client_notice_id INTEGER PRIMARY KEY AUTOINCREMENT, protocol TEXT NOT NULL, host TEXT NOT NULL, \
      port TEXT NOT NULL, entity_id BLOB NOT NULL, server_key_hash BLOB, notice_ttl INTEGER, \
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL \
    ) STRICT;
    CREATE TABLE client_services ( \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, host TEXT NOT NULL, port TEXT NOT NULL, \
      server_key_hash BLOB, service_cert BLOB NOT NULL, service_cert_hash BLOB NOT NULL, \
      service_priv_key BLOB NOT NULL, service_id BLOB, service_queue_count INTEGER NOT NULL DEFAULT 0, \
      service_queue_ids_hash BLOB NOT NULL DEFAULT x'00000000000000000000000000000000', \
      FOREIGN KEY(host, port) REFERENCES servers ON UPDATE CASCADE ON DELETE RESTRICT \
    ) STRICT;
    CREATE TABLE commands ( \
      command_id INTEGER PRIMARY KEY, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, host TEXT, \
      port TEXT, corr_id BLOB NOT NULL, command_tag BLOB NOT NULL, command BLOB NOT NULL, \
      agent_version INTEGER NOT NULL DEFAULT 1, server_key_hash BLOB, \
      created_at TEXT NOT NULL DEFAULT('1970-01-01 00:00:00'), failed INTEGER DEFAULT 0, \
      FOREIGN KEY(host, port) REFERENCES servers ON DELETE RESTRICT ON UPDATE CASCADE \
    ) STRICT;
    CREATE TABLE conn_confirmations ( \
      confirmation_id BLOB NOT NULL PRIMARY KEY, conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, \
      e2e_snd_pub_key BLOB NOT NULL, sender_key BLOB, ratchet_state BLOB NOT NULL, sender_conn_info BLOB NOT NULL, \
      accepted INTEGER NOT NULL, own_conn_info BLOB, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      smp_reply_queues BLOB NULL, smp_client_version INTEGER \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE conn_invitations ( \
      invitation_id BLOB NOT NULL PRIMARY KEY, contact_conn_id BLOB REFERENCES connections ON DELETE SET NULL, \
      cr_invitation BLOB NOT NULL, recipient_conn_info BLOB NOT NULL, accepted INTEGER NOT NULL DEFAULT 0, \
      own_conn_info BLOB, created_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE connections ( \
      conn_id BLOB NOT NULL PRIMARY KEY, conn_mode TEXT NOT NULL, last_internal_msg_id INTEGER NOT NULL DEFAULT 0, \
      last_internal_rcv_msg_id INTEGER NOT NULL DEFAULT 0, last_internal_snd_msg_id INTEGER NOT NULL DEFAULT 0, \
      last_external_snd_msg_id INTEGER NOT NULL DEFAULT 0, last_rcv_msg_hash BLOB NOT NULL DEFAULT x'', \
      last_snd_msg_hash BLOB NOT NULL DEFAULT x'', smp_agent_version INTEGER NOT NULL DEFAULT 1, \
      duplex_handshake INTEGER NULL DEFAULT 0, enable_ntfs INTEGER, \
      deleted INTEGER DEFAULT 0 CHECK(deleted NOT NULL), \
      user_id INTEGER CHECK(user_id NOT NULL) REFERENCES users ON DELETE CASCADE, \
      ratchet_sync_state TEXT NOT NULL DEFAULT 'ok', deleted_at_wait_delivery TEXT, \
      pq_support INTEGER NOT NULL DEFAULT 0 \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE deleted_snd_chunk_replicas ( \
      deleted_snd_chunk_replica_id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, \
      xftp_server_id INTEGER NOT NULL REFERENCES xftp_servers ON DELETE CASCADE, replica_id BLOB NOT NULL, \
      replica_key BLOB NOT NULL, chunk_digest BLOB NOT NULL, delay INTEGER, retries INTEGER NOT NULL DEFAULT 0, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      failed INTEGER DEFAULT 0 \
    ) STRICT;
    CREATE TABLE encrypted_rcv_message_hashes ( \
      encrypted_rcv_message_hash_id INTEGER PRIMARY KEY, \
      conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, hash BLOB NOT NULL, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE inv_short_links ( \
      inv_short_link_id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, port TEXT NOT NULL, \
      server_key_hash BLOB, link_id BLOB NOT NULL, link_key BLOB NOT NULL, snd_private_key BLOB NOT NULL, \
      snd_id BLOB, FOREIGN KEY(host, port) REFERENCES servers ON DELETE RESTRICT ON UPDATE CASCADE \
    ) STRICT;
    CREATE TABLE messages ( \
      conn_id BLOB NOT NULL REFERENCES connections(conn_id) ON DELETE CASCADE, internal_id INTEGER NOT NULL, \
      internal_ts TEXT NOT NULL, internal_rcv_id INTEGER, internal_snd_id INTEGER, msg_type BLOB NOT NULL, \
      msg_body BLOB NOT NULL DEFAULT x'', msg_flags TEXT NULL, pq_encryption INTEGER NOT NULL DEFAULT 0, \
      PRIMARY KEY(conn_id, internal_id), FOREIGN KEY(conn_id, internal_rcv_id) REFERENCES rcv_messages ON DELETE \
      CASCADE DEFERRABLE INITIALLY DEFERRED, FOREIGN KEY(conn_id, internal_snd_id) REFERENCES snd_messages ON DELETE \
      CASCADE DEFERRABLE INITIALLY DEFERRED \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ntf_servers ( \
      ntf_host TEXT NOT NULL, ntf_port TEXT NOT NULL, ntf_key_hash BLOB NOT NULL, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      PRIMARY KEY(ntf_host, ntf_port) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ntf_subscriptions ( \
      conn_id BLOB NOT NULL, smp_host TEXT NULL, smp_port TEXT NULL, smp_ntf_id BLOB, ntf_host TEXT NOT NULL, \
      ntf_port TEXT NOT NULL, ntf_sub_id BLOB, ntf_sub_status TEXT NOT NULL, ntf_sub_action TEXT, \
      ntf_sub_smp_action TEXT, ntf_sub_action_ts TEXT, updated_by_supervisor INTEGER NOT NULL DEFAULT 0, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      smp_server_key_hash BLOB, ntf_failed INTEGER DEFAULT 0, smp_failed INTEGER DEFAULT 0, PRIMARY KEY(conn_id), \
      FOREIGN KEY(smp_host, smp_port) REFERENCES servers(host, port) ON DELETE SET NULL ON UPDATE CASCADE, \
      FOREIGN KEY(ntf_host, ntf_port) REFERENCES ntf_servers ON DELETE RESTRICT ON UPDATE CASCADE \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ntf_tokens ( \
      provider TEXT NOT NULL, device_token BLOB NOT NULL, ntf_host TEXT NOT NULL, ntf_port TEXT NOT NULL, \
      tkn_id BLOB, tkn_pub_key BLOB NOT NULL, tkn_priv_key BLOB NOT NULL, tkn_pub_dh_key BLOB NOT NULL, \
      tkn_priv_dh_key BLOB NOT NULL, tkn_dh_secret BLOB, tkn_status TEXT NOT NULL, tkn_action BLOB, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      ntf_mode TEXT NULL, PRIMARY KEY(provider, device_token, ntf_host, ntf_port), \
      FOREIGN KEY(ntf_host, ntf_port) REFERENCES ntf_servers ON DELETE RESTRICT ON UPDATE CASCADE \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ntf_tokens_to_delete ( \
      ntf_token_to_delete_id INTEGER PRIMARY KEY, ntf_host TEXT NOT NULL, ntf_port TEXT NOT NULL, \
      ntf_key_hash BLOB NOT NULL, tkn_id BLOB NOT NULL, tkn_priv_key BLOB NOT NULL, del_failed INTEGER DEFAULT 0, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE processed_ratchet_key_hashes ( \
      processed_ratchet_key_hash_id INTEGER PRIMARY KEY, \
      conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, hash BLOB NOT NULL, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE ratchets ( \
      conn_id BLOB NOT NULL PRIMARY KEY REFERENCES connections ON DELETE CASCADE, x3dh_priv_key_1 BLOB, \
      x3dh_priv_key_2 BLOB, ratchet_state BLOB, e2e_version INTEGER NOT NULL DEFAULT 1, x3dh_pub_key_1 BLOB, \
      x3dh_pub_key_2 BLOB, pq_priv_kem BLOB, pq_pub_kem BLOB \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rcv_file_chunk_replicas ( \
      rcv_file_chunk_replica_id INTEGER PRIMARY KEY, \
      rcv_file_chunk_id INTEGER NOT NULL REFERENCES rcv_file_chunks ON DELETE CASCADE, \
      replica_number INTEGER NOT NULL, xftp_server_id INTEGER NOT NULL REFERENCES xftp_servers ON DELETE CASCADE, \
      replica_id BLOB NOT NULL, replica_key BLOB NOT NULL, received INTEGER NOT NULL DEFAULT 0, delay INTEGER, \
      retries INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE rcv_file_chunks ( \
      rcv_file_chunk_id INTEGER PRIMARY KEY, rcv_file_id INTEGER NOT NULL REFERENCES rcv_files ON DELETE CASCADE, \
      chunk_no INTEGER NOT NULL, chunk_size INTEGER NOT NULL, digest BLOB NOT NULL, tmp_path TEXT, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE rcv_files ( \
      rcv_file_id INTEGER PRIMARY KEY, rcv_file_entity_id BLOB NOT NULL, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, size INTEGER NOT NULL, digest BLOB NOT NULL, \
      key BLOB NOT NULL, nonce BLOB NOT NULL, chunk_size INTEGER NOT NULL, prefix_path TEXT NOT NULL, tmp_path TEXT, \
      save_path TEXT NOT NULL, status TEXT NOT NULL, deleted INTEGER NOT NULL DEFAULT 0, error TEXT, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')), \
      save_file_key BLOB, save_file_nonce BLOB, failed INTEGER DEFAULT 0, \
      redirect_id INTEGER REFERENCES rcv_files ON DELETE SET NULL, redirect_entity_id BLOB, redirect_size INTEGER, \
      redirect_digest BLOB, approved_relays INTEGER NOT NULL DEFAULT 0, UNIQUE(rcv_file_entity_id) \
    ) STRICT;
    CREATE TABLE rcv_messages ( \
      conn_id BLOB NOT NULL, internal_rcv_id INTEGER NOT NULL, internal_id INTEGER NOT NULL, \
      external_snd_id INTEGER NOT NULL, broker_id BLOB NOT NULL, broker_ts TEXT NOT NULL, \
      internal_hash BLOB NOT NULL, external_prev_snd_hash BLOB NOT NULL, integrity BLOB NOT NULL, \
      user_ack INTEGER NULL DEFAULT 0, rcv_queue_id INTEGER CHECK(rcv_queue_id NOT NULL), \
      receive_attempts INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(conn_id, internal_rcv_id), \
      FOREIGN KEY(conn_id, internal_id) REFERENCES messages ON DELETE CASCADE \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rcv_queues ( \
      host TEXT NOT NULL, port TEXT NOT NULL, rcv_id BLOB NOT NULL, \
      conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, rcv_private_key BLOB NOT NULL, \
      rcv_dh_secret BLOB NOT NULL, e2e_priv_key BLOB NOT NULL, e2e_dh_secret BLOB, snd_id BLOB NOT NULL, \
      snd_key BLOB, status TEXT NOT NULL, smp_server_version INTEGER NOT NULL DEFAULT 1, smp_client_version INTEGER, \
      ntf_public_key BLOB, ntf_private_key BLOB, ntf_id BLOB, rcv_ntf_dh_secret BLOB, \
      rcv_queue_id INTEGER CHECK(rcv_queue_id NOT NULL), rcv_primary INTEGER CHECK(rcv_primary NOT NULL), \
      replace_rcv_queue_id INTEGER NULL, delete_errors INTEGER DEFAULT 0 CHECK(delete_errors NOT NULL), \
      server_key_hash BLOB, switch_status TEXT, deleted INTEGER NOT NULL DEFAULT 0, last_broker_ts TEXT, \
      link_id BLOB, link_key BLOB, link_priv_sig_key BLOB, link_enc_fixed_data BLOB, queue_mode TEXT, \
      to_subscribe INTEGER NOT NULL DEFAULT 0, \
      client_notice_id INTEGER REFERENCES client_notices ON UPDATE RESTRICT ON DELETE SET NULL, \
      rcv_service_assoc INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(host, port, rcv_id), \
      FOREIGN KEY(host, port) REFERENCES servers ON DELETE RESTRICT ON UPDATE CASCADE, UNIQUE(host, port, snd_id) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE servers ( \
      host TEXT NOT NULL, port TEXT NOT NULL, key_hash BLOB NOT NULL, PRIMARY KEY(host, port) \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE servers_stats ( \
      servers_stats_id INTEGER PRIMARY KEY, servers_stats TEXT, started_at TEXT NOT NULL DEFAULT(datetime('now')), \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE skipped_messages ( \
      skipped_message_id INTEGER PRIMARY KEY, conn_id BLOB NOT NULL REFERENCES ratchets ON DELETE CASCADE, \
      header_key BLOB NOT NULL, msg_n INTEGER NOT NULL, msg_key BLOB NOT NULL \
    ) STRICT;
    CREATE TABLE snd_file_chunk_replica_recipients ( \
      snd_file_chunk_replica_recipient_id INTEGER PRIMARY KEY, \
      snd_file_chunk_replica_id INTEGER NOT NULL REFERENCES snd_file_chunk_replicas ON DELETE CASCADE, \
      rcv_replica_id BLOB NOT NULL, rcv_replica_key BLOB NOT NULL, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE snd_file_chunk_replicas ( \
      snd_file_chunk_replica_id INTEGER PRIMARY KEY, \
      snd_file_chunk_id INTEGER NOT NULL REFERENCES snd_file_chunks ON DELETE CASCADE, \
      replica_number INTEGER NOT NULL, xftp_server_id INTEGER NOT NULL REFERENCES xftp_servers ON DELETE CASCADE, \
      replica_id BLOB NOT NULL, replica_key BLOB NOT NULL, replica_status TEXT NOT NULL, delay INTEGER, \
      retries INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE snd_file_chunks ( \
      snd_file_chunk_id INTEGER PRIMARY KEY, snd_file_id INTEGER NOT NULL REFERENCES snd_files ON DELETE CASCADE, \
      chunk_no INTEGER NOT NULL, chunk_offset INTEGER NOT NULL, chunk_size INTEGER NOT NULL, digest BLOB NOT NULL, \
      created_at TEXT NOT NULL DEFAULT(datetime('now')), updated_at TEXT NOT NULL DEFAULT(datetime('now')) \
    ) STRICT;
    CREATE TABLE snd_files ( \
      snd_file_id INTEGER PRIMARY KEY, snd_file_entity_id BLOB NOT NULL, \
      user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, num_recipients INTEGER NOT NULL, digest BLOB, \
      key BLOB NOT NULL, nonce BLOB NOT NULL, path TEXT NOT NULL, prefix_path TEXT, status TEXT NOT NULL, \
      deleted INTEGER NOT NULL DEFAULT 0, error TEXT, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')), src_file_key BLOB, src_file_nonce BLOB, \
      failed INTEGER DEFAULT 0, redirect_size INTEGER, redirect_digest BLOB \
    ) STRICT;
    CREATE TABLE snd_message_bodies ( \
      snd_message_body_id INTEGER PRIMARY KEY, agent_msg BLOB NOT NULL DEFAULT x'' \
    ) STRICT;
    CREATE TABLE snd_message_deliveries ( \
      snd_message_delivery_id INTEGER PRIMARY KEY AUTOINCREMENT, \
      conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, snd_queue_id INTEGER NOT NULL, \
      internal_id INTEGER NOT NULL, failed INTEGER DEFAULT 0, \
      FOREIGN KEY(conn_id, internal_id) REFERENCES messages ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED \
    ) STRICT;
    CREATE TABLE snd_messages ( \
      conn_id BLOB NOT NULL, internal_snd_id INTEGER NOT NULL, internal_id INTEGER NOT NULL, \
      internal_hash BLOB NOT NULL, previous_msg_hash BLOB NOT NULL DEFAULT x'', retry_int_slow INTEGER, \
      retry_int_fast INTEGER, rcpt_internal_id INTEGER, rcpt_status TEXT, msg_encrypt_key BLOB, \
      padded_msg_len INTEGER, snd_message_body_id INTEGER REFERENCES snd_message_bodies ON DELETE SET NULL, \
      PRIMARY KEY(conn_id, internal_snd_id), FOREIGN KEY(conn_id, internal_id) REFERENCES messages ON DELETE CASCADE \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE snd_queues ( \
      host TEXT NOT NULL, port TEXT NOT NULL, snd_id BLOB NOT NULL, \
      conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE, snd_private_key BLOB NOT NULL, \
      e2e_dh_secret BLOB NOT NULL, status TEXT NOT NULL, smp_server_version INTEGER NOT NULL DEFAULT 1, \
      smp_client_version INTEGER NOT NULL DEFAULT 1, snd_public_key BLOB, e2e_pub_key BLOB, \
      snd_queue_id INTEGER CHECK(snd_queue_id NOT NULL), snd_primary INTEGER CHECK(snd_primary NOT NULL), \
      replace_snd_queue_id INTEGER NULL, server_key_hash BLOB, switch_status TEXT, queue_mode TEXT, \
      PRIMARY KEY(host, port, snd_id), \
      FOREIGN KEY(host, port) REFERENCES servers ON DELETE RESTRICT ON UPDATE CASCADE \
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE users ( \
      user_id INTEGER PRIMARY KEY AUTOINCREMENT, deleted INTEGER DEFAULT 0 CHECK(deleted NOT NULL) \
    ) STRICT;
    CREATE TABLE xftp_servers ( \
      xftp_server_id INTEGER PRIMARY KEY, xftp_host TEXT NOT NULL, xftp_port TEXT NOT NULL, \
      xftp_key_hash BLOB NOT NULL, created_at TEXT NOT NULL DEFAULT(datetime('now')), \
      updated_at TEXT NOT NULL DEFAULT(datetime('now')), UNIQUE(xftp_host, xftp_port, xftp_key_hash) \
    ) STRICT;
    """
}
