extension ReferenceSchema {
  /// The indexes of the agent.
  static let agentIndexes = """
    CREATE INDEX idx_commands_conn_id ON commands (conn_id);
    CREATE INDEX idx_commands_host_port ON commands (host, port);
    CREATE INDEX idx_commands_server_commands ON commands (host, port, created_at, command_id);
    CREATE INDEX idx_conn_confirmations_conn_id ON conn_confirmations (conn_id);
    CREATE INDEX idx_conn_invitations_contact_conn_id ON conn_invitations (contact_conn_id);
    CREATE INDEX idx_connections_user ON connections (user_id);
    CREATE INDEX idx_deleted_snd_chunk_replicas_pending ON deleted_snd_chunk_replicas (created_at);
    CREATE INDEX idx_deleted_snd_chunk_replicas_user_id ON deleted_snd_chunk_replicas (user_id);
    CREATE INDEX idx_deleted_snd_chunk_replicas_xftp_server_id ON deleted_snd_chunk_replicas (xftp_server_id);
    CREATE INDEX idx_encrypted_rcv_message_hashes_created_at ON encrypted_rcv_message_hashes (created_at);
    CREATE INDEX idx_encrypted_rcv_message_hashes_hash ON encrypted_rcv_message_hashes (conn_id, hash);
    CREATE INDEX idx_messages_conn_id ON messages (conn_id);
    CREATE INDEX idx_messages_conn_id_internal_rcv_id ON messages (conn_id, internal_rcv_id);
    CREATE INDEX idx_messages_conn_id_internal_snd_id ON messages (conn_id, internal_snd_id);
    CREATE INDEX idx_messages_internal_ts ON messages (internal_ts);
    CREATE INDEX idx_messages_snd_expired ON messages (conn_id, internal_snd_id, internal_ts);
    CREATE INDEX idx_ntf_subscriptions_ntf_host_ntf_port ON ntf_subscriptions (ntf_host, ntf_port);
    CREATE INDEX idx_ntf_subscriptions_smp_host_smp_port ON ntf_subscriptions (smp_host, smp_port);
    CREATE INDEX idx_ntf_tokens_ntf_host_ntf_port ON ntf_tokens (ntf_host, ntf_port);
    CREATE INDEX idx_processed_ratchet_key_hashes_created_at ON processed_ratchet_key_hashes (created_at);
    CREATE INDEX idx_processed_ratchet_key_hashes_hash ON processed_ratchet_key_hashes (conn_id, hash);
    CREATE INDEX idx_ratchets_conn_id ON ratchets (conn_id);
    CREATE INDEX idx_rcv_file_chunk_replicas_pending ON rcv_file_chunk_replicas (received, replica_number);
    CREATE INDEX idx_rcv_file_chunk_replicas_rcv_file_chunk_id ON rcv_file_chunk_replicas (rcv_file_chunk_id);
    CREATE INDEX idx_rcv_file_chunk_replicas_xftp_server_id ON rcv_file_chunk_replicas (xftp_server_id);
    CREATE INDEX idx_rcv_file_chunks_rcv_file_id ON rcv_file_chunks (rcv_file_id);
    CREATE INDEX idx_rcv_files_redirect_id ON rcv_files (redirect_id);
    CREATE INDEX idx_rcv_files_status_created_at ON rcv_files (status, created_at);
    CREATE INDEX idx_rcv_files_user_id ON rcv_files (user_id);
    CREATE INDEX idx_rcv_messages_conn_id_internal_id ON rcv_messages (conn_id, internal_id);
    CREATE INDEX idx_rcv_queues_client_notice_id ON rcv_queues (client_notice_id);
    CREATE INDEX idx_rcv_queues_to_subscribe ON rcv_queues (to_subscribe);
    CREATE INDEX idx_server_certs_host_port ON client_services (host, port);
    CREATE INDEX idx_skipped_messages_conn_id ON skipped_messages (conn_id);
    CREATE INDEX idx_snd_file_chunk_replica_recipients_snd_file_chunk_replica_id ON \
    snd_file_chunk_replica_recipients (snd_file_chunk_replica_id);
    CREATE INDEX idx_snd_file_chunk_replicas_pending ON snd_file_chunk_replicas (replica_status, replica_number);
    CREATE INDEX idx_snd_file_chunk_replicas_snd_file_chunk_id ON snd_file_chunk_replicas (snd_file_chunk_id);
    CREATE INDEX idx_snd_file_chunk_replicas_xftp_server_id ON snd_file_chunk_replicas (xftp_server_id);
    CREATE INDEX idx_snd_file_chunks_snd_file_id ON snd_file_chunks (snd_file_id);
    CREATE INDEX idx_snd_files_snd_file_entity_id ON snd_files (snd_file_entity_id);
    CREATE INDEX idx_snd_files_status_created_at ON snd_files (status, created_at);
    CREATE INDEX idx_snd_files_user_id ON snd_files (user_id);
    CREATE INDEX idx_snd_message_deliveries ON snd_message_deliveries (conn_id, snd_queue_id);
    CREATE INDEX idx_snd_message_deliveries_conn_id_internal_id ON snd_message_deliveries (conn_id, internal_id);
    CREATE INDEX idx_snd_message_deliveries_expired ON snd_message_deliveries (conn_id, snd_queue_id, failed, \
    internal_id);
    CREATE INDEX idx_snd_messages_conn_id_internal_id ON snd_messages (conn_id, internal_id);
    CREATE INDEX idx_snd_messages_rcpt_internal_id ON snd_messages (conn_id, rcpt_internal_id);
    CREATE INDEX idx_snd_messages_snd_message_body_id ON snd_messages (snd_message_body_id);
    CREATE INDEX idx_snd_queues_host_port ON snd_queues (host, port);
    CREATE UNIQUE INDEX idx_client_notices_entity ON client_notices (protocol, host, port, entity_id);
    CREATE UNIQUE INDEX idx_inv_short_links_link_id ON inv_short_links (host, port, link_id);
    CREATE UNIQUE INDEX idx_rcv_queue_id ON rcv_queues (conn_id, rcv_queue_id);
    CREATE UNIQUE INDEX idx_rcv_queues_link_id ON rcv_queues (host, port, link_id);
    CREATE UNIQUE INDEX idx_rcv_queues_ntf ON rcv_queues (host, port, ntf_id);
    CREATE UNIQUE INDEX idx_server_certs_user_id_host_port ON client_services (user_id, host, port, \
    server_key_hash);
    CREATE UNIQUE INDEX idx_snd_queue_id ON snd_queues (conn_id, snd_queue_id);
    """

  /// Its triggers, which call a function of the reference: they are made when all rows are written.
  static let agentTriggers = """
    CREATE TRIGGER tr_rcv_queue_insert AFTER INSERT ON rcv_queues FOR EACH ROW WHEN NEW.rcv_service_assoc != 0 AND \
    NEW.deleted = 0 BEGIN UPDATE client_services SET service_queue_count = service_queue_count + 1, \
    service_queue_ids_hash = simplex_xor_md5_combine(service_queue_ids_hash, NEW.rcv_id) WHERE user_id = (SELECT \
    user_id FROM connections WHERE conn_id = NEW.conn_id) AND host = NEW.host AND port = NEW.port; END;
    CREATE TRIGGER tr_rcv_queue_delete AFTER DELETE ON rcv_queues FOR EACH ROW WHEN OLD.rcv_service_assoc != 0 AND \
    OLD.deleted = 0 BEGIN UPDATE client_services SET service_queue_count = service_queue_count - 1, \
    service_queue_ids_hash = simplex_xor_md5_combine(service_queue_ids_hash, OLD.rcv_id) WHERE user_id = (SELECT \
    user_id FROM connections WHERE conn_id = OLD.conn_id) AND host = OLD.host AND port = OLD.port; END;
    CREATE TRIGGER tr_rcv_queue_update_remove AFTER UPDATE ON rcv_queues FOR EACH ROW WHEN OLD.rcv_service_assoc != \
    0 AND OLD.deleted = 0 AND NOT (NEW.rcv_service_assoc != 0 AND NEW.deleted = 0) BEGIN UPDATE client_services SET \
    service_queue_count = service_queue_count - 1, service_queue_ids_hash = \
    simplex_xor_md5_combine(service_queue_ids_hash, OLD.rcv_id) WHERE user_id = (SELECT user_id FROM connections \
    WHERE conn_id = OLD.conn_id) AND host = OLD.host AND port = OLD.port; END;
    CREATE TRIGGER tr_rcv_queue_update_add AFTER UPDATE ON rcv_queues FOR EACH ROW WHEN NEW.rcv_service_assoc != 0 \
    AND NEW.deleted = 0 AND NOT (OLD.rcv_service_assoc != 0 AND OLD.deleted = 0) BEGIN UPDATE client_services SET \
    service_queue_count = service_queue_count + 1, service_queue_ids_hash = \
    simplex_xor_md5_combine(service_queue_ids_hash, NEW.rcv_id) WHERE user_id = (SELECT user_id FROM connections \
    WHERE conn_id = NEW.conn_id) AND host = NEW.host AND port = NEW.port; END;
    """
}
