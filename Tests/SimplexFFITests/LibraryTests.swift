import Foundation
import SimplexTesting
import Testing

/// The shared library as other languages load it; `make lib` makes it.
@Suite(.enabled(if: Library.isBuilt, "dist/lib/libsimplex.so is missing: make lib"))
struct LibraryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func everyFunctionFromPython() throws {
    let result = try Library.run("library.py", arguments: [Library.path, folder.path])
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }

  @Test func fromC() throws {
    let (program, libraries) = (folder.file("usage"), Library.root + "/dist/lib")
    _ = try Library.command(
      "cc",
      [
        "-Wall", "-Wextra", "-Werror", Library.script("usage.c"), "-I", libraries, "-L", libraries, "-lsimplex",
        "-Wl,-rpath,\(libraries)", "-o", program,
      ])
    let lines = try Library.command(program, [folder.file("alice")]).split(separator: "\n")
    try #require(lines.count >= 3, "\(lines)")
    #expect(lines[0] == #"{"type":"ok"}"#)
    #expect(lines[1].hasPrefix(#"{"result":{"type":"activeUser""#))
    #expect(lines[2] == #"{"result":{"type":"chatStarted"}}"#)
  }

  /// Programs that bring a libcrypto or SQLite of their own must not meet ours.
  @Test func onlyTheInterfaceIsExported() throws {
    let result = try Library.command("nm", ["-D", "--defined-only", Library.path])
    let names = result.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(!names.isEmpty)
    #expect(names.allSatisfy { $0.hasPrefix("chat_") || $0.hasPrefix("hs_init") }, "\(names)")
    let header = try String(contentsOfFile: Library.root + "/Sources/SimplexFFI/simplex.h", encoding: .utf8)
    for name in names { #expect(header.contains(" *\(name)(") || header.contains(" \(name)("), "\(name)") }
  }

  /// It holds everything but the C library.
  @Test func nothingElseIsNeeded() throws {
    let result = try Library.command("readelf", ["-d", Library.path])
    for line in result.split(separator: "\n") where line.contains("NEEDED") {
      #expect(["libc.so", "libm.so", "ld-linux"].contains { line.contains($0) }, "\(line)")
    }
  }
}

/// `dist/lib/libsimplex.so`, and our scripts beside this file that use it.
enum Library {
  static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().path
  static let path = root + "/dist/lib/libsimplex.so"

  static var isBuilt: Bool { FileManager.default.fileExists(atPath: path) }

  static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
  }

  /// Runs a script with the system's Python.
  static func run(
    _ name: String, arguments: [String], python: String = "/usr/bin/env", environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = (python == "/usr/bin/env" ? ["python3"] : []) + [script(name)] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let told = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: written, as: UTF8.self), String(decoding: told, as: UTF8.self))
  }

  static func command(_ name: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: written, as: UTF8.self)
  }
}
