import AgentStore
import SQLiteKit

/// What an export leaves whatever connections are like; see `ProfileSource.remainder`.
struct ExportRemainder {
  let chat: SQLiteConnection
  let agent: AgentDatabase
  let survey: ExportSurvey

  func report() throws(ProfileImportError) -> ImportReport {
    var report = ImportReport()
    do throws(SQLFailure) {
      try addChat(to: &report)
      try addAgent(to: &report)
      report.leave(.missingConnections, try survey.missing(agent))
    } catch {
      throw .database(file: "agent", error)
    }
    return report
  }

  private func addChat(to report: inout ImportReport) throws(SQLFailure) {
    report.leave(.publicGroups, try count(chat, "groups g WHERE NOT (\(ChatExport.takenGroups))"))
    report.leave(.pendingGroupMessages, try count(chat, "pending_messages WHERE is_held <> 0"))
    report.leave(.agentCommands, try count(chat, "agent_commands") + count(chat, "jobs"))
    report.leave(
      .earlyEvents,
      try count(chat, "early_descriptions") + count(chat, "early_decisions") + count(chat, "kept_messages"))
    report.leave(.chatRelays, try count(chat, "chat_relays WHERE preset = 0"))
    report.leave(
      .badgesAndNames,
      try count(chat, "profiles WHERE badge IS NOT NULL OR local_badge IS NOT NULL OR domain IS NOT NULL"))
  }

  private func addAgent(to report: inout ImportReport) throws(SQLFailure) {
    let rows = agent.database
    let handled = try chat.first("SELECT max(last_event_id) FROM handled_events") { (row) throws(SQLFailure) in
      try row.optionalInteger(0)
    }
    report.leave(.agentCommands, try count(rows, "events WHERE id > \((handled ?? nil) ?? 0)"))
    report.leave(.transfers, try count(rows, "sent_files WHERE status < 3"))
    report.leave(.deletedChunks, try count(rows, "chunk_deletions"))
    // The reference has no place for a key without the key of the link or a connection.
    report.leave(
      .failedAttempts,
      try count(
        rows, "invitation_links WHERE length(link_key) = 0 AND sender_id NOT IN (SELECT sender_id FROM send_queues)"))
    report.leave(.deletedUsers, try count(rows, "users WHERE is_deleted <> 0"))
    let held = "received_messages m JOIN connections n ON n.number = m.connection WHERE n.deletion = 0 AND m.kind"
    report.leave(.incomingMessages, try count(rows, "\(held) <> 2"))
    report.leave(.pendingReceipts, try count(rows, "\(held) = 2"))
  }

  private func count(_ connection: SQLiteConnection, _ from: String) throws(SQLFailure) -> Int {
    try connection.first("SELECT count(*) FROM \(from)") { (row) throws(SQLFailure) in
      Int(clamping: try row.integer(0))
    } ?? 0
  }
}
