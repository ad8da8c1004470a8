CREATE TRIGGER channel_deliveries_delete AFTER DELETE ON channel_deliveries BEGIN
  DELETE FROM channel_delivery_parts WHERE delivery_id = OLD.delivery_id;
END;
CREATE TRIGGER chats_group_update
AFTER UPDATE OF member_attention, unread_mentions, reports, kind, entity_id, scope ON chats
WHEN (OLD.kind = 1 OR NEW.kind = 1) AND ((OLD.kind = 1 AND OLD.scope > 0 AND (OLD.member_attention > 0 OR OLD.unread_mentions > 0)) <> (NEW.kind = 1 AND NEW.scope > 0 AND (NEW.member_attention > 0 OR NEW.unread_mentions > 0)) OR OLD.reports <> NEW.reports
  OR OLD.kind <> NEW.kind OR OLD.entity_id <> NEW.entity_id) BEGIN
  UPDATE groups SET attention = attention - ((OLD.kind = 1 AND OLD.scope > 0 AND (OLD.member_attention > 0 OR OLD.unread_mentions > 0)) AND NOT EXISTS (SELECT 1 FROM members w WHERE w.member_id = OLD.scope AND (w.status IN ('pending_approval', 'pending_review')))),
    reports = reports - OLD.reports
  WHERE OLD.kind = 1 AND group_id = OLD.entity_id;
  UPDATE groups SET attention = attention + ((NEW.kind = 1 AND NEW.scope > 0 AND (NEW.member_attention > 0 OR NEW.unread_mentions > 0)) AND NOT EXISTS (SELECT 1 FROM members w WHERE w.member_id = NEW.scope AND (w.status IN ('pending_approval', 'pending_review')))),
    reports = reports + NEW.reports
  WHERE NEW.kind = 1 AND group_id = NEW.entity_id;
END;
CREATE TRIGGER connections_delete AFTER DELETE ON connections BEGIN
  DELETE FROM kept_messages WHERE connection_id = OLD.connection_id;
  DELETE FROM unhandled_messages WHERE connection_id = OLD.connection_id;
END;
CREATE TRIGGER connections_state_delete AFTER DELETE ON connections BEGIN
  DELETE FROM peer_state WHERE connection_id = OLD.connection_id;
END;
CREATE TRIGGER connections_state_shown AFTER UPDATE OF status ON connections
WHEN NEW.status = 'ready' AND OLD.status <> 'ready' BEGIN
  UPDATE members SET charged_to = 0 WHERE member_id = NEW.member_id AND charged_to <> 0;
  UPDATE contact_requests SET charged_to = 0 WHERE contact_id = NEW.contact_id AND charged_to <> 0;
END;
CREATE TRIGGER contact_requests_delete AFTER DELETE ON contact_requests BEGIN
  UPDATE contacts SET request_id = NULL WHERE request_id = OLD.request_id;
END;
CREATE TRIGGER contact_requests_state_charge AFTER UPDATE OF charged_to ON contact_requests
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 10, 1, 0)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER contact_requests_state_delete AFTER DELETE ON contact_requests WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (0),
        is_reported = is_reported AND (row_count > CASE 10 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 10 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 10;
    END;
CREATE TRIGGER contact_requests_state_insert AFTER INSERT ON contact_requests WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 10, 1, 0)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER contact_requests_state_release AFTER UPDATE OF charged_to ON contact_requests
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (0),
        is_reported = is_reported AND (row_count > CASE 10 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 10 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 10;
    END;
CREATE TRIGGER contacts_delete AFTER DELETE ON contacts BEGIN
  DELETE FROM sent_probes WHERE contact_id = OLD.contact_id;
  DELETE FROM asked_probes WHERE contact_id = OLD.contact_id;
  DELETE FROM received_probes WHERE contact_id = OLD.contact_id;
  UPDATE members SET invited_by_contact = NULL WHERE invited_by_contact = OLD.contact_id;
END;
CREATE TRIGGER early_decisions_state_charge AFTER UPDATE OF charged_to ON early_decisions
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 4, 1, coalesce(length(NEW.shared_member_id), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER early_decisions_state_delete AFTER DELETE ON early_decisions WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_member_id), 0)),
        is_reported = is_reported AND (row_count > CASE 4 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 4 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 4;
    END;
CREATE TRIGGER early_decisions_state_insert AFTER INSERT ON early_decisions WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 4, 1, coalesce(length(NEW.shared_member_id), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER early_decisions_state_release AFTER UPDATE OF charged_to ON early_decisions
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_member_id), 0)),
        is_reported = is_reported AND (row_count > CASE 4 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 4 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 4;
    END;
CREATE TRIGGER early_descriptions_state_charge AFTER UPDATE OF charged_to ON early_descriptions
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 6, 1, coalesce(length(NEW.text), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER early_descriptions_state_delete AFTER DELETE ON early_descriptions WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.text), 0)),
        is_reported = is_reported AND (row_count > CASE 6 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 6 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 6;
    END;
CREATE TRIGGER early_descriptions_state_insert AFTER INSERT ON early_descriptions WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 6, 1, coalesce(length(NEW.text), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER early_descriptions_state_release AFTER UPDATE OF charged_to ON early_descriptions
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.text), 0)),
        is_reported = is_reported AND (row_count > CASE 6 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 6 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 6;
    END;
CREATE TRIGGER files_state_charge AFTER UPDATE OF charged_to ON files
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 11, 1, 0)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER files_state_delete AFTER DELETE ON files WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (0),
        is_reported = is_reported AND (row_count > CASE 11 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 11 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 11;
    END;
CREATE TRIGGER files_state_insert AFTER INSERT ON files WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 11, 1, 0)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER files_state_release AFTER UPDATE OF charged_to ON files
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (0),
        is_reported = is_reported AND (row_count > CASE 11 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 11 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 11;
    END;
CREATE TRIGGER files_state_shown AFTER UPDATE OF step ON files
WHEN OLD.charged_to <> 0 AND NEW.step NOT IN ('accepted', 'connected') BEGIN
  UPDATE files SET charged_to = 0 WHERE file_id = NEW.file_id;
END;
CREATE TRIGGER groups_delete AFTER DELETE ON groups BEGIN
  DELETE FROM channel_keys WHERE group_id = OLD.group_id;
  DELETE FROM group_relays WHERE group_id = OLD.group_id;
  DELETE FROM rosters WHERE group_id = OLD.group_id;
  DELETE FROM roster_transfers WHERE group_id = OLD.group_id;
  DELETE FROM channel_deliveries WHERE group_id = OLD.group_id;
  DELETE FROM delivery_positions WHERE group_id = OLD.group_id;
END;
CREATE TRIGGER item_recipients_insert AFTER INSERT ON item_recipients BEGIN
  INSERT INTO item_recipient_counts VALUES (NEW.item_id, NEW.status, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER item_recipients_update AFTER UPDATE OF status ON item_recipients WHEN OLD.status <> NEW.status BEGIN
  UPDATE item_recipient_counts SET count = count - 1 WHERE item_id = OLD.item_id AND status = OLD.status;
  INSERT INTO item_recipient_counts VALUES (NEW.item_id, NEW.status, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER items_file_delete AFTER DELETE ON items WHEN OLD.file_id IS NOT NULL BEGIN
  UPDATE files SET removed = 1 WHERE file_id = OLD.file_id;
END;
CREATE TRIGGER items_file_update AFTER UPDATE OF file_id ON items
WHEN OLD.file_id IS NOT NULL AND NEW.file_id IS NULL BEGIN
  UPDATE files SET removed = 1 WHERE file_id = OLD.file_id;
END;
CREATE TRIGGER items_last_delete AFTER DELETE ON items
WHEN OLD.item_id = (SELECT last_item_id FROM chats WHERE chat_id = OLD.chat_id) BEGIN
  UPDATE chats SET (last_item_id, last_position) = (SELECT item_id, position FROM items
    WHERE chat_id = OLD.chat_id ORDER BY position DESC, item_id DESC LIMIT 1)
  WHERE chat_id = OLD.chat_id;
END;
CREATE TRIGGER items_last_insert AFTER INSERT ON items BEGIN
  UPDATE chats SET last_item_id = NEW.item_id, last_position = NEW.position
  WHERE chat_id = NEW.chat_id AND (last_position IS NULL OR last_position <= NEW.position);
END;
CREATE TRIGGER items_reports_delete AFTER DELETE ON items WHEN (OLD.message_tag IS 'report' AND OLD.sent = 0 AND OLD.deleted = 0) BEGIN
  UPDATE chats SET reports = reports - 1 WHERE chat_id = OLD.chat_id;
END;
CREATE TRIGGER items_reports_insert AFTER INSERT ON items WHEN (NEW.message_tag IS 'report' AND NEW.sent = 0 AND NEW.deleted = 0) BEGIN
  UPDATE chats SET reports = reports + 1 WHERE chat_id = NEW.chat_id;
END;
CREATE TRIGGER items_reports_update AFTER UPDATE OF message_tag, sent, deleted, chat_id ON items
WHEN (OLD.message_tag IS 'report' AND OLD.sent = 0 AND OLD.deleted = 0) OR (NEW.message_tag IS 'report' AND NEW.sent = 0 AND NEW.deleted = 0) BEGIN
  UPDATE chats SET reports = reports - (OLD.message_tag IS 'report' AND OLD.sent = 0 AND OLD.deleted = 0) WHERE chat_id = OLD.chat_id;
  UPDATE chats SET reports = reports + (NEW.message_tag IS 'report' AND NEW.sent = 0 AND NEW.deleted = 0) WHERE chat_id = NEW.chat_id;
END;
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
CREATE TRIGGER items_unread_delete AFTER DELETE ON items WHEN OLD.status = 10 BEGIN
  UPDATE chats SET unread_count = unread_count - 1, unread_mentions = unread_mentions - OLD.user_mention,
    member_attention = member_attention - OLD.awaits_answer
  WHERE chat_id = OLD.chat_id;
END;
CREATE TRIGGER items_unread_insert AFTER INSERT ON items WHEN NEW.status = 10 BEGIN
  UPDATE chats SET unread_count = unread_count + 1, unread_mentions = unread_mentions + NEW.user_mention,
    member_attention = member_attention + NEW.awaits_answer
  WHERE chat_id = NEW.chat_id;
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
CREATE TRIGGER kept_messages_state_charge AFTER UPDATE OF connection_id ON kept_messages
    WHEN NEW.connection_id <> 0 AND NEW.connection_id <> OLD.connection_id BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.connection_id, 7, 1, coalesce(length(NEW.body), 0) + coalesce(length(NEW.tag), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER kept_messages_state_delete AFTER DELETE ON kept_messages WHEN OLD.connection_id <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.body), 0) + coalesce(length(OLD.tag), 0)),
        is_reported = is_reported AND (row_count > CASE 7 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 7 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.connection_id AND kind = 7;
    END;
CREATE TRIGGER kept_messages_state_insert AFTER INSERT ON kept_messages WHEN NEW.connection_id <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.connection_id, 7, 1, coalesce(length(NEW.body), 0) + coalesce(length(NEW.tag), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER kept_messages_state_release AFTER UPDATE OF connection_id ON kept_messages
    WHEN OLD.connection_id <> 0 AND NEW.connection_id <> OLD.connection_id BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.body), 0) + coalesce(length(OLD.tag), 0)),
        is_reported = is_reported AND (row_count > CASE 7 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 7 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.connection_id AND kind = 7;
    END;
CREATE TRIGGER members_attention_delete AFTER DELETE ON members WHEN (OLD.status IN ('pending_approval', 'pending_review')) BEGIN
  UPDATE groups SET attention = attention - ((OLD.status IN ('pending_approval', 'pending_review')) AND OLD.category <> 'user') + EXISTS (SELECT 1 FROM chats c WHERE c.kind = 1 AND c.entity_id = OLD.group_id AND c.scope = OLD.member_id AND (c.kind = 1 AND c.scope > 0 AND (c.member_attention > 0 OR c.unread_mentions > 0)))
  WHERE group_id = OLD.group_id;
END;
CREATE TRIGGER members_attention_insert AFTER INSERT ON members WHEN ((NEW.status IN ('pending_approval', 'pending_review')) AND NEW.category <> 'user') BEGIN
  UPDATE groups SET attention = attention + 1 WHERE group_id = NEW.group_id;
END;
CREATE TRIGGER members_attention_update AFTER UPDATE OF status, category ON members
WHEN (OLD.status IN ('pending_approval', 'pending_review')) <> (NEW.status IN ('pending_approval', 'pending_review')) OR ((OLD.status IN ('pending_approval', 'pending_review')) AND OLD.category <> 'user') <> ((NEW.status IN ('pending_approval', 'pending_review')) AND NEW.category <> 'user') BEGIN
  UPDATE groups SET attention = attention + ((NEW.status IN ('pending_approval', 'pending_review')) AND NEW.category <> 'user') - ((OLD.status IN ('pending_approval', 'pending_review')) AND OLD.category <> 'user')
    + ((OLD.status IN ('pending_approval', 'pending_review')) - (NEW.status IN ('pending_approval', 'pending_review'))) * EXISTS (SELECT 1 FROM chats c WHERE c.kind = 1 AND c.entity_id = NEW.group_id AND c.scope = NEW.member_id AND (c.kind = 1 AND c.scope > 0 AND (c.member_attention > 0 OR c.unread_mentions > 0)))
  WHERE group_id = NEW.group_id;
END;
CREATE TRIGGER members_delete AFTER DELETE ON members WHEN OLD.is_current = 1 BEGIN
  UPDATE groups SET current_members = current_members - 1 WHERE group_id = OLD.group_id;
END;
CREATE TRIGGER members_forget AFTER DELETE ON members BEGIN
  DELETE FROM sent_probes WHERE member_id = OLD.member_id;
  DELETE FROM asked_probes WHERE member_id = OLD.member_id;
  DELETE FROM received_probes WHERE member_id = OLD.member_id;
  UPDATE contacts SET member_id = NULL WHERE member_id = OLD.member_id;
END;
CREATE TRIGGER members_insert AFTER INSERT ON members WHEN NEW.is_current = 1 BEGIN
  UPDATE groups SET current_members = current_members + 1 WHERE group_id = NEW.group_id;
END;
CREATE TRIGGER members_leave_channel AFTER DELETE ON members BEGIN
  DELETE FROM group_relays WHERE member_id = OLD.member_id;
  DELETE FROM roster_transfers WHERE group_id = OLD.group_id AND source_id = OLD.member_id;
  DELETE FROM delivery_positions WHERE member_id = OLD.member_id;
END;
CREATE TRIGGER members_state_charge AFTER UPDATE OF charged_to ON members
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, CASE NEW.category WHEN 'invitee' THEN 9 ELSE 8 END, 1, 0)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER members_state_delete AFTER DELETE ON members WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (0),
        is_reported = is_reported AND (row_count > CASE CASE OLD.category WHEN 'invitee' THEN 9 ELSE 8 END WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE CASE OLD.category WHEN 'invitee' THEN 9 ELSE 8 END WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = CASE OLD.category WHEN 'invitee' THEN 9 ELSE 8 END;
    END;
CREATE TRIGGER members_state_insert AFTER INSERT ON members WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, CASE NEW.category WHEN 'invitee' THEN 9 ELSE 8 END, 1, 0)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER members_state_release AFTER UPDATE OF charged_to ON members
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (0),
        is_reported = is_reported AND (row_count > CASE CASE OLD.category WHEN 'invitee' THEN 9 ELSE 8 END WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE CASE OLD.category WHEN 'invitee' THEN 9 ELSE 8 END WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = CASE OLD.category WHEN 'invitee' THEN 9 ELSE 8 END;
    END;
CREATE TRIGGER members_state_shown AFTER UPDATE OF status ON members
WHEN OLD.charged_to <> 0 AND NEW.status NOT IN ('unknown', 'announced', 'introduced', 'intro-inv', 'accepted', 'pending_approval', 'pending_review', 'rejected') BEGIN
  UPDATE members SET charged_to = 0 WHERE member_id = NEW.member_id;
END;
CREATE TRIGGER members_update AFTER UPDATE OF is_current ON members WHEN OLD.is_current <> NEW.is_current BEGIN
  UPDATE groups SET current_members = current_members + NEW.is_current - OLD.is_current
  WHERE group_id = NEW.group_id;
END;
CREATE TRIGGER moderations_state_charge AFTER UPDATE OF charged_to ON moderations
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 3, 1, coalesce(length(NEW.shared_id), 0) + coalesce(length(NEW.author), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER moderations_state_delete AFTER DELETE ON moderations WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_id), 0) + coalesce(length(OLD.author), 0)),
        is_reported = is_reported AND (row_count > CASE 3 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 3 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 3;
    END;
CREATE TRIGGER moderations_state_insert AFTER INSERT ON moderations WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 3, 1, coalesce(length(NEW.shared_id), 0) + coalesce(length(NEW.author), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER moderations_state_release AFTER UPDATE OF charged_to ON moderations
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_id), 0) + coalesce(length(OLD.author), 0)),
        is_reported = is_reported AND (row_count > CASE 3 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 3 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 3;
    END;
CREATE TRIGGER reactions_state_charge AFTER UPDATE OF charged_to ON reactions
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 1, 1, coalesce(length(NEW.shared_id), 0) + coalesce(length(NEW.reaction), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER reactions_state_delete AFTER DELETE ON reactions WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_id), 0) + coalesce(length(OLD.reaction), 0)),
        is_reported = is_reported AND (row_count > CASE 1 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 1 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 1;
    END;
CREATE TRIGGER reactions_state_insert AFTER INSERT ON reactions WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 1, 1, coalesce(length(NEW.shared_id), 0) + coalesce(length(NEW.reaction), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER reactions_state_release AFTER UPDATE OF charged_to ON reactions
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_id), 0) + coalesce(length(OLD.reaction), 0)),
        is_reported = is_reported AND (row_count > CASE 1 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 1 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 1;
    END;
CREATE TRIGGER received_messages_state_charge AFTER UPDATE OF charged_to ON received_messages
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 2, 1, coalesce(length(NEW.shared_id), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER received_messages_state_delete AFTER DELETE ON received_messages WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_id), 0)),
        is_reported = is_reported AND (row_count > CASE 2 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 2 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 2;
    END;
CREATE TRIGGER received_messages_state_insert AFTER INSERT ON received_messages WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 2, 1, coalesce(length(NEW.shared_id), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER received_messages_state_release AFTER UPDATE OF charged_to ON received_messages
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.shared_id), 0)),
        is_reported = is_reported AND (row_count > CASE 2 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 2 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 2;
    END;
CREATE TRIGGER received_probes_state_charge AFTER UPDATE OF charged_to ON received_probes
    WHEN NEW.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 5, 1, coalesce(length(NEW.hash), 0) + coalesce(length(NEW.probe), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER received_probes_state_delete AFTER DELETE ON received_probes WHEN OLD.charged_to <> 0 BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.hash), 0) + coalesce(length(OLD.probe), 0)),
        is_reported = is_reported AND (row_count > CASE 5 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 5 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 5;
    END;
CREATE TRIGGER received_probes_state_insert AFTER INSERT ON received_probes WHEN NEW.charged_to <> 0 BEGIN
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
      VALUES (NEW.charged_to, 5, 1, coalesce(length(NEW.hash), 0) + coalesce(length(NEW.probe), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
    END;
CREATE TRIGGER received_probes_state_release AFTER UPDATE OF charged_to ON received_probes
    WHEN OLD.charged_to <> 0 AND NEW.charged_to <> OLD.charged_to BEGIN
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (coalesce(length(OLD.hash), 0) + coalesce(length(OLD.probe), 0)),
        is_reported = is_reported AND (row_count > CASE 5 WHEN 1 THEN 500 WHEN 2 THEN 10000 WHEN 3 THEN 500 WHEN 4 THEN 500 WHEN 5 THEN 50 WHEN 6 THEN 512 WHEN 7 THEN 500 WHEN 8 THEN 2500 WHEN 9 THEN 500 WHEN 10 THEN 500 WHEN 11 THEN 16 END OR byte_count > CASE 5 WHEN 1 THEN 524288 WHEN 2 THEN 2097152 WHEN 3 THEN 524288 WHEN 4 THEN 524288 WHEN 5 THEN 32768 WHEN 6 THEN 2097152 WHEN 7 THEN 2097152 WHEN 8 THEN 0 WHEN 9 THEN 0 WHEN 10 THEN 0 WHEN 11 THEN 0 END)
      WHERE connection_id = OLD.charged_to AND kind = 5;
    END;
CREATE TRIGGER sent_probes_delete AFTER DELETE ON sent_probes BEGIN
  DELETE FROM asked_probes WHERE probe_id = OLD.probe_id;
END;
CREATE TABLE accepted_conditions (
  acceptance_id INTEGER PRIMARY KEY,
  operator_id INTEGER NOT NULL,
  document TEXT NOT NULL,
  accepted_at INTEGER,
  automatically INTEGER NOT NULL DEFAULT 0,
  UNIQUE (operator_id, document)
) STRICT;
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
CREATE TABLE asked_probes (
  probe_id INTEGER NOT NULL,
  contact_id INTEGER,
  member_id INTEGER
) STRICT;
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
CREATE TABLE channel_delivery_parts (
  delivery_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  -- The author, 0 for the channel, and the shared id, base64url; empty where it has none.
  author_id INTEGER NOT NULL,
  shared_id TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (delivery_id, position)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE chat_relays (
  relay_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  profile TEXT NOT NULL,
  domains TEXT NOT NULL,
  preset INTEGER NOT NULL,
  tested INTEGER,
  enabled INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, address)
) STRICT;
CREATE TABLE chat_tagging (
  chat_id INTEGER NOT NULL,
  tag_id INTEGER NOT NULL,
  PRIMARY KEY (chat_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE chat_tags (
  tag_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  emoji TEXT,
  position INTEGER NOT NULL
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
CREATE TABLE deliveries (
  command_id INTEGER NOT NULL,
  item_id INTEGER NOT NULL,
  PRIMARY KEY (command_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE delivery_positions (
  member_id INTEGER NOT NULL PRIMARY KEY,
  group_id INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL
) STRICT;
CREATE TABLE display_names (
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  base TEXT NOT NULL,
  suffix INTEGER NOT NULL,
  PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE foreign_rows (
  row_id INTEGER PRIMARY KEY,
  -- 0 the chat database, 1 the agent's
  database INTEGER NOT NULL,
  table_name TEXT NOT NULL
) STRICT;
CREATE TABLE foreign_values (
  row_id INTEGER NOT NULL,
  column_name TEXT NOT NULL,
  value ANY NOT NULL,
  PRIMARY KEY (row_id, column_name)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE handled_events (
  last_event_id INTEGER NOT NULL
) STRICT;
CREATE TABLE item_recipient_counts (
  item_id INTEGER NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (item_id, status)
) STRICT, WITHOUT ROWID;
CREATE TABLE item_recipients (
  item_id INTEGER NOT NULL,
  member_id INTEGER NOT NULL,
  -- RecipientStatusCode
  status INTEGER NOT NULL,
  status_detail TEXT,
  via_proxy INTEGER,
  PRIMARY KEY (item_id, member_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE item_versions (
  version_id INTEGER PRIMARY KEY,
  item_id INTEGER NOT NULL,
  content TEXT NOT NULL,
  version_ts INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE leftover_files (
  path TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
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
CREATE TABLE note_folders (
  note_folder_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE operators (
  operator_id INTEGER PRIMARY KEY,
  tag TEXT UNIQUE,
  trade_name TEXT NOT NULL,
  legal_name TEXT,
  domains TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  smp_roles TEXT NOT NULL,
  xftp_roles TEXT NOT NULL
) STRICT;
CREATE TABLE packets (
  packet_id INTEGER PRIMARY KEY AUTOINCREMENT,
  body BLOB NOT NULL
) STRICT;
CREATE TABLE peer_state (
  connection_id INTEGER NOT NULL,
  -- HiddenState
  kind INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  -- Whether it was reported that the budget is spent; until half of it is free again.
  is_reported INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (connection_id, kind)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE remote_controllers (
  remote_ctrl_id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_name TEXT NOT NULL,
  -- of the desktop's authority
  fingerprint BLOB NOT NULL UNIQUE,
  -- the desktop's key that signs in all sessions
  identity_key BLOB NOT NULL,
  -- this device's authority for the desktop
  ca_certificate BLOB NOT NULL,
  ca_key BLOB NOT NULL,
  -- of the last complete session; NULL for a pairing that is not complete
  current_key BLOB,
  previous_key BLOB,
  -- of a session that is not complete
  pending_key BLOB
) STRICT;
CREATE TABLE remote_hosts (
  remote_host_id INTEGER PRIMARY KEY AUTOINCREMENT,
  device_name TEXT NOT NULL,
  -- of the device's authority
  fingerprint BLOB NOT NULL UNIQUE,
  -- of this desktop's authority for the device, which follows
  ca_fingerprint BLOB NOT NULL UNIQUE,
  ca_certificate BLOB NOT NULL,
  ca_key BLOB NOT NULL,
  -- this desktop's key that signs in all sessions
  identity_key BLOB NOT NULL,
  -- of the last session of which the device stored its key; NULL before the first
  current_key BLOB,
  -- of the last HELLO, until the device has answered a request
  pending_key BLOB,
  -- name of the folder of its files
  folder TEXT NOT NULL,
  -- where the user wants this desktop to be found
  bind_address TEXT,
  bind_interface TEXT,
  port INTEGER
) STRICT;
CREATE TABLE remote_uploads (
  -- in the folder of files
  path TEXT PRIMARY KEY,
  stored_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE TABLE sent_probes (
  probe_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  probe TEXT NOT NULL,
  contact_id INTEGER,
  member_id INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE servers (
  server_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  protocol TEXT NOT NULL,
  address TEXT NOT NULL,
  preset INTEGER NOT NULL,
  tested INTEGER,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, protocol, address)
) STRICT;
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE unhandled_messages (
  connection_id INTEGER NOT NULL,
  agent_message_id INTEGER NOT NULL,
  PRIMARY KEY (connection_id, agent_message_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_conditions (
  conditions_id INTEGER PRIMARY KEY,
  document TEXT NOT NULL UNIQUE,
  notified_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
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
CREATE INDEX addresses_full_link ON addresses (user_id, full_link);
CREATE UNIQUE INDEX addresses_group ON addresses (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX addresses_short_link ON addresses (user_id, short_link) WHERE short_link IS NOT NULL;
CREATE UNIQUE INDEX addresses_user ON addresses (user_id) WHERE group_id IS NULL;
CREATE INDEX agent_commands_connection ON agent_commands (agent_conn_id);
CREATE INDEX agent_commands_packet ON agent_commands (packet_id) WHERE packet_id IS NOT NULL;
CREATE INDEX asked_probes_contact ON asked_probes (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX asked_probes_member ON asked_probes (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX asked_probes_probe ON asked_probes (probe_id);
CREATE INDEX calls_item ON calls (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX channel_deliveries_group ON channel_deliveries (group_id, delivery_id);
CREATE INDEX channel_deliveries_waiting ON channel_deliveries (group_id, delivery_id) WHERE cursor IS NOT NULL;
CREATE INDEX channel_delivery_parts_message ON channel_delivery_parts (shared_id) WHERE shared_id <> '';
CREATE INDEX chat_tagging_tag ON chat_tagging (tag_id);
CREATE UNIQUE INDEX chat_tags_emoji ON chat_tags (user_id, emoji) WHERE emoji IS NOT NULL;
CREATE UNIQUE INDEX chat_tags_text ON chat_tags (user_id, text);
CREATE INDEX chats_expiring ON chats (user_id, item_ttl) WHERE item_ttl > 0;
CREATE INDEX chats_list ON chats (user_id, kind, listed, ts);
CREATE INDEX connections_address ON connections (address_id) WHERE address_id IS NOT NULL;
CREATE INDEX connections_contact ON connections (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX connections_invitation ON connections (user_id, invitation_link) WHERE invitation_link IS NOT NULL;
CREATE INDEX connections_member ON connections (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX connections_pending ON connections (user_id, updated_at)
  WHERE kind = 'contact' AND contact_id IS NULL;
CREATE INDEX connections_profile ON connections (custom_profile_id) WHERE custom_profile_id IS NOT NULL;
CREATE INDEX connections_short_invitation ON connections (user_id, invitation_short_link)
  WHERE invitation_short_link IS NOT NULL;
CREATE INDEX connections_user ON connections (user_id);
CREATE INDEX connections_via_hash ON connections (user_id, via_link_hash) WHERE via_link_hash IS NOT NULL;
CREATE INDEX contact_requests_address ON contact_requests (address_id);
CREATE INDEX contact_requests_charged ON contact_requests (created_at) WHERE charged_to <> 0;
CREATE INDEX contact_requests_contact ON contact_requests (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX contact_requests_group ON contact_requests (business_group_id) WHERE business_group_id IS NOT NULL;
CREATE INDEX contact_requests_invitation ON contact_requests (agent_invitation_id);
CREATE INDEX contact_requests_list ON contact_requests (user_id, updated_at) WHERE contact_id IS NULL;
CREATE INDEX contact_requests_name ON contact_requests (user_id, local_display_name);
CREATE INDEX contact_requests_profile ON contact_requests (profile_id);
CREATE INDEX contact_requests_xcontact ON contact_requests (user_id, xcontact_id) WHERE xcontact_id IS NOT NULL;
CREATE INDEX contacts_connection ON contacts (connection_id);
CREATE INDEX contacts_full_link ON contacts (user_id, full_link) WHERE full_link IS NOT NULL;
CREATE INDEX contacts_member ON contacts (member_id) WHERE member_id IS NOT NULL;
CREATE UNIQUE INDEX contacts_name ON contacts (user_id, local_display_name);
CREATE INDEX contacts_profile ON contacts (profile_id);
CREATE INDEX contacts_request ON contacts (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX contacts_short_link ON contacts (user_id, short_link) WHERE short_link IS NOT NULL;
CREATE INDEX contacts_xcontact ON contacts (user_id, xcontact_id) WHERE xcontact_id IS NOT NULL;
CREATE INDEX deliveries_item ON deliveries (item_id);
CREATE INDEX delivery_positions_group ON delivery_positions (group_id, delivery_id);
CREATE INDEX display_names_base ON display_names (user_id, base, suffix);
CREATE INDEX early_decisions_member ON early_decisions (by_member) WHERE by_member IS NOT NULL;
CREATE INDEX early_decisions_time ON early_decisions (created_at);
CREATE INDEX early_descriptions_time ON early_descriptions (created_at);
CREATE INDEX file_descriptions_file ON file_descriptions (file_id, kind);
CREATE INDEX file_recipients_command ON file_recipients (command_id) WHERE command_id IS NOT NULL;
CREATE INDEX file_recipients_file ON file_recipients (file_id);
CREATE INDEX files_agent ON files (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX files_charged ON files (created_at) WHERE charged_to <> 0;
CREATE INDEX files_outside_chats ON files (updated_at) WHERE item_id IS NULL;
CREATE INDEX files_path ON files (path) WHERE path IS NOT NULL;
CREATE INDEX files_redirect ON files (redirect_for) WHERE redirect_for IS NOT NULL;
CREATE INDEX files_removed ON files (file_id) WHERE removed = 1;
CREATE INDEX files_wanted ON files (user_id) WHERE to_receive = 1;
CREATE INDEX group_relays_group ON group_relays (group_id);
CREATE INDEX groups_full_link ON groups (user_id, full_link) WHERE full_link IS NOT NULL;
CREATE INDEX groups_invitation ON groups (user_id, invitation) WHERE invitation IS NOT NULL;
CREATE UNIQUE INDEX groups_name ON groups (user_id, local_display_name);
CREATE INDEX groups_short_link ON groups (user_id, short_link) WHERE short_link IS NOT NULL;
CREATE INDEX groups_via_link ON groups (user_id, via_link) WHERE via_link IS NOT NULL;
CREATE INDEX item_versions_item ON item_versions (item_id);
CREATE INDEX items_all ON items (user_id, item_ts, item_id);
CREATE INDEX items_links ON items (chat_id, position, item_id) WHERE has_link = 1;
CREATE INDEX items_member ON items (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX items_own ON items (chat_id, item_id) WHERE sent = 1 AND member_id IS NULL AND author <> '';
CREATE INDEX items_position ON items (chat_id, position, item_id);
CREATE INDEX items_reported ON items (quoted_id) WHERE message_tag = 'report';
CREATE INDEX items_reports ON items (chat_id, position, item_id)
  WHERE message_tag = 'report' AND sent = 0 AND deleted = 0;
CREATE INDEX items_shared ON items (chat_id, shared_id, sent, author) WHERE shared_id IS NOT NULL;
CREATE INDEX items_tagged ON items (chat_id, message_tag, position, item_id) WHERE message_tag <> 'text';
CREATE INDEX items_timed ON items (delete_at) WHERE delete_at IS NOT NULL;
CREATE INDEX items_unread ON items (chat_id, position, item_id) WHERE status = 10;
CREATE INDEX items_untimed ON items (item_id) WHERE timed_ttl IS NOT NULL AND delete_at IS NULL;
CREATE UNIQUE INDEX jobs_subject ON jobs (kind, subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX kept_messages_chat ON kept_messages (chat_id, message_ts);
CREATE INDEX kept_messages_connection ON kept_messages (connection_id);
CREATE INDEX kept_messages_item ON kept_messages (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX kept_messages_timed ON kept_messages (delete_at) WHERE delete_at IS NOT NULL;
CREATE INDEX members_charged ON members (created_at) WHERE charged_to <> 0;
CREATE INDEX members_connection ON members (connection_id) WHERE connection_id IS NOT NULL;
CREATE INDEX members_contact ON members (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX members_contact_profile ON members (contact_profile_id);
CREATE INDEX members_index ON members (group_id, index_in_group);
CREATE INDEX members_introduced ON members (group_id, category, status)
  WHERE category = 'pre' AND status IN ('introduced', 'intro-inv');
CREATE INDEX members_introduced_to ON members (group_id) WHERE is_introduced_to = 1;
CREATE INDEX members_invited_by ON members (invited_by_contact) WHERE invited_by_contact IS NOT NULL;
CREATE INDEX members_join_request ON members (join_xcontact_id, group_id) WHERE join_xcontact_id IS NOT NULL;
CREATE INDEX members_joined ON members (group_id, invited_by_member)
  WHERE category = 'post' AND status IN ('intro-inv', 'pending_approval', 'pending_review');
CREATE INDEX members_name ON members (user_id, local_display_name);
CREATE INDEX members_pending ON members (group_id) WHERE status IN ('pending_approval', 'pending_review');
CREATE INDEX members_profile ON members (profile_id);
CREATE INDEX members_removed ON members (removed_at) WHERE removed_at IS NOT NULL;
CREATE UNIQUE INDEX members_shared ON members (group_id, shared_member_id);
CREATE INDEX members_unknown ON members (group_id, invited_by_member, status) WHERE status = 'unknown';
CREATE INDEX moderations_moderator ON moderations (moderator_id);
CREATE INDEX moderations_time ON moderations (created_at);
CREATE INDEX pending_messages_member ON pending_messages (member_id, is_held, pending_id);
CREATE INDEX pending_messages_packet ON pending_messages (packet_id);
CREATE INDEX pending_messages_time ON pending_messages (created_at);
CREATE INDEX profiles_link ON profiles (user_id, contact_link) WHERE contact_link IS NOT NULL;
CREATE INDEX profiles_name ON profiles (user_id, display_name);
CREATE INDEX reactions_early ON reactions (created_at) WHERE is_early = 1;
CREATE INDEX received_messages_time ON received_messages (received_at);
CREATE INDEX received_probes_contact ON received_probes (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX received_probes_hash ON received_probes (user_id, hash);
CREATE INDEX received_probes_member ON received_probes (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX received_probes_time ON received_probes (created_at);
CREATE INDEX remote_uploads_stored_at ON remote_uploads (stored_at);
CREATE INDEX sent_probes_contact ON sent_probes (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX sent_probes_member ON sent_probes (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX sent_probes_probe ON sent_probes (user_id, probe);
CREATE INDEX sent_probes_time ON sent_probes (created_at);
