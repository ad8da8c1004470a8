import SQLiteKit
import SimplexCrypto

/// Both databases of a profile, open for reading.
struct ProfileSource {
  let chat: SourceDatabase
  let agent: SourceDatabase

  /// Opens the databases, or copies of them where there is something to repair.
  /// - Parameters:
  ///   - state: that of the files before they are read.
  ///   - passphrase: what the databases are encrypted with; nil for databases in the clear.
  init(
    _ files: SourceFiles, _ state: SourceFiles.State, passphrase: SecretBytes?
  ) throws(ProfileImportError) {
    func open(_ file: String, _ version: ReferenceVersion) throws(ProfileImportError) -> SourceDatabase {
      let key: DatabaseKey?
      do throws(SQLFailure) {
        key = try passphrase.map { (secret) throws(SQLFailure) in try DatabaseKey(passphrase: secret, forFile: file) }
      } catch {
        throw .database(file: file, error)
      }
      // SQLCipher's log has checksums of encrypted pages: SQLite would take it as empty. The app does not use one.
      guard passphrase == nil || !DatabaseFile.hasContent(file + "-wal") else {
        throw .file("\(file)-wal cannot be read: open \(file) with the program that wrote it, and close it")
      }
      if files.isWhole(file) {
        let source = try SourceDatabase(original: file, key: key, version: version)
        if try source.hasSoundIndexes() { return source }
      }
      return try SourceDatabase(copy: try files.copy(file, state), of: file, key: key, version: version)
    }
    chat = try open(files.chat, .chat)
    agent = try open(files.agent, .agent)
  }

  /// A request that can be accepted although its address was deleted.
  static let requestWithoutAddress = """
    user_contact_link_id IS NULL AND contact_profile_id IS NOT NULL \
    AND NOT EXISTS (SELECT 1 FROM connections c WHERE c.contact_id = contact_requests.contact_id)
    """

  /// Counts what is left whatever connections are like.
  func remainder() throws(ProfileImportError) -> ImportReport {
    var report = ImportReport()
    report.leave(.publicGroups, try chat.count("groups", where: "NOT (\(try ChatImport.takenGroups(chat)))"))
    report.leave(.files, try chat.count("files", where: "chat_item_id IS NULL"))
    report.leave(.transfers, try lostTransfers())
    report.leave(.deletedChunks, try agent.count("deleted_snd_chunk_replicas"))
    report.leave(.requests, try chat.count("contact_requests", where: Self.requestWithoutAddress))
    report.leave(
      .pendingReceipts,
      try agent.count("commands", where: "CAST(command_tag AS TEXT) = 'CLIENT ACK' AND coalesce(failed, 0) = 0"))
    report.leave(
      .pendingGroupMessages,
      try chat.count(
        "pending_group_messages",
        where: "NOT EXISTS (SELECT 1 FROM messages m WHERE m.message_id = pending_group_messages.message_id)"))
    report.leave(.chatRelays, try chat.count("chat_relays", where: "preset = 0"))
    report.leave(.deletedUsers, try agent.count("users", where: "deleted <> 0"))
    if try chat.has("contact_profiles", "badge_proof") {
      report.leave(
        .badgesAndNames,
        try chat.count("contact_profiles", where: "badge_proof IS NOT NULL OR badge_master_key IS NOT NULL"))
    }
    if try chat.has("contact_profiles", "contact_domain") {
      report.leave(.badgesAndNames, try chat.count("contact_profiles", where: "contact_domain IS NOT NULL"))
    }
    return report
  }

  /// How many files the agent is sending that are not sent again.
  private func lostTransfers() throws(ProfileImportError) -> Int {
    guard try agent.has("snd_files") else { return 0 }
    return try agent.count("snd_files", where: ChatImport.beingSent)
      - ChatImport.unfinishedUploads(chat, agent: agent).count
  }
}
