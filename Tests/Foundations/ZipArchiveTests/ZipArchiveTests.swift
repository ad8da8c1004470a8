import Foundation
import SimplexTesting
import Testing
@testable import ZipArchive

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

  /// Numbers beyond 4 GB: places, as the archive begins behind an empty part, and sizes, where all files have the form
  /// for large ones. Python reads both.
  @Test(arguments: [(0, 1), (5_000_000_000, 1), (5_000_000_000, 4_000_000_000)] as [(UInt64, UInt64)])
  func numbersMayBeLarge(start: UInt64, largeSize: UInt64) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let archive = path("large.zip")
    var writer = try ZipWriter(path: archive, start: start, largeSize: largeSize)
    for (name, content) in Self.contents {
      try content.write(to: URL(filePath: path("source")))
      try writer.add(name, file: path("source"), compresses: true)
    }
    try writer.finish()
    let reader = try ZipReader(path: archive)
    let entries = reader.entries
    #expect(entries.map(\.name) == Self.contents.map(\.name))
    for (entry, file) in zip(entries, Self.contents) {
      #expect(entry.size == UInt64(file.content.count))
      try reader.extract(entry, to: path("out"))
      #expect(try Data(contentsOf: URL(filePath: path("out"))) == file.content)
    }
    try python("assert zipfile.ZipFile(sys.argv[1]).testzip() is None", [archive])
    // Where a number is beyond the file it is an error.
    let file = try FileHandle(forUpdating: URL(filePath: archive))
    let size = try file.seekToEnd()
    try file.truncate(atOffset: size - 1)
    try file.close()
    #expect(throws: ZipError.self) { _ = try ZipReader(path: archive) }
  }

  /// More files than the usual end can count, and one of more than 4 GB with nothing in it.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] == "1")) func contentMayBeLarge() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let size: UInt64 = 4_400_000_000
    try Data().write(to: URL(filePath: path("source")))
    let source = try FileHandle(forUpdating: URL(filePath: path("source")))
    try source.truncate(atOffset: size)
    try Data("hello".utf8).write(to: URL(filePath: path("small")))
    let archive = path("large.zip")
    var writer = try ZipWriter(path: archive)
    try writer.add("large", file: path("source"), compresses: true)
    for index in 0..<70_000 { try writer.add("\(index)", file: path("small"), compresses: false) }
    try writer.finish()
    let reader = try ZipReader(path: archive)
    let entries = reader.entries
    #expect(entries.count == 70_001)
    #expect(entries.first?.size == size)
    let last = try #require(entries.last)
    try reader.extract(last, to: path("out"))
    #expect(try Data(contentsOf: URL(filePath: path("out"))) == Data("hello".utf8))
    try python("assert zipfile.ZipFile(sys.argv[1]).testzip() is None", [archive])
  }

  private func python(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import sys, zipfile\n" + program] + arguments
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// Another program understands it, and makes one that we understand.
  @Test func isUnderstoodByPython() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let archive = try archive(Self.contents, compresses: true)
    let program = """
      old = zipfile.ZipFile(sys.argv[1])
      assert old.testzip() is None
      with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist(): new.writestr(name, old.read(name))
      """
    try python(program, [archive, path("python.zip")])
    let reader = try ZipReader(path: path("python.zip"))
    let entries = reader.entries
    for (entry, file) in zip(entries, Self.contents) {
      #expect(entry.name == file.name)
      try reader.extract(entry, to: path("out"))
      #expect(try Data(contentsOf: URL(filePath: path("out"))) == file.content)
    }
  }

  /// Damage causes an error or none, but never other content.
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
