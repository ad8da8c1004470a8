import Foundation
import SQLiteKit
import Testing
import ZipArchive

@testable import ProfileImport

/// Situations in which an export must neither lose a profile nor fail.
@Suite struct ExportFaultTests {
  /// Two profiles are exported to one path: neither takes the archive of the other, which is all that is left of it.
  @Test func anArchiveOfAnotherProfileStays() throws {
    let (alice, bob) = (try ExportedProfile(), try ExportedProfile())
    var killed = alice.makeExport()
    killed.reach = { (step) throws(ProfileImportError) in
      if step == "name" { throw .file("killed") }
    }
    #expect(throws: ProfileImportError.self) { try killed.run() }
    var other = bob.makeExport()
    other.archive = alice.archive
    _ = try other.run()
    let archived = try Data(contentsOf: URL(filePath: alice.archive))
    // The sealed profile waits until there is a place for its archive, and says so.
    let error = #expect(throws: ProfileImportError.self) { try alice.makeExport().run() }
    guard case .sealed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: alice.archive)) == archived)
    // Nor does an import take the place of a profile whose archive has no name yet.
    let importing = ProfileImport(from: bob.returned, to: alice.profile.target)
    try ZipReader(path: alice.archive).extractAll(to: bob.profile.folder)
    #expect(throws: ProfileImportError.targetExists(file: alice.profile.target + "_chat.db")) { try importing.run() }
    try FileManager.default.removeItem(atPath: alice.archive)
    let report = try alice.makeExport().run()
    #expect(report.isResumed && report.archive == alice.archive)
    try alice.extract()
    _ = try alice.importReturned()
  }

  /// Peers choose for how long messages are kept, and relays when they came.
  @Test(arguments: ["9000000000000000000", "-9000000000000000000", "253402300800000000"])
  func timesOutsideOfCalendarsAreTaken(_ time: String) throws {
    let exported = try ExportedProfile()
    try exported.changeChat("UPDATE items SET delete_at = \(time), item_ts = \(time)")
    #expect(try exported.makeExport().run().taken[.messages] == 39)
    try exported.extract()
    _ = try exported.importReturned()
  }

  /// A contact repeats the identifier of the user's message: both messages are taken.
  @Test func repeatedIdentifiersLoseNoMessage() throws {
    let exported = try ExportedProfile()
    try exported.changeChat(
      """
      UPDATE items SET shared_id = (SELECT min(m.shared_id) FROM items m WHERE m.chat_id = items.chat_id AND m.sent = 1)
      WHERE item_id IN (SELECT max(i.item_id) FROM items i JOIN chats h ON h.chat_id = i.chat_id
      WHERE h.kind = 0 AND i.sent = 0 AND i.shared_id IS NOT NULL AND EXISTS (SELECT 1 FROM items m
      WHERE m.chat_id = i.chat_id AND m.sent = 1 AND m.shared_id IS NOT NULL) GROUP BY i.chat_id)
      """)
    let report = try exported.makeExport().run()
    #expect(report.taken[.messages] == 39 && report.left[.duplicates, default: 0] == 0)
    try exported.extract()
    _ = try exported.importReturned()
  }

  /// The folder of files may be where the profile and the archive are.
  @Test func theArchiveDoesNotHoldItselfNorTheProfile() throws {
    let exported = try ExportedProfile()
    try Data("a file".utf8).write(to: exported.profile.folder.appending(path: "photo.jpg"))
    var export = exported.makeExport()
    export.folders = [(exported.profile.folder.path, ProfileExport.filesFolder)]
    _ = try export.run()
    let names = try ZipReader(path: exported.archive).entries.map(\.name)
    #expect(names.contains("simplex_v1_files/photo.jpg"))
    let own = (exported.profile.target as NSString).lastPathComponent
    for name in ["\(own)_chat.db", "\(own)_agent.db", "\(own)_chat.db.exported", "archive.zip"] {
      #expect(!names.contains("simplex_v1_files/\(name)"), "\(names)")
    }
  }

  /// A mistyped folder does not seal a profile without its files.
  @Test func aMissingFolderIsAnError() throws {
    let exported = try ExportedProfile()
    var export = exported.makeExport()
    export.folders = [(exported.profile.folder.path + "/nowhere", ProfileExport.filesFolder)]
    #expect(throws: ProfileImportError.file("there is no folder \(exported.profile.folder.path)/nowhere")) {
      try export.run()
    }
    _ = try exported.makeExport().run()
  }
}

extension ZipReader {
  fileprivate func extractAll(to folder: URL) throws {
    for entry in entries { try extract(entry, to: folder.appending(path: entry.name).path) }
  }
}
