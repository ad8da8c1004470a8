import ChatStore
import FileAccess
import Foundation
import SQLiteKit
import SimplexCrypto
import Testing

@testable import ProfileImport

/// What happens to the files of a profile that is imported, whatever goes wrong.
@Suite struct ImportFilesTests {
  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
  private func data(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  private func expectProfile(_ prefix: String) throws {
    let store = try ChatDatabase(path: prefix + "_chat.db")
    #expect(try store.read { try $0.activeUser() }?.localDisplayName == "alice")
    #expect(data(prefix + "_agent.db") != nil)
  }

  // MARK: Names

  /// Whatever the prefixes are, the copies that are read, and removed, are not the originals.
  @Test(arguments: ["_import", "_source", ".source", ""]) func copiesNeverMeetTheOriginals(_ suffix: String) throws {
    let profile = try ReferenceProfile()
    let prefix = suffix.isEmpty ? profile.prefix : profile.target + suffix
    for name in suffix.isEmpty ? [] : ["_chat.db", "_agent.db"] {
      try FileManager.default.moveItem(atPath: profile.prefix + name, toPath: prefix + name)
    }
    let originals = ["_chat.db", "_agent.db"].map { data(prefix + $0) }
    var importing = profile.makeImport()
    importing.source = prefix
    _ = try importing.survey()
    #expect(["_chat.db", "_agent.db"].map { data(prefix + $0) } == originals)
    _ = try importing.run()
    #expect(["_chat.db", "_agent.db"].map { data(prefix + $0 + ".imported") } == originals)
    try expectProfile(profile.target)
  }

  @Test func twoNamesOfTheSameFilesAreRefused() throws {
    let profile = try ReferenceProfile()
    let link = profile.folder.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: profile.folder.path)
    var importing = profile.makeImport()
    importing.target = link + "/reference"
    let chat = data(profile.chat)
    #expect(throws: ProfileImportError.sameFiles(source: profile.prefix, target: importing.target)) {
      try importing.run()
    }
    #expect(data(profile.chat) == chat)
  }

  /// A journal is beside the file that a link names, and so is what the old app would open after the import.
  @Test func linksToDatabasesAreRefused() throws {
    let profile = try ReferenceProfile()
    let links = profile.folder.appending(path: "links").path
    for suffix in ["_chat.db", "_agent.db"] {
      try FileManager.default.createSymbolicLink(
        atPath: links + suffix, withDestinationPath: profile.prefix + suffix)
    }
    var importing = profile.makeImport()
    importing.source = links
    let error = ProfileImportError.link(file: links + "_chat.db", target: RealPath(profile.chat).text)
    #expect(throws: error) { try importing.survey() }
    #expect(throws: error) { try importing.run() }
    #expect(data(profile.target + "_chat.db") == nil)
  }

  @Test func earlierImportsAndBackupsAreKept() throws {
    let profile = try ReferenceProfile()
    let agent = data(profile.agent)
    try "earlier".write(toFile: profile.agent + ".imported", atomically: true, encoding: .utf8)
    try "backup".write(toFile: profile.chat + ".bak", atomically: true, encoding: .utf8)
    var importing = profile.makeImport()
    importing.target = profile.prefix
    _ = try importing.run()
    try expectProfile(profile.prefix)
    #expect(text(profile.agent + ".imported") == "earlier")
    #expect(data(profile.agent + ".imported2") == agent)
    #expect(text(profile.chat + ".bak") == "backup")
    let other = try ReferenceProfile()
    try "earlier".write(toFile: other.chat + ".imported", atomically: true, encoding: .utf8)
    _ = try other.makeImport().run()
    #expect(text(other.chat + ".imported") == "earlier")
    #expect(data(other.agent + ".imported2") == agent)
  }

  /// What the app committed to its log, and did not move into the file, stays with the original.
  @Test func theLogOfTheOriginalIsKept() throws {
    let profile = try ReferenceProfile()
    let connection = try SQLiteConnection(path: profile.agent)
    try connection.useWriteAheadLog(synchronous: .normal)
    try connection.runScript("UPDATE connections SET enable_ntfs = 0")
    let killed = profile.folder.appending(path: "killed").path
    for suffix in ["_chat.db", "_agent.db", "_agent.db-wal"] {
      try FileManager.default.copyItem(atPath: profile.prefix + suffix, toPath: killed + suffix)
    }
    let log = try #require(data(killed + "_agent.db-wal"))
    #expect(!log.isEmpty)
    _ = try ProfileImport(from: killed, to: killed).run()
    try expectProfile(killed)
    #expect(data(killed + "_agent.db.imported-wal") == log)
    #expect(try connection.first("SELECT enable_ntfs FROM connections") { _ in true } == true)
  }

  // MARK: What is read

  /// A copy of a large database takes long, so there is none of one that can be read as it is.
  @Test(arguments: ["", "secret"]) func readsTheOriginals(_ passphrase: String) throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    if !passphrase.isEmpty {
      try profile.encrypt(passphrase)
      importing.sourcePassphrase = SecretBytes(Array(passphrase.utf8))
    }
    let originals = [data(profile.chat), data(profile.agent)]
    importing.written = { [profile] in
      #expect((try? profile.files().keys.contains { $0.contains(".source") }) == false)
    }
    _ = try importing.run()
    try expectProfile(profile.target)
    #expect([profile.chat, profile.agent].map { data($0 + ".imported") } == originals)
  }

  /// What SQLCipher committed to a log is not readable without the program that wrote it.
  @Test func refusesLogsOfEncryptedDatabases() throws {
    let profile = try ReferenceProfile()
    try profile.encrypt("secret")
    try Data("frames".utf8).write(to: URL(filePath: profile.agent + "-wal"))
    let before = try profile.files()
    var importing = profile.makeImport()
    importing.sourcePassphrase = SecretBytes(Array("secret".utf8))
    let error = #expect(throws: ProfileImportError.self) { try importing.run() }
    guard case .file(let reason) = error else { throw Missing() }
    #expect(reason.contains("reference_agent.db-wal"))
    #expect(try profile.files() == before)
  }

  /// An index that does not list the rows of its table would hide them; it is made again, in a copy.
  @Test func readsRowsThatADamagedIndexHides() throws {
    let profile = try ReferenceProfile()
    try profile.changeChat(
      "CREATE INDEX damaged ON group_members (group_id); UPDATE group_members SET group_id = -group_id;")
    // The index does not see how the rows change while it is not in the schema.
    try profile.changeChat(
      """
      PRAGMA writable_schema = ON;
      CREATE TABLE kept AS SELECT * FROM sqlite_master WHERE name = 'damaged';
      DELETE FROM sqlite_master WHERE name = 'damaged';
      """)
    try profile.changeChat("UPDATE group_members SET group_id = -group_id;")
    try profile.changeChat(
      "PRAGMA writable_schema = ON; INSERT INTO sqlite_master SELECT * FROM kept; DROP TABLE kept;")
    let hidden = try SQLiteConnection(path: profile.chat).first(
      "SELECT count(*) FROM group_members WHERE group_id = 1"
    ) { (row) throws(SQLiteKit.SQLiteError) in try row.integer(0) }
    try #require(hidden == 0)
    let original = data(profile.chat)
    let report = try profile.makeImport().run()
    #expect(report.taken[.members] == 3)
    #expect(data(profile.chat + ".imported") == original)
  }

  // MARK: The app writes meanwhile

  @Test(arguments: [false, true]) func nothingIsChangedIfTheAppWroteMeanwhile(_ inPlace: Bool) throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    if inPlace { importing.target = profile.prefix }
    importing.written = { [profile] in try? profile.changeChat("UPDATE users SET active_user = 0;") }
    #expect(throws: ProfileImportError.inUse(file: profile.chat)) { try importing.run() }
    let names = try profile.files().keys.sorted()
    #expect(names == ["reference_agent.db", "reference_chat.db"])
    #expect(try SQLiteConnection(path: profile.chat).first("SELECT active_user FROM users") { _ in true } == true)
  }

  /// The new profile is there then, and must not be used together with the old one.
  @Test func whatTheAppWritesAfterwardsIsNotRenamed() throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    importing.committed = { [profile] in try? profile.changeAgent("UPDATE connections SET last_internal_msg_id = 99;") }
    guard
      case .notRetired(profile.target, _) = #expect(
        throws: ProfileImportError.self,
        performing: {
          try importing.run()
        })
    else { throw Missing() }
    #expect(data(profile.agent) != nil)
    importing.committed = {}
    guard case .notRetired = #expect(throws: ProfileImportError.self, performing: { try importing.run() }) else {
      throw Missing()
    }
  }

  // MARK: Interruptions

  /// A second import finishes what the first one, which was killed, had still to do.
  @Test(arguments: [false, true]) func aKilledImportIsFinished(_ inPlace: Bool) throws {
    let profile = try ReferenceProfile()
    let agent = data(profile.agent)
    var importing = profile.makeImport()
    if inPlace { importing.target = profile.prefix }
    importing.committed = { () throws(ProfileImportError) in throw .file("killed") }
    #expect(throws: ProfileImportError.file("killed")) { try importing.run() }
    importing.committed = {}
    let target = importing.target
    try expectProfile(target)
    // Whoever uses the new databases hears that the old ones still have their names.
    #expect(ProfileImport.unfinishedSource(of: target) == (inPlace ? nil : profile.prefix))
    let report = try importing.run()
    #expect(report.isResumed)
    #expect(ProfileImport.unfinishedSource(of: target) == nil)
    #expect(report.taken.isEmpty)
    #expect(data(profile.agent + ".imported") == agent)
    #expect(data(profile.chat + ".imported") != nil)
    #expect(inPlace || data(profile.agent) == nil)
    try expectProfile(target)
    // It is complete now.
    #expect(throws: ProfileImportError.self) { try importing.run() }
  }

  @Test func anImportWhoseOriginalsCannotBeRenamedIsFinished() throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    let obstacle = profile.chat + ".imported"
    importing.committed = {
      try? FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
    }
    guard
      case .notRetired(profile.target, _) = #expect(
        throws: ProfileImportError.self,
        performing: {
          try importing.run()
        })
    else { throw Missing() }
    // The agent's went first: without it the old app cannot break the encryption.
    #expect(data(profile.agent) == nil)
    #expect(data(profile.chat) != nil)
    try FileManager.default.removeItem(atPath: obstacle)
    importing.committed = {}
    #expect(try importing.run().isResumed)
    #expect(data(profile.chat) == nil)
    #expect(data(obstacle) != nil)
    try expectProfile(profile.target)
  }

  /// One that was killed before its databases had their names is made again, also in the same place.
  @Test(arguments: [false, true]) func anImportThatOnlyBeganIsMadeAgain(_ inPlace: Bool) throws {
    let profile = try ReferenceProfile()
    var importing = profile.makeImport()
    if inPlace { importing.target = profile.prefix }
    let files = SourceFiles(prefix: profile.prefix, target: importing.target)
    let fingerprint = try files.fingerprint()
    // Even if a file that was there before has the number of the one that was removed.
    let number = inPlace ? try #require(DatabaseFile.number(profile.agent)) : 1
    try ImportNote(sourcePrefix: profile.prefix).add(
      ImportNote.Entry(
        word: .begun, fingerprint: fingerprint, file: number, suffix: ".imported", target: importing.target))
    let report = try importing.run()
    #expect(!report.isResumed)
    #expect(report.taken[.messages] == 39)
    try expectProfile(importing.target)
  }

  /// The note names the place from the root, so that it is found from any folder.
  @Test func theNoteIsAbsolute() throws {
    let profile = try ReferenceProfile()
    _ = try profile.makeImport().run()
    let note = try #require(text(profile.prefix + "_imported.txt"))
    #expect(note.split(separator: "\n").map { $0.split(separator: " ").first } == ["begun", "imported"])
    #expect(note.hasSuffix(" \(profile.target)\n"))
  }
}

/// What a test needs is not there.
private struct Missing: Error {
  /// A leftover of an import elsewhere that did not end is no reason to refuse.
  @Test func importsElsewhereAfterAnImportInPlaceFailed() throws {
    let profile = try ReferenceProfile()
    let other = profile.folder.appending(path: "other").path
    var first = profile.makeImport()
    first.target = profile.prefix
    first.written = {
      try? FileManager.default.createDirectory(
        atPath: profile.prefix + ".replace.new", withIntermediateDirectories: true)
    }
    #expect(throws: ProfileImportError.self) { try first.run() }
    try? FileManager.default.removeItem(atPath: profile.prefix + ".replace.new")
    var second = profile.makeImport()
    second.target = other
    #expect(try second.run().taken[.contacts] == 4)
  }
}
