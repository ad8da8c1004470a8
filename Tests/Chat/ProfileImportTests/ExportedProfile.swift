import AgentStore
import ChatStore
import Foundation
import SQLiteKit
import SimplexCrypto
import ZipArchive

@testable import ProfileImport

/// The golden profile, imported, for exports of it; alice's profile of ours is at `profile.target`.
struct ExportedProfile {
  let profile: ReferenceProfile
  var archive: String { profile.folder.appending(path: "archive.zip").path }
  /// Where the databases of the archive are put.
  var returned: String { profile.folder.appending(path: "simplex_v1").path }

  /// Imports a golden profile after changes of its databases.
  init(
    _ vectors: String = "reference-profile", chat: String = "", agent: String = "", passphrase: String? = nil
  ) throws {
    profile = try ReferenceProfile(vectors)
    if !chat.isEmpty { try profile.changeChat(chat) }
    if !agent.isEmpty { try profile.changeAgent(agent) }
    var importing = profile.makeImport()
    importing.targetPassphrase = passphrase.map { SecretBytes(Array($0.utf8)) }
    _ = try importing.run()
  }

  func makeExport() -> ProfileExport {
    ProfileExport(from: profile.target, to: archive, time: 1_795_000_000)
  }

  /// Takes the archive apart.
  func extract() throws {
    let zip = try ZipReader(path: archive)
    for entry in zip.entries { try zip.extract(entry, to: profile.folder.appending(path: entry.name).path) }
  }

  /// Imports what is in the archive to another place, and returns that.
  func importReturned() throws -> String {
    let target = profile.folder.appending(path: "again").path
    var importing = ProfileImport(from: returned, to: target)
    importing.acceptsLosses = true
    _ = try importing.run()
    return target
  }

  /// Changes our chat database.
  func changeChat(_ sql: String) throws { try SQLiteConnection(path: profile.target + "_chat.db").runScript(sql) }

  /// Changes our agent's database.
  func changeAgent(_ sql: String) throws { try SQLiteConnection(path: profile.target + "_agent.db").runScript(sql) }
}

/// All rows of a database by table, each as text, in order.
func rows(of path: String) throws -> [String: [String]] {
  let connection = try SQLiteConnection(path: path)
  let tables = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
    (row) throws(SQLiteKit.SQLiteError) in try row.text(0)
  }
  var result: [String: [String]] = [:]
  for table in tables {
    let names = try connection.columns(of: table)
    var texts: [String] = []
    try connection.forEach("SELECT * FROM \(table)") { (row) throws(SQLiteKit.SQLiteError) in
      var parts: [String] = []
      for (index, name) in names.enumerated() { parts.append("\(name)=\(try row.value(index))") }
      texts.append(parts.joined(separator: " "))
    }
    result[table] = texts.sorted()
  }
  return result
}
