import Foundation
import Testing

/// `scripts/reference-suite` with a suite that is not the reference's: what it reads, and the reasons that it finds.
@Suite struct ReferenceSuiteTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let script = tests.appending(path: "../../../scripts/reference-suite").standardizedFileURL

  private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Self.script.path, Self.tests.appending(path: "fake_suite.py").path] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func reasons() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "suite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let known = folder.appending(path: "causes")
    try "behaviour\texpected: True but got: False\ta known difference\n".write(
      to: known, atomically: true, encoding: .utf8)
    let page = folder.appending(path: "page.md")
    let table = folder.appending(path: "all.tsv")
    let result = try run([
      "--suites", "direct,Local", "--modes", "reference,api *,terminal bob", "--folder", folder.path, "--no-namespace",
      "--causes", known.path, "--output", page.path, "--tsv", table.path, "--client", "/bin/true",
    ])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("Direct, reference: 9 of 10\n"), "\(result.output)")

    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.contains("| suite | reference | api * | terminal bob |"), "\(text)")
    #expect(text.contains("| Direct | 9 of 10 | 1 of 10 | 2 of 10 |"), "\(text)")
    #expect(text.contains("| feature missing | 2 | 8 |"), "\(text)")
    #expect(text.contains("| text | Contact is connected. ≠ contact is connected | 2 | expected: "), "\(text)")
    #expect(!text.contains("messages/case") && text.contains("[page.tsv](page.tsv)"), "\(text)")
    let names = folder.appending(path: "page.tsv")
    let failed = try String(contentsOf: names, encoding: .utf8)
    #expect(failed.hasPrefix("suite\ttest\tmodes\tkind\tdifference\n"), "\(failed)")
    #expect(
      failed.contains("Direct\tmessages/case\tapi *\ttext\tContact is connected. ≠ contact is connected\n"),
      "\(failed)")
    #expect(
      failed.contains("Direct\tmessages/store\tapi *, terminal bob\tharness limit\tneeds the store\n"), "\(failed)")

    let rows = try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    func reason(_ test: String) -> [String] {
      rows.first { $0[0] == "Direct" && $0[1] == test && $0[2] == "api *" }.map { Array($0[3...5]) } ?? []
    }
    #expect(reason("messages/add contact and send/receive messages/current") == ["ok", "", ""])
    #expect(reason("messages/group (small)") == ["failed", "feature missing", "newGroup"])
    #expect(reason("messages/file") == ["failed", "feature missing", "x.msg.file.descr is not understood"])
    #expect(reason("messages/store") == ["failed", "harness limit", "needs the store"])
    #expect(reason("messages/receipt") == ["failed", "not told", "expected: ⩗ @bob … hi"])
    #expect(reason("messages/case") == ["failed", "text", "Contact is connected. ≠ contact is connected"])
    #expect(reason("messages/time") == ["failed", "behaviour", "bob> … hi ≠ bob> … hello"])
    #expect(reason("messages/extra") == ["failed", "too many lines", "also: and more"])
    #expect(reason("messages/own") == ["failed", "behaviour", "a known difference"])
    #expect(reason("others/flaky") == ["failed", "environment", "fails with the reference alone too"])
    #expect(!rows.contains { $0[1].contains("later") || $0[1].contains("PENDING") })

    // The logs alone give the same page.
    let again = folder.appending(path: "again.md")
    _ = try run([
      "--suites", "Direct,Local", "--modes", "reference,api *,terminal bob", "--folder", folder.path, "--logs",
      "--causes", known.path, "--output", again.path, "--tests", names.path,
    ])
    #expect(try String(contentsOf: again, encoding: .utf8) == text)
    #expect(try String(contentsOf: names, encoding: .utf8) == failed)
  }

  @Test(arguments: [["--suites", "Nothing"], ["--modes", "api"], ["--modes", "telepathy *"]])
  func refused(_ arguments: [String]) throws {
    let result = try run(arguments + ["--no-namespace", "--output", "/dev/null"])
    #expect(result.status != 0 && !result.output.isEmpty)
  }
}
