import Foundation
import ProfileImport
import ProgramSupport
import SQLiteKit
import ZipArchive

/// A large profile of the reference, in the clear, becomes ours.
///
/// The golden profile of the tests is imported and exported, which gives it the reference's whole schema with its
/// indexes; then messages are added. `SIMPLEX_BENCH_MESSAGES` sets how many (default: 400,000, about 750 MB).
@Sendable func importSuite(_ bench: Bench) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "import-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let count = ProcessInfo.processInfo.environment["SIMPLEX_BENCH_MESSAGES"].flatMap(Int.init) ?? 400_000
  let source = try LargeProfile(in: folder)
  try source.addMessages(count)
  let size = try source.size()
  var profile = ProfileImport(from: source.prefix, to: folder.appending(path: "ours").path)
  profile.acceptsLosses = true
  let usage = { ProcessUsage(of: getpid()) }
  let before = usage()
  var most = before?.residentBytes ?? 0
  let time = try ContinuousClock().measure {
    _ = try profile.run { _, _ in most = max(most, usage()?.residentBytes ?? 0) }
  }
  let processor = (usage()?.processorSeconds ?? 0) - (before?.processorSeconds ?? 0)
  let megabytes = Double(size) / 1e6
  bench.record(
    "profile of \(count) messages", megabytes / time.inSeconds, unit: "MB/s", goal: 50,
    note: "\(Int(megabytes)) MB in \(Int(time.inSeconds)) s")
  bench.record("processor time for each message", processor / Double(count) * 1e6, unit: "µs")
  bench.record(
    "growth of the resident memory", (most - (before?.residentBytes ?? 0)) / 1e6, unit: "MB", lessIsBetter: true)
}

/// The golden profile with the schema of an export.
private struct LargeProfile {
  let prefix: String

  /// Makes it from `Tests/Vectors`, so that it is run in the folder of the package.
  init(in folder: URL) throws {
    let golden = folder.appending(path: "golden").path
    for name in ["chat", "agent"] {
      let script = try String(contentsOfFile: "Tests/Vectors/reference-profile/alice_\(name).sql", encoding: .utf8)
      try SQLiteConnection(path: "\(golden)_\(name).db").runScript("BEGIN;\n" + script + "COMMIT;")
    }
    let ours = folder.appending(path: "first").path
    var profile = ProfileImport(from: golden, to: ours)
    profile.acceptsLosses = true
    _ = try profile.run()
    let archive = folder.appending(path: "archive.zip").path
    var export = ProfileExport(from: ours, to: archive, time: Int64(Date().timeIntervalSince1970))
    export.acceptsLosses = true
    _ = try export.run()
    let zip = try ZipReader(path: archive)
    for entry in zip.entries { try zip.extract(entry, to: folder.appending(path: entry.name).path) }
    prefix = folder.appending(path: "simplex_v1").path
  }

  /// Adds copies of four messages: sent and received, of a contact and of a group.
  func addMessages(_ count: Int) throws {
    let chat = try SQLiteConnection(path: prefix + "_chat.db")
    try chat.setPragma("synchronous", "OFF")
    let first = 1_000_000
    let body = String(repeating: "words of a message ", count: 10)
    let changed = [
      "chat_item_id": "\(first) + 4 * n.number", "shared_msg_id": "randomblob(12)",
      "item_text": "'\(body)' || n.number", "item_deleted": "0",
      "item_content": "replace(item_content, '\"text\":\"', '\"text\":\"\(body)')",
    ]
    let columns = try chat.columns(of: "chat_items")
    try chat.runScript("BEGIN")
    var place = 0
    for chatColumn in ["contact_id", "group_id"] {
      for tag in ["sndMsgContent", "rcvMsgContent"] {
        let values = columns.map { column in
          let value = changed[column] ?? column
          return column == "chat_item_id" ? "\(value) + \(place)" : value
        }
        try chat.runScript(
          """
          INSERT INTO chat_items (\(columns.joined(separator: ", ")))
          WITH RECURSIVE n (number) AS (VALUES (0) UNION ALL SELECT number + 1 FROM n WHERE number + 1 < \(count / 4))
          SELECT \(values.joined(separator: ", ")) FROM n, (
            SELECT * FROM chat_items WHERE chat_item_id < \(first) AND \(chatColumn) IS NOT NULL
              AND item_content_tag = '\(tag)' AND msg_content_tag = 'text' LIMIT 1
          )
          """)
        place += 1
      }
    }
    try chat.runScript(
      """
      INSERT INTO messages (message_id, msg_sent, chat_msg_event, msg_body, created_at, updated_at, group_id,
        shared_msg_id, author_group_member_id)
      SELECT chat_item_id, item_sent, 'x.msg.new', CAST(
          '{"v":"1-16","msgId":"aaaaaaaaaaaaaaaa","event":"x.msg.new","params":{"content":' || item_content || '}}' AS BLOB),
        created_at, updated_at, group_id, shared_msg_id, group_member_id
      FROM chat_items WHERE chat_item_id >= \(first);
      INSERT INTO chat_item_messages (chat_item_id, message_id, created_at, updated_at)
      SELECT chat_item_id, chat_item_id, created_at, updated_at FROM chat_items WHERE chat_item_id >= \(first);
      COMMIT;
      """)
  }

  func size() throws -> Int {
    try ["_chat.db", "_agent.db"].reduce(0) {
      try $0 + (FileManager.default.attributesOfItem(atPath: prefix + $1)[.size] as? Int ?? 0)
    }
  }
}
