import Foundation
import SQLiteKit
import SimplexTesting
import Testing

/// Imports of a profile of the reference that are killed at any moment, and made again.
///
/// `SIMPLEX_SOAK=1` for 300 instead of 12; `SIMPLEX_SEED=n` repeats when they are killed, as far as the machine does.
@Suite struct ImportKillTests {
  /// A profile of the reference in a folder of its own.
  private struct Source {
    let folder: URL
    var prefix: String { folder.appending(path: "reference").path }
    var files: [String] { [prefix + "_chat.db", prefix + "_agent.db"] }

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "import-kill-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, file) in zip(["alice_chat", "alice_agent"], files) {
        let script = try String(
          contentsOf: Vectors.folder.appending(path: "reference-profile/\(name).sql"), encoding: .utf8)
        try SQLiteConnection(path: file).runScript("BEGIN;\n" + script + "COMMIT;")
      }
    }

    func contents(_ suffix: String = "") throws -> [Data] {
      try files.map { try Data(contentsOf: URL(filePath: $0 + suffix)) }
    }

    func has(_ suffix: String) -> Bool { files.allSatisfy { FileManager.default.fileExists(atPath: $0 + suffix) } }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  private static func arguments(_ source: Source, to target: String) -> [String] {
    ["import", "--from", source.prefix, "-d", target]
  }

  /// How many rows the tables of a new profile have.
  private static func counts(_ prefix: String) throws -> [Int64] {
    let tables = [
      "_chat.db": ["users", "contacts", "connections", "groups", "members", "items"], "_agent.db": ["receive_queues"],
    ]
    var counts: [Int64] = []
    for (file, names) in tables.sorted(by: { $0.key < $1.key }) {
      let connection = try SQLiteConnection(path: prefix + file)
      try connection.checkIntegrity()
      for name in names {
        let count = try connection.first("SELECT count(*) FROM \(name)") { (row) throws(SQLiteKit.SQLiteError) in
          try row.integer(0)
        }
        counts.append(count ?? -1)
      }
    }
    return counts
  }

  @Test(.timeLimit(.minutes(15)), arguments: [false, true]) func isFinishedByTheNextOne(_ inPlace: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SIMPLEX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    var generator = SeededGenerator(seed: seed)
    // What an import that nobody disturbs makes, and how long it takes.
    let undisturbed = try Source()
    defer { undisturbed.remove() }
    let begin = ContinuousClock.now
    let made = try Program.run(
      "simplex-chat", Self.arguments(undisturbed, to: undisturbed.prefix + "-ours"), in: undisturbed.folder)
    let duration = ContinuousClock.now - begin
    try #require(made.status == 0, "\(made.output) \(made.errors)")
    let expected = try Self.counts(undisturbed.prefix + "-ours")

    for round in 0..<(environment["SIMPLEX_SOAK"] == nil ? 12 : 300) {
      let source = try Source()
      defer { source.remove() }
      let target = inPlace ? source.prefix : source.prefix + "-ours"
      let before = try source.contents()
      let killed = try Program("simplex-chat", Self.arguments(source, to: target), in: source.folder)
      Thread.sleep(forTimeInterval: duration / .seconds(1) * Double.random(in: 0...1.1, using: &generator))
      killed.endAtOnce()
      let comment: Comment = "seed \(seed), round \(round)"
      let wasComplete = source.has(".imported")
      // Until its files have their names there is no new profile, and the original is as it was.
      if !wasComplete, !inPlace, !FileManager.default.fileExists(atPath: target + "_agent.db") {
        #expect(try source.contents() == before, comment)
      }
      let finished = try Program.run("simplex-chat", Self.arguments(source, to: target), in: source.folder)
      // One that was complete before it was killed is not made again.
      if !wasComplete { #expect(finished.status == 0, "\(finished.errors) \(comment)") }
      #expect(try source.contents(".imported") == before, comment)
      #expect(try Self.counts(target) == expected, comment)
      let rest = try FileManager.default.contentsOfDirectory(atPath: source.folder.path).filter {
        $0.contains(".new") || $0.contains(".source")
      }
      #expect(rest.isEmpty, comment)
    }
  }
}
