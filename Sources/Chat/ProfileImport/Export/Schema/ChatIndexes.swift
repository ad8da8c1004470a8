extension ReferenceSchema {
  /// The indexes and triggers of the chat core.
  static let chatIndexes = """
    CREATE INDEX chat_items_note_folder_id ON chat_items (note_folder_id);
    CREATE INDEX contact_profiles_index ON contact_profiles (display_name, full_name);
    CREATE INDEX files_note_folder_id ON files (note_folder_id);
    CREATE INDEX idx_calls_chat_item_id ON calls (chat_item_id);
    CREATE INDEX idx_calls_contact_id ON calls (contact_id);
    CREATE INDEX idx_calls_user_id ON calls (user_id);
    CREATE INDEX idx_chat_item_mentions_chat_item_id ON chat_item_mentions (chat_item_id);
    CREATE INDEX idx_chat_item_mentions_group_id ON chat_item_mentions (group_id);
    CREATE INDEX idx_chat_item_moderations_created_by_msg_id ON chat_item_moderations (created_by_msg_id);
    CREATE INDEX idx_chat_item_moderations_group ON chat_item_moderations (group_id, item_member_id, shared_msg_id);
    CREATE INDEX idx_chat_item_moderations_group_id ON chat_item_moderations (group_id);
    CREATE INDEX idx_chat_item_moderations_moderator_member_id ON chat_item_moderations (moderator_member_id);
    CREATE INDEX idx_chat_item_reactions_contact ON chat_item_reactions (contact_id, shared_msg_id);
    CREATE INDEX idx_chat_item_reactions_contact_id ON chat_item_reactions (contact_id);
    CREATE INDEX idx_chat_item_reactions_created_by_msg_id ON chat_item_reactions (created_by_msg_id);
    CREATE INDEX idx_chat_item_reactions_group ON chat_item_reactions (group_id, shared_msg_id);
    CREATE INDEX idx_chat_item_reactions_group_id ON chat_item_reactions (group_id);
    CREATE INDEX idx_chat_item_reactions_group_member_id ON chat_item_reactions (group_member_id);
    CREATE INDEX idx_chat_item_reactions_shared_msg_id ON chat_item_reactions (shared_msg_id);
    CREATE INDEX idx_chat_item_versions_chat_item_id ON chat_item_versions (chat_item_id);
    CREATE INDEX idx_chat_items_contact_id ON chat_items (contact_id);
    CREATE INDEX idx_chat_items_contacts ON chat_items (user_id, contact_id, item_status, created_at);
    CREATE INDEX idx_chat_items_contacts_created_at ON chat_items (user_id, contact_id, created_at);
    CREATE INDEX idx_chat_items_contacts_has_link_created_at ON chat_items (user_id, contact_id, has_link, \
    created_at);
    CREATE INDEX idx_chat_items_contacts_item_viewed ON chat_items (user_id, contact_id, item_viewed, created_at);
    CREATE INDEX idx_chat_items_contacts_msg_content_tag_created_at ON chat_items (user_id, contact_id, \
    msg_content_tag, created_at);
    CREATE INDEX idx_chat_items_forwarded_by_group_member_id ON chat_items (forwarded_by_group_member_id);
    CREATE INDEX idx_chat_items_fwd_from_chat_item_id ON chat_items (fwd_from_chat_item_id);
    CREATE INDEX idx_chat_items_fwd_from_contact_id ON chat_items (fwd_from_contact_id);
    CREATE INDEX idx_chat_items_fwd_from_group_id ON chat_items (fwd_from_group_id);
    CREATE INDEX idx_chat_items_group_id ON chat_items (group_id);
    CREATE INDEX idx_chat_items_group_id_shared_msg_id ON chat_items (group_id, shared_msg_id);
    CREATE INDEX idx_chat_items_group_member_id ON chat_items (group_member_id);
    CREATE INDEX idx_chat_items_group_scope_group_member_id ON chat_items (group_scope_group_member_id);
    CREATE INDEX idx_chat_items_group_scope_item_status ON chat_items (user_id, group_id, group_scope_tag, \
    group_scope_group_member_id, item_status, item_ts);
    CREATE INDEX idx_chat_items_group_scope_item_ts ON chat_items (user_id, group_id, group_scope_tag, \
    group_scope_group_member_id, item_ts);
    CREATE INDEX idx_chat_items_group_scope_stats_all ON chat_items (user_id, group_id, group_scope_tag, \
    group_scope_group_member_id, item_status, chat_item_id, user_mention);
    CREATE INDEX idx_chat_items_groups ON chat_items (user_id, group_id, item_status, item_ts);
    CREATE INDEX idx_chat_items_groups_has_link_item_ts ON chat_items (user_id, group_id, has_link, item_ts);
    CREATE INDEX idx_chat_items_groups_history ON chat_items (user_id, group_id, include_in_history, item_deleted, \
    item_ts, chat_item_id);
    CREATE INDEX idx_chat_items_groups_item_ts ON chat_items (user_id, group_id, item_ts);
    CREATE INDEX idx_chat_items_groups_item_viewed ON chat_items (user_id, group_id, item_viewed, item_ts);
    CREATE INDEX idx_chat_items_groups_msg_content_tag_deleted ON chat_items (user_id, group_id, msg_content_tag, \
    item_deleted, item_sent);
    CREATE INDEX idx_chat_items_groups_msg_content_tag_item_ts ON chat_items (user_id, group_id, msg_content_tag, \
    item_ts);
    CREATE INDEX idx_chat_items_groups_user_mention ON chat_items (user_id, group_id, item_status, user_mention);
    CREATE INDEX idx_chat_items_item_deleted_by_group_member_id ON chat_items (item_deleted_by_group_member_id);
    CREATE INDEX idx_chat_items_item_status ON chat_items (item_status);
    CREATE INDEX idx_chat_items_note_folder_has_link_created_at ON chat_items (user_id, note_folder_id, has_link, \
    created_at);
    CREATE INDEX idx_chat_items_note_folder_msg_content_tag_created_at ON chat_items (user_id, note_folder_id, \
    msg_content_tag, created_at);
    CREATE INDEX idx_chat_items_notes ON chat_items (user_id, note_folder_id, item_status, created_at);
    CREATE INDEX idx_chat_items_notes_created_at ON chat_items (user_id, note_folder_id, created_at);
    CREATE INDEX idx_chat_items_timed_delete_at ON chat_items (user_id, timed_delete_at);
    CREATE INDEX idx_chat_items_user_id_item_status ON chat_items (user_id, item_status);
    CREATE INDEX idx_chat_relays_user_id ON chat_relays (user_id);
    CREATE INDEX idx_chat_tags_chats_chat_tag_id ON chat_tags_chats (chat_tag_id);
    CREATE INDEX idx_chat_tags_user_id ON chat_tags (user_id);
    CREATE INDEX idx_commands_connection_id ON commands (connection_id);
    CREATE INDEX idx_commands_user_id ON commands (user_id);
    CREATE INDEX idx_connections_conn_req_inv ON connections (user_id, conn_req_inv);
    CREATE INDEX idx_connections_custom_user_profile_id ON connections (custom_user_profile_id);
    CREATE INDEX idx_connections_group_member ON connections (user_id, group_member_id);
    CREATE INDEX idx_connections_rcv_file_id ON connections (rcv_file_id);
    CREATE INDEX idx_connections_to_subscribe ON connections (user_id, to_subscribe);
    CREATE INDEX idx_connections_updated_at ON connections (user_id, updated_at);
    CREATE INDEX idx_connections_user_contact_link_id ON connections (user_contact_link_id);
    CREATE INDEX idx_connections_via_contact ON connections (via_contact);
    CREATE INDEX idx_connections_via_contact_uri_hash ON connections (user_id, via_contact_uri_hash);
    CREATE INDEX idx_connections_via_user_contact_link ON connections (via_user_contact_link);
    CREATE INDEX idx_contact_profiles_contact_link ON contact_profiles (user_id, contact_link);
    CREATE INDEX idx_contact_profiles_user_id ON contact_profiles (user_id);
    CREATE INDEX idx_contact_requests_business_group_id ON contact_requests (business_group_id);
    CREATE INDEX idx_contact_requests_contact_id ON contact_requests (contact_id);
    CREATE INDEX idx_contact_requests_contact_profile_id ON contact_requests (contact_profile_id);
    CREATE INDEX idx_contact_requests_updated_at ON contact_requests (user_id, updated_at);
    CREATE INDEX idx_contact_requests_user_contact_link_id ON contact_requests (user_contact_link_id);
    CREATE INDEX idx_contact_requests_xcontact_id ON contact_requests (user_id, xcontact_id);
    CREATE INDEX idx_contacts_chat_ts ON contacts (user_id, chat_ts);
    CREATE INDEX idx_contacts_contact_group_member_id ON contacts (contact_group_member_id);
    CREATE INDEX idx_contacts_contact_profile_id ON contacts (contact_profile_id);
    CREATE INDEX idx_contacts_contact_request_id ON contacts (contact_request_id);
    CREATE INDEX idx_contacts_grp_direct_inv_from_group_id ON contacts (grp_direct_inv_from_group_id);
    CREATE INDEX idx_contacts_grp_direct_inv_from_group_member_id ON contacts (grp_direct_inv_from_group_member_id);
    CREATE INDEX idx_contacts_grp_direct_inv_from_member_conn_id ON contacts (grp_direct_inv_from_member_conn_id);
    CREATE INDEX idx_contacts_xcontact_id ON contacts (xcontact_id);
    CREATE INDEX idx_delivery_jobs_created_at ON delivery_jobs (created_at);
    CREATE INDEX idx_delivery_jobs_group_id ON delivery_jobs (group_id);
    CREATE INDEX idx_delivery_jobs_job_scope_support_gm_id ON delivery_jobs (job_scope_support_gm_id);
    CREATE INDEX idx_delivery_jobs_next ON delivery_jobs (group_id, worker_scope, failed, job_status);
    CREATE INDEX idx_delivery_tasks_created_at ON delivery_tasks (created_at);
    CREATE INDEX idx_delivery_tasks_group_id ON delivery_tasks (group_id);
    CREATE INDEX idx_delivery_tasks_job_scope_support_gm_id ON delivery_tasks (job_scope_support_gm_id);
    CREATE INDEX idx_delivery_tasks_message_id ON delivery_tasks (message_id);
    CREATE INDEX idx_delivery_tasks_next ON delivery_tasks (group_id, worker_scope, failed, task_status);
    CREATE INDEX idx_delivery_tasks_next_for_job_scope ON delivery_tasks (group_id, worker_scope, \
    job_scope_spec_tag, job_scope_include_pending, job_scope_support_gm_id, failed, task_status);
    CREATE INDEX idx_delivery_tasks_next_for_job_scope_sender ON delivery_tasks (group_id, worker_scope, \
    job_scope_spec_tag, job_scope_include_pending, job_scope_support_gm_id, sender_group_member_id, failed, \
    task_status);
    CREATE INDEX idx_delivery_tasks_sender_group_member_id ON delivery_tasks (sender_group_member_id);
    CREATE INDEX idx_extra_xftp_file_descriptions_file_id ON extra_xftp_file_descriptions (file_id);
    CREATE INDEX idx_extra_xftp_file_descriptions_user_id ON extra_xftp_file_descriptions (user_id);
    CREATE INDEX idx_files_chat_item_id ON files (chat_item_id);
    CREATE INDEX idx_files_contact_id ON files (contact_id);
    CREATE INDEX idx_files_group_id ON files (group_id);
    CREATE INDEX idx_files_group_id_shared_msg_id ON files (group_id, shared_msg_id);
    CREATE INDEX idx_files_redirect_file_id ON files (redirect_file_id);
    CREATE INDEX idx_files_roster_transfer_id ON files (roster_transfer_id);
    CREATE INDEX idx_files_user_id ON files (user_id);
    CREATE INDEX idx_group_member_intros_re_group_member_id ON group_member_intros (re_group_member_id);
    CREATE INDEX idx_group_member_intros_to_group_member_id ON group_member_intros (to_group_member_id);
    CREATE INDEX idx_group_members_contact_id ON group_members (contact_id);
    CREATE INDEX idx_group_members_contact_profile_id ON group_members (contact_profile_id);
    CREATE INDEX idx_group_members_group_id ON group_members (user_id, group_id);
    CREATE INDEX idx_group_members_invited_by ON group_members (invited_by);
    CREATE INDEX idx_group_members_invited_by_group_member_id ON group_members (invited_by_group_member_id);
    CREATE INDEX idx_group_members_member_profile_id ON group_members (member_profile_id);
    CREATE INDEX idx_group_members_user_id ON group_members (user_id);
    CREATE INDEX idx_group_members_user_id_local_display_name ON group_members (user_id, local_display_name);
    CREATE INDEX idx_group_profiles_user_id ON group_profiles (user_id);
    CREATE INDEX idx_group_relays_chat_relay_id ON group_relays (chat_relay_id);
    CREATE INDEX idx_group_relays_group_id ON group_relays (group_id);
    CREATE INDEX idx_group_snd_item_statuses_chat_item_id ON group_snd_item_statuses (chat_item_id);
    CREATE INDEX idx_group_snd_item_statuses_chat_item_id_group_member_id ON group_snd_item_statuses (chat_item_id, \
    group_member_id);
    CREATE INDEX idx_group_snd_item_statuses_group_member_id ON group_snd_item_statuses (group_member_id);
    CREATE INDEX idx_groups_business_xcontact_id ON groups (business_xcontact_id);
    CREATE INDEX idx_groups_chat_item_id ON groups (chat_item_id);
    CREATE INDEX idx_groups_chat_ts ON groups (user_id, chat_ts);
    CREATE INDEX idx_groups_group_profile_id ON groups (group_profile_id);
    CREATE INDEX idx_groups_inv_queue_info ON groups (inv_queue_info);
    CREATE INDEX idx_groups_relay_request_group_link ON groups (user_id, relay_request_group_link) WHERE \
    relay_request_group_link IS NOT NULL;
    CREATE INDEX idx_groups_summary_current_members_count ON groups (summary_current_members_count);
    CREATE INDEX idx_groups_via_group_link_uri_hash ON groups (user_id, via_group_link_uri_hash);
    CREATE INDEX idx_messages_author_group_member_id ON messages (author_group_member_id);
    CREATE INDEX idx_messages_connection_id ON messages (connection_id);
    CREATE INDEX idx_messages_created_at ON messages (created_at);
    CREATE INDEX idx_messages_forwarded_by_group_member_id ON messages (forwarded_by_group_member_id);
    CREATE INDEX idx_messages_group_id ON messages (group_id);
    CREATE INDEX idx_messages_group_id_shared_msg_id ON messages (group_id, shared_msg_id);
    CREATE INDEX idx_messages_shared_msg_id ON messages (shared_msg_id);
    CREATE INDEX idx_msg_deliveries_agent_msg_id ON "msg_deliveries"(connection_id, agent_msg_id);
    CREATE INDEX idx_msg_deliveries_message_id ON "msg_deliveries"(message_id);
    CREATE INDEX idx_operator_usage_conditions_server_operator_id ON operator_usage_conditions (server_operator_id);
    CREATE INDEX idx_pending_group_messages_group_member_id ON pending_group_messages (group_member_id);
    CREATE INDEX idx_pending_group_messages_message_id ON pending_group_messages (message_id);
    CREATE INDEX idx_rcv_file_chunks_file_id ON rcv_file_chunks (file_id);
    CREATE INDEX idx_rcv_files_file_descr_id ON rcv_files (file_descr_id);
    CREATE INDEX idx_rcv_files_group_member_id ON rcv_files (group_member_id);
    CREATE INDEX idx_rcv_roster_transfers_from_member_id ON rcv_roster_transfers (from_member_id);
    CREATE INDEX idx_received_probes_contact_id ON received_probes (contact_id);
    CREATE INDEX idx_received_probes_created_at ON received_probes (created_at);
    CREATE INDEX idx_received_probes_group_member_id ON received_probes (group_member_id);
    CREATE INDEX idx_received_probes_probe ON received_probes (probe);
    CREATE INDEX idx_received_probes_probe_hash ON received_probes (probe_hash);
    CREATE INDEX idx_received_probes_user_id ON received_probes (user_id);
    CREATE INDEX idx_sent_probe_hashes_contact_id ON sent_probe_hashes (contact_id);
    CREATE INDEX idx_sent_probe_hashes_created_at ON sent_probe_hashes (created_at);
    CREATE INDEX idx_sent_probe_hashes_group_member_id ON sent_probe_hashes (group_member_id);
    CREATE INDEX idx_sent_probe_hashes_sent_probe_id ON sent_probe_hashes (sent_probe_id);
    CREATE INDEX idx_sent_probe_hashes_user_id ON sent_probe_hashes (user_id);
    CREATE INDEX idx_sent_probes_contact_id ON sent_probes (contact_id);
    CREATE INDEX idx_sent_probes_created_at ON sent_probes (created_at);
    CREATE INDEX idx_sent_probes_group_member_id ON sent_probes (group_member_id);
    CREATE INDEX idx_sent_probes_user_id ON sent_probes (user_id);
    CREATE INDEX idx_settings_user_id ON settings (user_id);
    CREATE INDEX idx_smp_servers_user_id ON "protocol_servers"(user_id);
    CREATE INDEX idx_snd_files_connection_id ON snd_files (connection_id);
    CREATE INDEX idx_snd_files_file_descr_id ON snd_files (file_descr_id);
    CREATE INDEX idx_snd_files_file_id ON snd_files (file_id);
    CREATE INDEX idx_snd_files_group_member_id ON snd_files (group_member_id);
    CREATE INDEX idx_xftp_file_descriptions_user_id ON xftp_file_descriptions (user_id);
    CREATE INDEX note_folders_user_id ON note_folders (user_id);
    CREATE UNIQUE INDEX idx_chat_item_mentions_display_name ON chat_item_mentions (chat_item_id, display_name);
    CREATE UNIQUE INDEX idx_chat_item_mentions_member_id ON chat_item_mentions (chat_item_id, member_id);
    CREATE UNIQUE INDEX idx_chat_items_direct_shared_msg_id ON chat_items (user_id, contact_id, shared_msg_id);
    CREATE UNIQUE INDEX idx_chat_items_group_shared_msg_id ON chat_items (user_id, group_id, group_member_id, \
    shared_msg_id);
    CREATE UNIQUE INDEX idx_chat_relays_user_id_address ON chat_relays (user_id, address);
    CREATE UNIQUE INDEX idx_chat_tags_chats_chat_tag_id_contact_id ON chat_tags_chats (contact_id, chat_tag_id);
    CREATE UNIQUE INDEX idx_chat_tags_chats_chat_tag_id_group_id ON chat_tags_chats (group_id, chat_tag_id);
    CREATE UNIQUE INDEX idx_chat_tags_user_id_chat_tag_emoji ON chat_tags (user_id, chat_tag_emoji);
    CREATE UNIQUE INDEX idx_chat_tags_user_id_chat_tag_text ON chat_tags (user_id, chat_tag_text);
    CREATE UNIQUE INDEX idx_connections_contact_id ON connections (contact_id);
    CREATE UNIQUE INDEX idx_connections_group_member_id ON connections (group_member_id);
    CREATE UNIQUE INDEX idx_group_members_group_id_index_in_group ON group_members (group_id, index_in_group);
    CREATE UNIQUE INDEX idx_group_relays_group_member_id ON group_relays (group_member_id);
    CREATE UNIQUE INDEX idx_operator_usage_conditions_conditions_commit ON operator_usage_conditions \
    (conditions_commit, server_operator_id);
    CREATE UNIQUE INDEX idx_rcv_roster_transfers_group_id_from_member_id ON rcv_roster_transfers (group_id, \
    from_member_id);
    CREATE UNIQUE INDEX idx_remote_controllers_ctrl_fingerprint ON remote_controllers (ctrl_fingerprint);
    CREATE UNIQUE INDEX idx_remote_hosts_host_fingerprint ON remote_hosts (host_fingerprint);
    CREATE UNIQUE INDEX idx_snd_files_last_inline_msg_delivery_id ON snd_files (last_inline_msg_delivery_id);
    CREATE UNIQUE INDEX idx_user_contact_links_group_id ON user_contact_links (group_id);
    CREATE TRIGGER on_group_members_insert_update_summary AFTER INSERT ON group_members FOR EACH ROW WHEN EXISTS \
    (SELECT 1 FROM group_member_status_predicates WHERE member_status = NEW.member_status AND current_member = 1) \
    BEGIN UPDATE groups SET summary_current_members_count = summary_current_members_count + 1 WHERE group_id = \
    NEW.group_id; END;
    CREATE TRIGGER on_group_members_delete_update_summary AFTER DELETE ON group_members FOR EACH ROW WHEN EXISTS \
    (SELECT 1 FROM group_member_status_predicates WHERE member_status = OLD.member_status AND current_member = 1) \
    BEGIN UPDATE groups SET summary_current_members_count = summary_current_members_count - 1 WHERE group_id = \
    OLD.group_id; END;
    CREATE TRIGGER on_group_members_update_update_summary AFTER UPDATE ON group_members FOR EACH ROW WHEN EXISTS \
    (SELECT 1 FROM group_member_status_predicates WHERE member_status = OLD.member_status AND current_member = 1) != \
    EXISTS (SELECT 1 FROM group_member_status_predicates WHERE member_status = NEW.member_status AND current_member \
    = 1) BEGIN UPDATE groups SET summary_current_members_count = summary_current_members_count + (CASE WHEN EXISTS \
    (SELECT 1 FROM group_member_status_predicates WHERE member_status = NEW.member_status AND current_member = 1) \
    THEN 1 ELSE -1 END) WHERE group_id = NEW.group_id; END;
    """
}
