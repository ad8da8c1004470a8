import AgentStore
import ChatStore
import SQLiteKit
import SimplexCrypto

/// Imports a profile of the reference app: its chat and agent databases become a new pair of ours.
///
/// The original databases are only read, and renamed when the import is complete. Until then there is no new profile:
/// its files get their names together, at the end. After any error everything is as before.
public struct ProfileImport: Sendable {
  /// Where the databases of the reference are: `PREFIX_chat.db` and `PREFIX_agent.db`.
  public var source: String
  /// Where ours go, in the same way; may be the same.
  public var target: String
  /// What the reference's databases are encrypted with; nil for databases in the clear.
  public var sourcePassphrase: SecretBytes?
  /// What ours are encrypted with; nil for databases in the clear.
  public var targetPassphrase: SecretBytes?
  /// Whether to import although something would be lost, see ``ImportReport/losses``.
  public var acceptsLosses = false
  /// Whether the caller holds the lease of the target.
  package var holdsLease = false

  /// The suffix that the names of imported databases get.
  public static let importedSuffix = ".imported"

  /// An import from one prefix to another.
  public init(from source: String, to target: String) {
    self.source = source
    self.target = target
  }

  private var files: SourceFiles { SourceFiles(prefix: source, copyPrefix: target + "_import") }
  private var targetFiles: [String] { SourceFiles.suffixes.map { target + $0 } }

  /// What an import would take, leave and lose. Nothing is changed.
  public func survey() throws(ProfileImportError) -> ImportReport {
    try withLease { () throws(ProfileImportError) in
      defer { files.removeCopies() }
      try files.copy()
      let source = try ProfileSource(files, passphrase: sourcePassphrase)
      return try report(source, try ConnectionSurvey(source))
    }
  }

  /// Imports the profile.
  /// - Parameter progress: called with the number of items in chats that were written, and of all.
  public func run(progress: (Int, Int) -> Void = { _, _ in }) throws(ProfileImportError) -> ImportReport {
    try withLease { () throws(ProfileImportError) in
      let replacement = DatabaseReplacement(of: targetFiles, marker: target + ".replace")
      try database(target) { () throws(SQLFailure) in _ = try replacement.recover() }
      if source != target {
        for file in targetFiles where DatabaseFile.exists(file) { throw .targetExists(file: file) }
      }
      defer {
        files.removeCopies()
        replacement.discardUnlessCommitted()
      }
      try files.copy()
      let note = ImportNote(sourcePrefix: source)
      let fingerprint = try files.fingerprint()
      try note.verify(fingerprint) { $0 + SourceFiles.suffixes[0] }
      let report = try write(progress)
      try note.begin(fingerprint, target: target)
      try database(target) { () throws(SQLFailure) in try replacement.commit(.keep()) }
      try note.finish(fingerprint, target: target)
      try retire()
      return report
    }
  }

  private func report(
    _ source: ProfileSource, _ survey: ConnectionSurvey
  ) throws(ProfileImportError) -> ImportReport {
    var report = try source.remainder()
    report.add(survey.remainder)
    return report
  }

  /// Writes the new databases under names that nobody opens. They are closed when it returns.
  private func write(_ progress: (Int, Int) -> Void) throws(ProfileImportError) -> ImportReport {
    let source = try ProfileSource(files, passphrase: sourcePassphrase)
    let survey = try ConnectionSurvey(source)
    var report = try report(source, survey)
    guard acceptsLosses || report.losses.isEmpty else { throw .wouldLose(report) }
    let names = targetFiles.map(DatabaseReplacement.new)
    for name in names { DatabaseFile.remove(name) }
    let agent = try database(names[1]) { () throws(SQLFailure) in
      try AgentDatabase(path: names[1], passphrase: targetPassphrase, synchronous: .normal)
    }
    var agentImport = AgentImport(source, to: agent, survey: survey)
    try agentImport.run()
    let chat: SQLiteConnection
    do throws(ChatStoreOpenError) {
      chat = try ChatDatabase.makeEmpty(names[0], passphrase: targetPassphrase)
    } catch {
      throw .file("\(names[0]): \(error)")
    }
    let total = try source.chat.count("chat_items")
    var chatImport = ChatImport(source.chat, to: chat, survey: survey, agent: agentImport)
    try chatImport.run { progress($0, total) }
    try database(target) { () throws(SQLFailure) in
      try agent.checkpoint()
      try chat.checkpoint()
    }
    report.add(agentImport.report)
    report.add(chatImport.report)
    return report
  }

  /// Gives the original databases names that the app does not open.
  private func retire() throws(ProfileImportError) {
    for suffix in SourceFiles.suffixes {
      // In the same place they were replaced already.
      let file = source == target ? DatabaseReplacement.backup(target + suffix) : source + suffix
      try database(file) { () throws(SQLFailure) in
        try DatabaseFile.rename(file, to: source + suffix + Self.importedSuffix)
      }
    }
  }

  private func database<Value>(
    _ file: String, _ body: () throws(SQLFailure) -> Value
  ) throws(ProfileImportError) -> Value {
    do throws(SQLFailure) { return try body() } catch { throw .database(file: file, error) }
  }

  private func withLease<Value>(
    _ body: () throws(ProfileImportError) -> Value
  ) throws(ProfileImportError) -> Value {
    if holdsLease { return try body() }
    let lease = DatabaseLease(path: target + ".lock")
    try database(target) { () throws(SQLFailure) in try lease.take() }
    defer { lease.release() }
    return try body()
  }
}
