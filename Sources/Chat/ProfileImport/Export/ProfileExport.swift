import AgentStore
import ChatStore
import FileAccess
import SQLiteKit
import SimplexCrypto
import ZipArchive

/// Exports a profile for the reference app: an archive of the form that its apps import, with databases of version
/// ``referenceVersion``.
///
/// Governs: the archive, and the seal of the profile. Does not govern: copies made before the seal, which are not
/// detected. No file gets the path ``archive`` from this export unless both databases are sealed, because keys of
/// messages may be used only once.
///
/// 1. The databases are written beside the profile (`.exported`), then the archive as `ARCHIVE.INODE.unfinished`. The
///    inode of the agent's database distinguishes exports of several profiles to one path. Content and name are
///    flushed.
/// 2. Both databases are sealed durably (``DatabaseSeal``), the agent's first. From the first seal on nobody opens the
///    profile. The seal contains the archive's path and its unfinished path.
/// 3. The archive is renamed to its path.
///
/// After a crash before step 2 the profile is unchanged; an `.unfinished` archive may remain, and the next export to
/// the same path replaces it. After a later crash, ``run(progress:)`` seals and renames what is missing, and does not
/// export again.
public struct ProfileExport: Sendable {
  /// Where our databases are: `PREFIX_chat.db` and `PREFIX_agent.db`.
  public var source: String
  /// The path of the archive.
  public var archive: String
  /// The passphrase of the profile; nil if it is not encrypted.
  public var sourcePassphrase: SecretBytes?
  /// The passphrase of the databases in the archive; nil to leave them unencrypted.
  public var targetPassphrase: SecretBytes?
  /// Whether to export although something would be lost, see ``ImportReport/losses``.
  public var acceptsLosses = false
  /// Folders whose files, but not subfolders, go into the archive, with their names in it.
  public var folders: [(path: String, name: String)] = []
  /// The time of the export in seconds since 1970.
  var time: Int64

  /// The version of the reference app that the archive is for; later ones upgrade it.
  public static let referenceVersion = "7.0"
  /// The names of the databases in the archive.
  private static let names = ["simplex_v1_chat.db", "simplex_v1_agent.db"]
  /// The name of the folder of files in the archive.
  public static let filesFolder = "simplex_v1_files"

  /// Called before each step with its name; for tests of crashes, where it throws.
  var reach: @Sendable (String) throws(ProfileImportError) -> Void = { _ in }

  /// An export of the profile with a prefix.
  public init(from source: String, to archive: String, time: Int64) {
    (self.source, self.archive, self.time) = (source, archive, time)
  }

  private var files: [String] { SourceFiles.suffixes.map { source + $0 } }
  /// Under the names that a core removes when it opens the profile.
  private var written: [String] { files.map { $0 + ".exported" } }
  private var unfinished: String {
    "\(DatabaseFile.absolute(archive)).\(DatabaseFile.number(files[1]) ?? 0).unfinished"
  }

  /// What an export would lose and skip. Nothing is changed; what is taken is not counted.
  public func survey() throws(ProfileImportError) -> ImportReport {
    try withLease { () throws(ProfileImportError) in
      defer { removeWritten() }
      if let seal = try anySeal() { throw .exportedBefore(to: seal.destination, day: seal.day) }
      return try write(isSurvey: true) { _, _ in }.remainder
    }
  }

  /// Exports the profile, or finishes an export that was interrupted after the profile was sealed.
  /// - Parameter progress: called with the number of items in chats that were written, and of all.
  public func run(progress: (Int, Int) -> Void = { _, _ in }) throws(ProfileImportError) -> ImportReport {
    try withLease { () throws(ProfileImportError) in
      defer {
        removeWritten()
        LocalFiles.removeFile(unfinished + ".new")
      }
      if let seal = try anySeal() { return try resume(seal) }
      guard !DatabaseFile.exists(archive) else { throw .file("there is a file already: \(archive)") }
      for folder in folders where Folder.names(in: folder.path) == nil {
        throw .file("there is no folder \(folder.path)")
      }
      let report = try write(isSurvey: false, progress)
      try reach("archive")
      do throws(ProfileImportError) { try writeArchive() } catch {
        LocalFiles.removeFile(unfinished)
        throw error
      }
      try reach("seal")
      let seal = DatabaseSeal(destination: DatabaseFile.absolute(archive), time: time, note: unfinished)
      do throws(ProfileImportError) { try finish(seal) } catch { throw failure(error) }
      return report
    }
  }

  // MARK: Sealing

  private func key(_ file: String) throws(ProfileImportError) -> DatabaseKey? {
    try database(file) { () throws(SQLFailure) in
      try sourcePassphrase.map { (secret) throws(SQLFailure) in try DatabaseKey(passphrase: secret, forFile: file) }
    }
  }

  /// The seal of the chat's database (0) or the agent's (1); nil for one in use.
  private func seal(of index: Int) throws(ProfileImportError) -> DatabaseSeal? {
    let file = files[index]
    guard DatabaseFile.hasContent(file) else { throw .missing(file: file) }
    let key = try key(file)
    do throws(SQLFailure) { return try DatabaseSeal.read(file, key: key) } catch {
      if error.kind == .notADatabase { throw .notADatabase(file: file) }
      throw .database(file: file, error)
    }
  }

  /// The seal of the profile, which may be half sealed.
  private func anySeal() throws(ProfileImportError) -> DatabaseSeal? {
    if let seal = try seal(of: 1) { return seal }
    return try seal(of: 0)
  }

  /// What is reported where sealing failed: the profile is as it was, and its archive removed, or only the end is
  /// missing.
  private func failure(_ error: ProfileImportError) -> ProfileImportError {
    var isUnsealed = false
    do throws(ProfileImportError) { isUnsealed = try anySeal() == nil } catch {}
    guard isUnsealed else { return .sealed(archive: unfinished, reason: "\(error)") }
    LocalFiles.removeFile(unfinished)
    return error
  }

  /// Seals what is not, and gives the archive its name.
  private func finish(_ seal: DatabaseSeal) throws(ProfileImportError) {
    // It may be the archive of another profile, and its only copy.
    guard !DatabaseFile.exists(seal.destination) else {
      throw .file("there is a file already: \(seal.destination); move it elsewhere")
    }
    for index in [1, 0] where try self.seal(of: index) == nil {
      let key = try key(files[index])
      try database(files[index]) { () throws(SQLFailure) in try seal.apply(to: files[index], key: key) }
      try reach(index == 1 ? "second seal" : "name")
    }
    try database(seal.destination) { () throws(SQLFailure) in
      try DatabaseFile.rename(seal.note, to: seal.destination)
    }
  }

  /// Finishes an export that was interrupted when its archive was whole.
  private func resume(_ seal: DatabaseSeal) throws(ProfileImportError) -> ImportReport {
    guard DatabaseFile.exists(seal.note) else { throw .exportedBefore(to: seal.destination, day: seal.day) }
    do throws(ProfileImportError) { try finish(seal) } catch { throw .sealed(archive: seal.note, reason: "\(error)") }
    var report = ImportReport()
    report.isResumed = true
    report.archive = seal.destination
    return report
  }

  // MARK: Writing

  /// Writes the databases under names that nobody opens.
  /// - Parameter isSurvey: whether only a report is wanted, for which the agent's suffices.
  private func write(
    isSurvey: Bool, _ progress: (Int, Int) -> Void
  ) throws(ProfileImportError) -> ImportReport {
    for file in files where !DatabaseFile.hasContent(file) { throw .missing(file: file) }
    let chat: SQLiteConnection
    do throws(ChatStoreOpenError) {
      chat = try ChatDatabase.openRows(files[0], passphrase: sourcePassphrase)
    } catch {
      throw Self.failure(error)
    }
    let isDeletingUser = try database(files[0]) { () throws(SQLFailure) in
      try chat.first("SELECT 1 FROM jobs WHERE kind = ?", ChatJob.Kind.user.rawValue) { _ in true } ?? false
    }
    // What is left of the user belongs to nobody, and the reference has no place for it.
    guard !isDeletingUser else {
      throw .file("a user in \(files[0]) is being deleted: start simplex-chat until that is done")
    }
    let agent = try database(files[1]) { () throws(SQLFailure) in
      try AgentDatabase(path: files[1], passphrase: sourcePassphrase)
    }
    let now = ReferenceTime.text(milliseconds: time.multipliedReportingOverflow(by: 1_000).partialValue)
    let agentTarget = try ReferenceDatabase(
      path: written[1], passphrase: targetPassphrase,
      schema: ReferenceSchema.agentTables + ReferenceSchema.agentIndexes, migrations: KnownMigrations.agent, time: now)
    let survey = try ExportSurvey(chat)
    var agentExport = AgentExport(agent, to: agentTarget, survey: survey, now: now)
    agentExport.report = try ExportRemainder(chat: chat, agent: agent, survey: survey).report()
    try agentExport.run()
    if isSurvey { return agentExport.report }
    guard acceptsLosses || agentExport.report.losses.isEmpty else { throw .wouldLose(agentExport.report.remainder) }
    let chatTarget = try ReferenceDatabase(
      path: written[0], passphrase: targetPassphrase,
      schema: ReferenceSchema.chatTables + ReferenceSchema.furtherChatTables + ReferenceSchema.chatIndexes,
      migrations: KnownMigrations.exportedChat, time: now)
    var chatExport = ChatExport(
      source: chat, target: chatTarget, connections: agentExport.taken, sent: agentExport.sent, now: now)
    let total = try chatExport.count("items")
    try chatExport.run { progress($0, total) }
    var report = agentExport.report
    report.add(chatExport.report)
    var foreign = ForeignExport(source: chat)
    try foreign.write(.chat, to: chatTarget)
    try foreign.write(.agent, to: agentTarget)
    report.add(foreign.report)
    guard acceptsLosses || report.losses.isEmpty else { throw .wouldLose(report.remainder) }
    return report
  }

  private static func failure(_ error: ChatStoreOpenError) -> ProfileImportError {
    switch error {
    case .notADatabase(let file): .notADatabase(file: file)
    case .foreign(let file, .withMigrations): .notOurs(file: file)
    case .needsUpgrade(let file, _): .file("\(file) was written by an older version: start simplex-chat once")
    default: .file("\(error)")
    }
  }

  /// Puts the databases and files into the archive, durably, under the name that is not its own.
  private func writeArchive() throws(ProfileImportError) {
    let path = unfinished + ".new"
    do throws(ZipError) {
      var output = try ZipWriter(path: path)
      for (file, name) in zip(written, Self.names) { try output.add(name, file: file, compresses: true) }
      // The folder may be that of the profile or of the archive.
      let own = Set(([path] + files + written).compactMap(DatabaseFile.identity))
      for folder in folders {
        for name in LocalFiles.names(in: folder.path) {
          let file = "\(folder.path)/\(name)"
          if let identity = DatabaseFile.identity(file), own.contains(identity) { continue }
          try output.add("\(folder.name)/\(name)", file: file, compresses: true)
        }
      }
      try output.finish()
    } catch {
      throw .file(error.description)
    }
    // With its name: nothing else is left of the profile once it is sealed.
    try database(unfinished) { () throws(SQLFailure) in
      try DatabaseFile.rename(path, to: unfinished)
      try DatabaseFile.synchronizeName(of: unfinished)
    }
  }

  private func removeWritten() { for file in written { DatabaseFile.remove(file) } }

  private func database<Value>(
    _ file: String, _ body: () throws(SQLFailure) -> Value
  ) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body() } catch { throw .database(file: file, error) }
  }

  private func withLease<Value>(_ body: () throws(ProfileImportError) -> Value) throws(ProfileImportError) -> Value {
    let lease = DatabaseLease(path: source + ".lock")
    try database(source) { () throws(SQLFailure) in try lease.take() }
    defer { lease.release() }
    let replacement = DatabaseReplacement(of: files.reversed(), marker: source + ".replace")
    try database(source) { () throws(SQLFailure) in _ = try replacement.recover() }
    for file in files {
      let key = try DatabaseFile.exists(file + "-journal") ? key(file) : nil
      try database(file) { () throws(SQLFailure) in try DatabaseSeal.rollBackUnfinished(file, key: key) }
    }
    return try body()
  }
}
