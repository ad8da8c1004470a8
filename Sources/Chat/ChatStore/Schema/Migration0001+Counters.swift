// Counters that are shown with every load of a group: triggers maintain them, so that no load counts rows.

extension Migration0001 {
  /// Whether a row of `chats` is a member's support chat that waits for a moderator.
  private static func waits(_ row: String) -> String {
    "(\(row).kind = 1 AND \(row).scope > 0 AND (\(row).member_attention > 0 OR \(row).unread_mentions > 0))"
  }

  /// Whether a row of `members` waits to be admitted.
  private static func pends(_ row: String) -> String { "(\(row).status IN ('pending_approval', 'pending_review'))" }

  /// Whether a row of `members` waits to be admitted and is not the user.
  private static func counts(_ row: String) -> String { "(\(pends(row)) AND \(row).category <> 'user')" }

  /// Whether a row of `items` is a received report that is not archived.
  private static func isReport(_ row: String) -> String {
    "(\(row).message_tag IS 'report' AND \(row).sent = 0 AND \(row).deleted = 0)"
  }

  /// Whether the member of a row of `chats` waits to be admitted: it counts as such, whatever is in its support chat.
  private static func isPending(_ row: String) -> String {
    "EXISTS (SELECT 1 FROM members w WHERE w.member_id = \(row).scope AND \(pends("w")))"
  }

  /// Whether the support chat of a row of `members` waits for a moderator.
  private static func hasWaitingChat(_ row: String) -> String {
    """
    EXISTS (SELECT 1 FROM chats c WHERE c.kind = 1 AND c.entity_id = \(row).group_id AND c.scope = \(row).member_id \
    AND \(waits("c")))
    """
  }

  static let counters = """
    CREATE TRIGGER items_reports_insert AFTER INSERT ON items WHEN \(isReport("NEW")) BEGIN
      UPDATE chats SET reports = reports + 1 WHERE chat_id = NEW.chat_id;
    END;
    CREATE TRIGGER items_reports_delete AFTER DELETE ON items WHEN \(isReport("OLD")) BEGIN
      UPDATE chats SET reports = reports - 1 WHERE chat_id = OLD.chat_id;
    END;
    CREATE TRIGGER items_reports_update AFTER UPDATE OF message_tag, sent, deleted, chat_id ON items
    WHEN \(isReport("OLD")) OR \(isReport("NEW")) BEGIN
      UPDATE chats SET reports = reports - \(isReport("OLD")) WHERE chat_id = OLD.chat_id;
      UPDATE chats SET reports = reports + \(isReport("NEW")) WHERE chat_id = NEW.chat_id;
    END;

    CREATE TRIGGER chats_group_update
    AFTER UPDATE OF member_attention, unread_mentions, reports, kind, entity_id, scope ON chats
    WHEN (OLD.kind = 1 OR NEW.kind = 1) AND (\(waits("OLD")) <> \(waits("NEW")) OR OLD.reports <> NEW.reports
      OR OLD.kind <> NEW.kind OR OLD.entity_id <> NEW.entity_id) BEGIN
      UPDATE groups SET attention = attention - (\(waits("OLD")) AND NOT \(isPending("OLD"))),
        reports = reports - OLD.reports
      WHERE OLD.kind = 1 AND group_id = OLD.entity_id;
      UPDATE groups SET attention = attention + (\(waits("NEW")) AND NOT \(isPending("NEW"))),
        reports = reports + NEW.reports
      WHERE NEW.kind = 1 AND group_id = NEW.entity_id;
    END;

    CREATE TRIGGER members_attention_insert AFTER INSERT ON members WHEN \(counts("NEW")) BEGIN
      UPDATE groups SET attention = attention + 1 WHERE group_id = NEW.group_id;
    END;
    CREATE TRIGGER members_attention_delete AFTER DELETE ON members WHEN \(pends("OLD")) BEGIN
      UPDATE groups SET attention = attention - \(counts("OLD")) + \(hasWaitingChat("OLD"))
      WHERE group_id = OLD.group_id;
    END;
    CREATE TRIGGER members_attention_update AFTER UPDATE OF status, category ON members
    WHEN \(pends("OLD")) <> \(pends("NEW")) OR \(counts("OLD")) <> \(counts("NEW")) BEGIN
      UPDATE groups SET attention = attention + \(counts("NEW")) - \(counts("OLD"))
        + (\(pends("OLD")) - \(pends("NEW"))) * \(hasWaitingChat("NEW"))
      WHERE group_id = NEW.group_id;
    END;

    """
}
