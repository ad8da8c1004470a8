import AgentStore
import ChatStore
import SQLiteKit
import SimplexCrypto

/// Imports a profile of the reference app: its chat and agent databases become a new pair of ours.
///
/// The original databases are only read, and renamed when the import is complete. Until then there is no new profile:
/// its files get their names together, at the end. After any error everything is as before, except for
/// ``ProfileImportError/notRetired(target:reason:)`` and ``ProfileImportError/notNoted(target:reason:)``.
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

  /// Called when the new databases have their names; for tests of what happens then.
  var committed: @Sendable () throws(ProfileImportError) -> Void = {}
  /// Called when they are written and have not; for tests.
  var written: @Sendable () -> Void = {}

  /// An import from one prefix to another.
  public init(from source: String, to target: String) {
    self.source = source
    self.target = target
  }

  private var files: SourceFiles { SourceFiles(prefix: source, target: target) }
  private var targetFiles: [String] { SourceFiles.suffixes.map { target + $0 } }
  /// The agent's files come first: with the old one the app could break the encryption.
  private var replacement: DatabaseReplacement {
    DatabaseReplacement(of: targetFiles.reversed(), marker: target + ".replace")
  }

  /// What an import would leave and lose. It is written and removed again: only so is every value looked at. What is
  /// taken is counted by ``run(progress:)``. If an import to this place was interrupted when its databases were
  /// complete, they get their names first.
  /// - Parameter progress: called with the number of items in chats that were read, and of all.
  public func survey(progress: (Int, Int) -> Void = { _, _ in }) throws(ProfileImportError) -> ImportReport {
    try withLease { () throws(ProfileImportError) in
      try database(target) { () throws(SQLFailure) in _ = try replacement.recover() }
      defer {
        files.removeCopies()
        replacement.discardUnlessCommitted()
      }
      let state = try files.begin()
      let report = try files.reading(state) { () throws(ProfileImportError) in
        try write(state, acceptsLosses: true, progress: progress)
      }
      try files.verify(state)
      return report.remainder
    }
  }

  /// Imports the profile, or finishes an import of it that was interrupted after its databases were in place.
  /// - Parameter progress: called with the number of items in chats that were written, and of all.
  public func run(progress: (Int, Int) -> Void = { _, _ in }) throws(ProfileImportError) -> ImportReport {
    try withLease { () throws(ProfileImportError) in
      try database(target) { () throws(SQLFailure) in _ = try replacement.recover() }
      let note = ImportNote(sourcePrefix: source)
      let place = DatabaseFile.absolute(target)
      if let begun = try note.unfinished(at: place), try isInPlace(begun) { return try resume(begun, note) }
      try verifyTarget()
      defer {
        files.removeCopies()
        replacement.discardUnlessCommitted()
      }
      let state = try files.begin()
      let fingerprint = try files.fingerprint()
      try note.verify(fingerprint, to: place) { $0 + SourceFiles.suffixes[1] }
      // This state was imported here before, and that profile was used and exported since.
      if source != target, let begun = try note.unfinished(at: place), begun.fingerprint == fingerprint,
        begun.file != 0,
        DatabaseFile.number(targetFiles[1]) == begun.file
      {
        throw .importedBefore(to: target)
      }
      var report = try files.reading(state) { () throws(ProfileImportError) in
        try write(state, fingerprint: fingerprint, acceptsLosses: acceptsLosses, progress: progress)
      }
      written()
      // Takes long where they are large, and what the app writes after the check would be lost.
      try database(target) { () throws(SQLFailure) in try replacement.synchronizeNew() }
      try files.verify(state)
      let entry = ImportNote.Entry(
        word: .begun, fingerprint: fingerprint,
        file: DatabaseFile.number(DatabaseReplacement.new(targetFiles[1])) ?? 0,
        suffix: DatabaseFile.freeSuffix(Self.importedSuffix, of: files.all), target: place)
      try note.add(entry)
      if source != target { try ImportNote.markUnfinished(target, from: source, file: entry.file) }
      try commit(suffix: entry.suffix)
      try committed()
      try finish(entry, note) { () throws(ProfileImportError) in
        if source != target { try files.verify(state) }
      }
      report.suffix = entry.suffix
      return report
    }
  }

  /// Notes that an import in its place is complete, if its databases have their names and the program ended before it
  /// noted that.
  package func noteRecovered() throws(ProfileImportError) {
    let note = ImportNote(sourcePrefix: source)
    guard source == target, var begun = try note.unfinished(at: DatabaseFile.absolute(target)), try isInPlace(begun)
    else { return }
    begun.word = .imported
    try note.add(begun)
  }

  /// Whether the databases of an import that was begun have their names. A file that was written later may have the
  /// number of one that was removed, but not what the import left in it.
  private func isInPlace(_ begun: ImportNote.Entry) throws(ProfileImportError) -> Bool {
    guard begun.file != 0, DatabaseFile.number(targetFiles[1]) == begun.file else { return false }
    return try database(targetFiles[1]) { () throws(SQLFailure) in
      do throws(SQLFailure) {
        let agent = try AgentDatabase(path: targetFiles[1], passphrase: targetPassphrase)
        return try agent.setting(Self.origin) == begun.origin
      } catch {
        // In the same place it is still the original.
        if case .foreign = error.kind { return false }
        if error.kind == .notADatabase, source == target { return false }
        throw error
      }
    }
  }

  /// The name of the setting by which the agent's database is known as that of an import.
  private static let origin = "imported"

  /// Throws unless there is a place for the new databases.
  private func verifyTarget() throws(ProfileImportError) {
    guard source != target else { return }
    for (original, file) in zip(files.all, targetFiles) {
      guard let number = DatabaseFile.stamp(file)?.prefix(2) else { continue }
      if number == DatabaseFile.stamp(original)?.prefix(2) { throw .sameFiles(source: source, target: target) }
      guard try isSealed(file) else { throw .targetExists(file: file) }
    }
  }

  /// Whether a file is one of a profile that was exported. An import takes its place: that is how a profile comes back.
  private func isSealed(_ file: String) throws(ProfileImportError) -> Bool {
    do throws(SQLFailure) {
      let key = try targetPassphrase.map { (secret) throws(SQLFailure) in
        try DatabaseKey(passphrase: secret, forFile: file)
      }
      guard let seal = try DatabaseSeal.read(file, key: key) else { return false }
      // Otherwise its export has to be finished first: only the seal tells where the archive is.
      return !DatabaseFile.exists(seal.note)
    } catch {
      return false
    }
  }

  /// Gives the new databases their names; in the same place, the original ones theirs.
  private func commit(suffix: String) throws(ProfileImportError) {
    do throws(SQLFailure) {
      // What is replaced elsewhere is a profile that was exported, which goes as originals of imports do.
      let sealed = DatabaseFile.freeSuffix(Self.importedSuffix, of: targetFiles)
      try replacement.commit(.keep(suffix: source == target ? suffix : sealed))
    } catch {
      guard replacement.isCommitted else { throw .database(file: target, error) }
      throw .notRetired(target: target, reason: error.message)
    }
  }

  /// Finishes an import whose databases are in place.
  private func resume(_ begun: ImportNote.Entry, _ note: ImportNote) throws(ProfileImportError) -> ImportReport {
    try finish(begun, note) { () throws(ProfileImportError) in
      guard source != target, DatabaseFile.exists(files.agent) else { return }
      guard try files.fingerprint() == begun.fingerprint else { throw .inUse(file: files.agent) }
    }
    var report = ImportReport()
    report.isResumed = true
    report.suffix = begun.suffix
    return report
  }

  /// Gives the original databases names that the app does not open, the agent's first, and notes that this is done.
  /// - Parameter verify: throws if the originals are not what was imported.
  private func finish(
    _ entry: ImportNote.Entry, _ note: ImportNote, verify: () throws(ProfileImportError) -> Void
  ) throws(ProfileImportError) {
    do throws(ProfileImportError) {
      try verify()
      // In the same place they were replaced already.
      for file in source == target ? [] : files.all.reversed() {
        try database(file) { () throws(SQLFailure) in try DatabaseFile.rename(file, to: file + entry.suffix) }
      }
    } catch {
      throw .notRetired(target: target, reason: "\(error)")
    }
    var done = entry
    done.word = .imported
    do throws(ProfileImportError) { try note.add(done) } catch {
      throw .notNoted(target: target, reason: "\(error)")
    }
    ImportNote.removeMark(target)
  }

  /// Where the profile with a prefix was imported from, if that import was interrupted before the databases there got
  /// other names: nobody must open them, and importing again finishes it. Nil for other profiles.
  public static func unfinishedSource(of prefix: String) -> String? { ImportNote.unfinishedSource(of: prefix) }

  /// Writes the agent's database, and reports what is taken and left, apart from chats.
  private func importAgent(
    _ source: ProfileSource, to agent: AgentDatabase
  ) throws(ProfileImportError) -> AgentImport {
    var agentImport = AgentImport(source, to: agent, survey: try ConnectionSurvey(source))
    agentImport.report = try source.remainder()
    agentImport.report.add(agentImport.survey.remainder)
    try agentImport.run()
    return agentImport
  }

  /// Writes the new databases under names that nobody opens. They are closed when it returns.
  /// - Parameter fingerprint: what identifies the state; nil where the databases are only surveyed.
  private func write(
    _ state: SourceFiles.State, fingerprint: String? = nil, acceptsLosses: Bool, progress: (Int, Int) -> Void
  ) throws(ProfileImportError) -> ImportReport {
    let source = try ProfileSource(files, state, passphrase: sourcePassphrase)
    let names = targetFiles.map(DatabaseReplacement.new)
    for name in names { DatabaseFile.remove(name) }
    let agent = try database(names[1]) { () throws(SQLFailure) in
      try AgentDatabase(path: names[1], passphrase: targetPassphrase, synchronous: .normal)
    }
    let agentImport = try importAgent(source, to: agent)
    guard acceptsLosses || agentImport.report.losses.isEmpty else { throw .wouldLose(agentImport.report.remainder) }
    let chat: SQLiteConnection
    do throws(ChatStoreOpenError) {
      chat = try ChatDatabase.makeEmpty(names[0], passphrase: targetPassphrase)
    } catch {
      throw .file("\(names[0]): \(error)")
    }
    // In kibibytes: identifiers of messages are random, so that all pages of their indexes are in use.
    try database(names[0]) { () throws(SQLFailure) in try chat.setPragma("cache_size", "-32768") }
    let total = try source.chat.count("chat_items")
    var chatImport = ChatImport(source.chat, to: chat, agent: agentImport)
    try chatImport.run { progress($0, total) }
    var report = agentImport.report
    report.add(chatImport.report)
    guard acceptsLosses || report.losses.isEmpty else { throw .wouldLose(report.remainder) }
    try database(target) { () throws(SQLFailure) in
      if let fingerprint { try agent.setSetting(Self.origin, ImportNote.origin(fingerprint)) }
      try agent.emptyLog()
      try chat.emptyLog()
    }
    return report
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
    // The source's too: two imports of it would make two profiles.
    var leases: [DatabaseLease] = []
    defer { for lease in leases { lease.release() } }
    for prefix in [target, source] {
      // It may be the same under another name.
      guard leases.isEmpty || DatabaseFile.number(source + ".lock") != DatabaseFile.number(target + ".lock") else {
        break
      }
      let lease = DatabaseLease(path: prefix + ".lock")
      try database(prefix) { () throws(SQLFailure) in try lease.take() }
      leases.append(lease)
    }
    return try body()
  }
}
