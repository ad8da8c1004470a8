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

  @Test func databasesThatCannotBeOpened() throws {
    let result = try Library.run("databases.py", arguments: [Library.path, folder.path])
    #expect(result.status == 0, "\(result.output) \(result.errors)")
  }

  /// A program that has an umask of its own, and one that has none.
  @Test(arguments: ["000", "777"]) func rightsUnderAnyUmask(umask: String) throws {
    let program = """
      import ctypes, json, os, sys
      os.umask(int(sys.argv[3], 8))
      lib = ctypes.CDLL(sys.argv[1])
      lib.chat_send_cmd.restype = ctypes.c_char_p
      lib.chat_migrate_init.restype = ctypes.c_char_p
      controller = ctypes.c_void_p()
      prefix = sys.argv[2] + "/alice"
      assert b'"ok"' in lib.chat_migrate_init(prefix.encode(), b"", b"yesUp", ctypes.byref(controller))
      for command in [
        "/create user alice", '/set file paths {"appFilesFolder":"%s/f/g","appTempFolder":"%s/t","appAssetsFolder":"%s/a"}',
        '/_db export {"archivePath":"%s/archive.zip"}',
      ]:
        answer = lib.chat_send_cmd(controller, command.replace("%s", sys.argv[2]).encode())
        assert b"result" in answer, answer
      for folder, folders, files in os.walk(sys.argv[2]):
        for name in folders:
          assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o700, name
        for name in files:
          assert os.stat(os.path.join(folder, name)).st_mode & 0o777 == 0o600, name
      """
    let result = try Library.status(
      "/usr/bin/env", ["python3", "-c", program, Library.path, folder.path, umask])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// The life of an app and its extension in two processes; `SIMPLEX_SOAK=1` for many rounds. A failure names its seed.
  @Test(.timeLimit(.minutes(10))) func anAppAndItsExtension() async throws {
    let soak = ProcessInfo.processInfo.environment["SIMPLEX_SOAK"] != nil
    let relay = try await LocalRelay.start(folder.path)
    for seed in soak ? Array(1...20) : [Int.random(in: 1...1_000_000)] {
      let profile = try TemporaryFolder()
      let (address, rounds) = (relay.address, soak ? "40" : "12")
      let result = try await Task.detached {
        try Library.run("lifecycle.py", arguments: [Library.path, profile.path, address, rounds, "\(seed)"])
      }.value
      #expect(result.status == 0, "seed \(seed): \(result.output) \(result.errors)")
    }
    await relay.stop()
  }

  @Test func fromC() throws {
    let program = folder.file("usage")
    try compile(Library.script("usage.c"), to: program)
    let lines = try Library.command(program, [folder.file("alice")]).split(separator: "\n")
    try #require(lines.count >= 3, "\(lines)")
    #expect(lines[0] == #"{"type":"ok"}"#)
    #expect(lines[1].hasPrefix(#"{"result":{"type":"activeUser""#))
    #expect(lines[2] == #"{"result":{"type":"chatStarted"}}"#)
  }

  /// What an SDK that has no option for servers uses, and that it says what cannot be used.
  @Test func serversOfTheEnvironment() throws {
    let program = """
      import ctypes, json, sys
      lib = ctypes.CDLL(sys.argv[1])
      lib.chat_send_cmd.restype = ctypes.c_char_p
      lib.chat_migrate_init.restype = ctypes.c_char_p
      controller = ctypes.c_void_p()
      print(lib.chat_migrate_init(sys.argv[2].encode(), b"", b"yesUp", ctypes.byref(controller)).decode())
      if controller:
        for command in [b"/create user alice", b"/_start"]: lib.chat_send_cmd(controller, command)
        for command in [b"/smp", b"/xftp"]: print(lib.chat_send_cmd(controller, command).decode())
      """
    let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="
    let (smp, xftp) = ("smp://\(fingerprint)@127.0.0.1:1", "xftp://\(fingerprint)@127.0.0.1:2")
    func lines(_ prefix: String, smp: String, xftp: String) throws -> [Substring] {
      let result = try Library.status(
        "/usr/bin/env", ["python3", "-c", program, Library.path, folder.file(prefix)],
        environment: ["SIMPLEX_SMP_SERVERS": smp, "SIMPLEX_XFTP_SERVERS": xftp])
      #expect(result.status == 0, "\(result)")
      return result.output.split(separator: "\n")
    }
    let own = try lines("alice", smp: smp, xftp: xftp)
    try #require(own.count == 3 && own[0] == #"{"type":"ok"}"#, "\(own)")
    for line in own.dropFirst() { #expect(!line.contains("simplex.im,"), "\(line)") }
    #expect(own[1].contains(smp) && own[2].contains(xftp), "\(own)")
    let wrong = try lines("bob", smp: "nonsense", xftp: "")
    #expect(wrong.count == 1 && wrong[0].contains("SIMPLEX_SMP_SERVERS") && wrong[0].contains("nonsense"), "\(wrong)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("bob_chat.db")))
    let preset = try lines("carol", smp: "", xftp: " ")
    #expect(preset.count == 3 && preset[1].contains("simplex.im,"), "\(preset)")
  }

  /// The example of the README, unchanged: with a new profile, and with the one of the first time.
  @Test func theExampleForC() throws {
    let readme = try String(contentsOfFile: Library.root + "/README.md", encoding: .utf8)
    let code = try #require(readme.firstMatch(of: /```c\n((?s).*?)```/)).1
    let (source, program) = (folder.file("chat.c"), folder.file("chat"))
    try code.write(toFile: source, atomically: true, encoding: .utf8)
    try compile(source, to: program)
    for _ in 1...2 {
      let result = try Library.status(program, [], in: folder.path)
      #expect(result.status == 0 && result.output.hasPrefix(#"{"result":{"type":"activeUser""#), "\(result)")
    }
    try Data("no database".utf8).write(to: URL(filePath: folder.file("alice_chat.db")))
    let refused = try Library.status(program, [], in: folder.path)
    #expect(refused.status == 1 && refused.output.contains("errorNotADatabase"), "\(refused)")
  }

  /// Every function, rightly and wrongly; with AddressSanitizer, which sees what C and the library do to each other's
  /// memory.
  @Test func everyFunctionAbused() throws {
    let (checked, plain) = (folder.file("checked"), folder.file("plain"))
    try compile(Library.script("abuse.c"), to: plain)
    let grown = try Library.status(plain, [folder.file("alice"), folder.file("file")])
    #expect(grown.status == 0, "\(grown.errors)")
    // 2,000 rounds of nine calls; a text of each that stayed would be megabytes.
    #expect(Int(grown.output.trimmingCharacters(in: .newlines)) ?? .max < 2_000, "KiB of growth: \(grown.output)")
    do { try compile(Library.script("abuse.c"), to: checked, ["-fsanitize=address,undefined"]) } catch { return }
    let result = try Library.status(
      checked, [folder.file("bob"), folder.file("file")], environment: ["ASAN_OPTIONS": "detect_leaks=0"])
    #expect(result.status == 0, "\(result.errors)")
  }

  private struct NotCompiled: Error { let errors: String }

  private func compile(_ source: String, to program: String, _ options: [String] = []) throws {
    let libraries = Library.root + "/dist/lib"
    let result = try Library.status(
      "/usr/bin/env",
      ["cc", "-Wall", "-Wextra", "-Werror", source] + options + [
        "-I", libraries, "-L", libraries, "-lsimplex", "-Wl,-rpath,\(libraries)", "-o", program,
      ])
    if result.status != 0 { throw NotCompiled(errors: result.errors) }
  }

  /// Programs that bring a libcrypto or SQLite of their own must not meet ours.
  @Test func onlyTheInterfaceIsExported() throws {
    let result = try Library.command("nm", ["-D", "--defined-only", Library.path])
    let names = result.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(!names.isEmpty)
    #expect(names.allSatisfy { $0.hasPrefix("chat_") || $0.hasPrefix("hs_init") }, "\(names)")
    let header = try String(contentsOfFile: Library.root + "/Sources/Apps/SimplexFFI/simplex.h", encoding: .utf8)
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
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  static let path = root + "/dist/lib/libsimplex.so"

  static var isBuilt: Bool { FileManager.default.fileExists(atPath: path) }

  static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
  }

  /// Runs a script with the system's Python.
  static func run(
    _ name: String, arguments: [String], python: String = "/usr/bin/env", environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let interpreter = python == "/usr/bin/env" ? ["python3"] : []
    return try status(python, interpreter + [script(name)] + arguments, environment: environment)
  }

  /// What a program wrote.
  static func command(_ name: String, _ arguments: [String], in folder: String? = nil) throws -> String {
    try status("/usr/bin/env", [name] + arguments, in: folder).output
  }

  /// What a program wrote, and its exit status.
  static func status(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
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
}
