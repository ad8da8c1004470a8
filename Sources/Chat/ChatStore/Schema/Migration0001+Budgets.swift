import ChatLogic

// The sums of hidden state, for the budgets of peers (docs/limits.md). A row with such state has the connection to
// which it is charged; triggers maintain the sums, whichever statement adds or removes rows.

extension Migration0001 {
  static let budgets =
    """
    -- What came by a connection and the user does not see, by kind.
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
    CREATE TRIGGER connections_state_delete AFTER DELETE ON connections BEGIN
      DELETE FROM peer_state WHERE connection_id = OLD.connection_id;
    END;

    """ + ChargedTable.all.map(\.triggers).joined() + releases

  private static let waitingStatuses =
    NewMember.waitingStatuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")

  /// Triggers that end the charge of a row whose state is not hidden any more.
  private static let releases = """
    CREATE TRIGGER members_state_shown AFTER UPDATE OF status ON members
    WHEN OLD.charged_to <> 0 AND NEW.status NOT IN (\(waitingStatuses)) BEGIN
      UPDATE members SET charged_to = 0 WHERE member_id = NEW.member_id;
    END;
    CREATE TRIGGER connections_state_shown AFTER UPDATE OF status ON connections
    WHEN NEW.status = 'ready' AND OLD.status <> 'ready' BEGIN
      UPDATE members SET charged_to = 0 WHERE member_id = NEW.member_id AND charged_to <> 0;
      UPDATE contact_requests SET charged_to = 0 WHERE contact_id = NEW.contact_id AND charged_to <> 0;
    END;
    CREATE TRIGGER files_state_shown AFTER UPDATE OF step ON files
    WHEN OLD.charged_to <> 0 AND NEW.step NOT IN ('accepted', 'connected') BEGIN
      UPDATE files SET charged_to = 0 WHERE file_id = NEW.file_id;
    END;

    """
}

/// A table whose rows are charged to connections.
struct ChargedTable: Sendable {
  let name: String
  /// The kind of state of a row (`NEW` or `OLD`), as SQL.
  let kind: @Sendable (_ row: String) -> String
  /// The size of a row in bytes, as SQL.
  let bytes: @Sendable (_ row: String) -> String
  /// The column with the connection; 0 where the row is charged to none.
  var connection = "charged_to"

  init(_ name: String, _ state: HiddenState, lengthsOf columns: String..., chargedBy connection: String = "charged_to")
  {
    self.name = name
    kind = { _ in "\(state.rawValue)" }
    bytes = { row in
      columns.isEmpty ? "0" : columns.map { "coalesce(length(\(row).\($0)), 0)" }.joined(separator: " + ")
    }
    self.connection = connection
  }

  private init(members: Void) {
    name = "members"
    kind = { row in
      "CASE \(row).category WHEN 'invitee' THEN \(HiddenState.joiningMembers.rawValue) "
        + "ELSE \(HiddenState.announcedMembers.rawValue) END"
    }
    bytes = { _ in "0" }
  }

  static let all = [
    ChargedTable("reactions", .earlyReactions, lengthsOf: "shared_id", "reaction"),
    ChargedTable("received_messages", .silentMessages, lengthsOf: "shared_id"),
    ChargedTable("moderations", .earlyDeletions, lengthsOf: "shared_id", "author"),
    ChargedTable("early_decisions", .earlyDecisions, lengthsOf: "shared_member_id"),
    ChargedTable("received_probes", .probes, lengthsOf: "hash", "probe"),
    ChargedTable("early_descriptions", .earlyDescriptions, lengthsOf: "text"),
    ChargedTable("kept_messages", .keptMessages, lengthsOf: "body", "tag", chargedBy: "connection_id"),
    ChargedTable("contact_requests", .contactRequests),
    ChargedTable("files", .inlineFiles),
    ChargedTable(members: ()),
  ]

  /// Half of a limit of the kind that a row has.
  private func half(_ limit: KeyPath<HiddenState.Limit, Int>, _ row: String) -> String {
    "CASE \(kind(row)) "
      + HiddenState.allCases.map { "WHEN \($0.rawValue) THEN \($0.limit[keyPath: limit] / 2) " }.joined() + "END"
  }

  var triggers: String {
    let (new, old) = ("NEW.\(connection)", "OLD.\(connection)")
    let charge = """
      INSERT INTO peer_state (connection_id, kind, row_count, byte_count)
            VALUES (\(new), \(kind("NEW")), 1, \(bytes("NEW")))
            ON CONFLICT DO UPDATE SET row_count = row_count + 1, byte_count = byte_count + excluded.byte_count;
      """
    let release = """
      UPDATE peer_state SET row_count = row_count - 1, byte_count = byte_count - (\(bytes("OLD"))),
              is_reported = is_reported AND (row_count > \(half(\.rows, "OLD")) OR byte_count > \(half(\.bytes, "OLD")))
            WHERE connection_id = \(old) AND kind = \(kind("OLD"));
      """
    return """
      CREATE TRIGGER \(name)_state_insert AFTER INSERT ON \(name) WHEN \(new) <> 0 BEGIN
            \(charge)
          END;
          CREATE TRIGGER \(name)_state_delete AFTER DELETE ON \(name) WHEN \(old) <> 0 BEGIN
            \(release)
          END;
          CREATE TRIGGER \(name)_state_release AFTER UPDATE OF \(connection) ON \(name)
          WHEN \(old) <> 0 AND \(new) <> \(old) BEGIN
            \(release)
          END;
          CREATE TRIGGER \(name)_state_charge AFTER UPDATE OF \(connection) ON \(name)
          WHEN \(new) <> 0 AND \(new) <> \(old) BEGIN
            \(charge)
          END;

      """
  }
}
