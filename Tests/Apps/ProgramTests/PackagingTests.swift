#if os(Linux)
  import Foundation
  import SimplexJSON
  import SimplexTesting
  import Testing

  /// The scripts that make a release, with the programs of this build; `make dist` uses them for those of a release.
  @Suite struct PackagingTests {
    private static let root = Vectors.folder.deletingLastPathComponent().deletingLastPathComponent()

    private static func inFolder(_ body: (URL) throws -> Void) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "packaging-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try body(folder)
    }

    private static func script(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String, errors: String) {
      let (process, output) = (Process(), Pipe())
      let errors = FileManager.default.temporaryDirectory.appending(path: "packaging-\(UUID().uuidString)")
      _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
      defer { try? FileManager.default.removeItem(at: errors) }
      process.executableURL = root.appending(path: "scripts/\(name)")
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
      let written = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let problems = try String(contentsOf: errors, encoding: .utf8)
      return (process.terminationStatus, String(decoding: written, as: UTF8.self), problems)
    }

    /// Archives and a Debian package, twice with the same bytes; then everything in them is used.
    @Test func aReleaseOfThisBuild() throws {
      let library = Self.root.appending(path: "dist/lib").path
      let isBuilt = FileManager.default.fileExists(atPath: library + "/libsimplex.so")
      let environment = [
        "PROGRAMS": Program.folder.path, "LIBRARY": isBuilt ? library : "", "UNCOMPRESSED": "1",
      ]
      try Self.inFolder { folder in
        var sums: [String] = []
        let releases = ["first", "second"].map { folder.appending(path: $0) }
        for release in releases {
          let made = try Self.script("package", [release.path], environment: environment)
          try #require(made.status == 0, "\(made)")
          sums.append(try String(contentsOf: release.appending(path: "SHA256SUMS"), encoding: .utf8))
        }
        #expect(sums[0] == sums[1])
        let checked = try Self.script("check-dist", [releases[0].path])
        #expect(checked.status == 0, "\(checked)")
        // A file that was changed is noticed.
        let bill = try #require(sums[0].split(whereSeparator: \.isWhitespace).first { $0.hasSuffix(".cdx.json") })
        try Data("{}".utf8).write(to: releases[0].appending(path: String(bill)))
        #expect(try Self.script("check-dist", [releases[0].path]).status != 0)
      }
    }

    /// The bill of materials has what Package.resolved and the system targets have, with versions and licences.
    @Test func theBillOfMaterials() throws {
      let made = try Self.script("make-sbom", environment: ["SOURCE_DATE_EPOCH": "1700000000"])
      try #require(made.status == 0, "\(made)")
      let bill = try JSONValue(jsonText: made.output)
      #expect(bill["metadata"]?["timestamp"]?.stringValue == "2023-11-14T22:13:20Z")
      let components = try #require(bill["components"]?.arrayValue)
      let versions = Dictionary(
        components.map { ($0["name"]?.stringValue ?? "", $0["version"]?.stringValue ?? "") }, uniquingKeysWith: { $1 })
      let resolved = try String(contentsOf: Self.root.appending(path: "Package.resolved"), encoding: .utf8)
      let pins = try #require(try JSONValue(jsonText: resolved)["pins"]?.arrayValue)
      for pin in pins {
        let name = try #require(pin["identity"]?.stringValue)
        #expect(versions[name] == pin["state"]?["version"]?.stringValue, "\(name)")
      }
      for name in ["OpenSSL", "libsodium", "SQLite", "zstd", "zlib"] { #expect(versions[name]?.isEmpty == false) }
      for component in components { #expect(component["licenses"]?.arrayValue?.isEmpty == false, "\(component)") }
      #expect(components.count > pins.count + 5)
    }

    /// One number: that of the programs, of the changelog, and of a tag.
    @Test func theVersion() throws {
      let version = try Self.script("version", ["--check"])
      #expect(version.status == 0, "\(version)")
      try Self.inFolder { folder in
        let printed = try Program.run("smp-bench", ["--version"], in: folder)
        let number = version.output.trimmingCharacters(in: .newlines)
        #expect(printed.output.hasPrefix("smp-bench \(number) "), "\(printed)")
      }
    }
  }
#endif
