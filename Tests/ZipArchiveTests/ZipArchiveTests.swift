import Foundation
import SimplexTesting
import Testing
import ZipArchive

@Suite struct ZipArchiveTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "zip-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func archive(_ contents: [(name: String, content: Data)], compresses: Bool) throws -> String {
    var writer = try ZipWriter(path: path("archive.zip"))
    for (index, file) in contents.enumerated() {
      let source = path("source\(index)")
      try file.content.write(to: URL(filePath: source))
      try writer.add(file.name, file: source, compresses: compresses)
    }
    try writer.finish()
    return path("archive.zip")
  }

  private static let contents: [(name: String, content: Data)] = [
    ("empty", Data()), ("short.txt", Data("hello".utf8)),
    ("folder/repeated", Data(repeating: 7, count: 1_000_000)),
    ("folder/ünï", Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })),
  ]

  @Test(arguments: [true, false]) func comesOutAsItWentIn(compresses: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let archive = try archive(Self.contents, compresses: compresses)
    let reader = try ZipReader(path: archive)
    let entries = reader.entries
    #expect(entries.map(\.name) == Self.contents.map(\.name))
    for (entry, file) in zip(entries, Self.contents) {
      try reader.extract(entry, to: path("out"))
      #expect(try Data(contentsOf: URL(filePath: path("out"))) == file.content)
    }
    let size = try Data(contentsOf: URL(filePath: archive)).count
    #expect(compresses == (size < 1_000_000))
  }

  /// Another program understands it, and makes one that we understand.
  @Test func isUnderstoodByPython() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let archive = try archive(Self.contents, compresses: true)
    let program = """
      import sys, zipfile
      old = zipfile.ZipFile(sys.argv[1])
      assert old.testzip() is None
      with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist(): new.writestr(name, old.read(name))
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program, archive, path("python.zip")]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let reader = try ZipReader(path: path("python.zip"))
    let entries = reader.entries
    for (entry, file) in zip(entries, Self.contents) {
      #expect(entry.name == file.name)
      try reader.extract(entry, to: path("out"))
      #expect(try Data(contentsOf: URL(filePath: path("out"))) == file.content)
    }
  }

  /// Damage of any kind is an error at worst, and never gives another content.
  @Test(arguments: propertySeeds(40)) func damageIsAnError(seed: UInt64) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SeededGenerator(seed: seed)
    let archive = URL(filePath: try archive(Array(Self.contents.prefix(3)), compresses: Bool.random(using: &random)))
    var bytes = try Data(contentsOf: archive)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      // The headers are at both ends.
      let index = Int.random(in: 0..<min(200, bytes.count), using: &random)
      bytes[Bool.random(using: &random) ? index : bytes.count - 1 - index] = UInt8.random(in: 0...255, using: &random)
    }
    if Bool.random(using: &random) { bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &random)) }
    try bytes.write(to: archive)
    do throws(ZipError) {
      let reader = try ZipReader(path: archive.path)
      let entries = reader.entries
      for entry in entries {
        do throws(ZipError) {
          try reader.extract(entry, to: path("out"))
          let content = (try? Data(contentsOf: URL(filePath: path("out")))) ?? Data()
          #expect(content.isEmpty || Self.contents.contains { $0.content == content })
        } catch {
          continue
        }
      }
    } catch {
      return
    }
  }

  @Test func whatIsMissingIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: ZipError.self) { _ = try ZipReader(path: path("nothing")) }
    try Data("no archive".utf8).write(to: URL(filePath: path("text")))
    #expect(throws: ZipError.damaged("no list of files")) { _ = try ZipReader(path: path("text")) }
  }
}
