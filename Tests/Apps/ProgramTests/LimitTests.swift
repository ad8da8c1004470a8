import Foundation
import Testing

/// The limits of the system for programs: too few open files, and no core dumps.
@Suite struct LimitTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "limits-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var environment: [String: String] {
    let place = folder.path
    return [
      "HOME": place, "SMP_SERVER_CFG_PATH": place + "/etc", "SMP_SERVER_LOG_PATH": place + "/var",
      "XFTP_SERVER_CFG_PATH": place + "/xetc", "XFTP_SERVER_LOG_PATH": place + "/xvar",
    ]
  }

  /// Runs a program by a shell, after commands of it; returns how it ended and what it printed.
  private func run(
    _ commands: String, _ program: String, _ arguments: [String]
  ) throws -> (reason: Process.TerminationReason, status: Int32, text: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    let path = Program.folder.appending(path: program).path
    process.arguments = ["-c", commands + " exec \"$0\" \"$@\"", path] + arguments
    process.environment = environment
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationReason, process.terminationStatus, text)
  }

  @Test(arguments: [
    ("smp-server", ["start"]), ("xftp-server", ["start"]), ("xftp", ["send", "file"]), ("simplex-demo", []),
    ("simplex-chat", ["-d", "db", "--display-name", "alice", "-t", "0", "-e", "/u"]),
    ("smp-bench", ["--server", "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@127.0.0.1:1"]),
  ]) func tooFewOpenFilesAreAnError(_ program: String, _ arguments: [String]) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("content".utf8).write(to: folder.appending(path: "file"))
    if program.hasSuffix("-server") {
      let files = program == "xftp-server" ? ["-p", folder.path + "/files", "-q", "1gb"] : ["-y", "--no-password"]
      let made = try run("", program, ["init", "--ip", "127.0.0.1", "--port", "0"] + files)
      try #require(made.status == 0, "\(made)")
    }
    let result = try run("ulimit -n 20;", program, arguments)
    #expect(result.reason == .exit && result.status != 0, "\(result)")
    #expect(result.text.contains("the limit of open files is 20"), "\(result)")
  }

  #if os(Linux)
    /// Relays hold private keys, which no image of their memory may contain, unless the operator asks for it.
    @Test(arguments: [[], ["--core-dumps"]]) func relaysLeaveNoCoreDump(_ options: [String]) throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let made = try run("", "smp-server", ["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"])
      try #require(made.status == 0, "\(made)")
      let shell = "ulimit -c 8; "
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: "/bin/sh")
      let path = Program.folder.appending(path: "smp-server").path
      process.arguments = ["-c", shell + "exec \"$0\" start \"$@\"", path] + options
      process.environment = environment
      process.standardOutput = output
      process.standardError = output
      try process.run()
      defer { process.terminate() }
      var text = ""
      while !text.contains("Listening on") {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      let limits = try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
      let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      let words = line.split(separator: " ")
      #expect(words.count > 5 && (words[4] == "0") == options.isEmpty, "\(line) \(text)")
    }
  #endif
}
