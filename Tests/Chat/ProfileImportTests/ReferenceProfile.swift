import Foundation
import ProfileImport
import SQLiteKit
import SimplexCrypto
import SimplexTesting

/// A copy of a golden profile in a folder of its own. `reference-profile` is alice, who has talked to bob and cath, has
/// an address, a group, an invitation that nobody joined, notes and a list of chats. `reference-handshakes` is an alice
/// whose connections and messages are under way.
final class ReferenceProfile: Sendable {
  let folder: URL
  var prefix: String { folder.appending(path: "reference").path }
  var target: String { folder.appending(path: "ours").path }
  var chat: String { prefix + "_chat.db" }
  var agent: String { prefix + "_agent.db" }

  init(_ vectors: String = "reference-profile") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "profile-import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.build("\(vectors)/alice_chat", at: chat)
    try Self.build("\(vectors)/alice_agent", at: agent)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static func build(_ name: String, at path: String) throws {
    let script = try String(
      contentsOf: Vectors.folder.appending(path: "\(name).sql"), encoding: .utf8)
    let connection = try SQLiteConnection(path: path)
    try connection.runScript("BEGIN;\n" + script + "COMMIT;")
  }

  /// Changes the chat database.
  func changeChat(_ sql: String) throws { try SQLiteConnection(path: chat).runScript(sql) }

  /// Changes the agent's database.
  func changeAgent(_ sql: String) throws { try SQLiteConnection(path: agent).runScript(sql) }

  /// Replaces both databases by encrypted copies.
  func encrypt(_ passphrase: String) throws {
    for path in [chat, agent] {
      let connection = try SQLiteConnection(path: path)
      let copy = path + ".encrypted"
      let key = try DatabaseKey(passphrase: SecretBytes(Array(passphrase.utf8)), forFile: copy)
      try connection.export(to: copy, key: key)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: copy, toPath: path)
    }
  }

  /// An import that leaves what is not supported.
  func makeImport() -> ProfileImport {
    var profile = ProfileImport(from: prefix, to: target)
    profile.acceptsLosses = true
    return profile
  }

  /// The names and contents of all files but locks.
  func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix(".lock") {
      files[name] = try Data(contentsOf: folder.appending(path: name))
    }
    return files
  }

  /// The values of a query on the original databases, by column.
  func agentRow(_ sql: String) throws -> [String: SQLiteValue] {
    let path = FileManager.default.fileExists(atPath: agent) ? agent : agent + ProfileImport.importedSuffix
    let connection = try SQLiteConnection(path: path)
    var row: [String: SQLiteValue] = [:]
    let table = sql.split(separator: " ").first.map(String.init) ?? ""
    let names = try connection.columns(of: table)
    try connection.forEach("SELECT * FROM \(sql)") { (found) throws(SQLiteKit.SQLiteError) in
      for (index, name) in names.enumerated() { row[name] = try found.value(index) }
    }
    return row
  }
}
