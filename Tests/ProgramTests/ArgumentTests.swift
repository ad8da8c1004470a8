import Foundation
import Testing

/// What `simplex-chat` does with its arguments, as scripts that were written for the reference give them.
@Suite struct ArgumentTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "arguments-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try Program.run("simplex-chat", ["-d", folder.appending(path: "db").path] + arguments, in: folder)
  }

  @Test func singleCommands() throws {
    let first = try run("--display-name", "alice", "--no-preset-contacts", "-t", "0", "-e", "/contacts")
    #expect(first.status == 0 && first.output == "Current user: alice\n", "\(first)")
    let shown = try run("-t", "0", "--execute-log", "all", "--execute", "/u")
    #expect(
      shown.output == "Current user: alice\nuser profile: alice\nuse /p <name> [<bio>] to change it\n", "\(shown)")
    let network = try run("-t", "0", "-e", "/network")
    #expect(network.output.contains("private message routing mode: unknown, fallback: protected"), "\(network)")
    let failed = try run("-t", "0", "-e", "/nonsense")
    #expect(failed.output.contains("bad chat command: "), "\(failed)")
    try FileManager.default.removeItem(at: folder)
  }

  @Test func networkSettings() throws {
    let shown = try run(
      "--display-name", "alice", "-t", "0", "--socks-proxy", "127.0.0.1:9150", "--socks-mode", "onion", "--host-mode",
      "onion", "--required-host-mode", "--smp-proxy", "never", "--smp-proxy-fallback", "no", "--smp-web-port",
      "--tcp-timeout", "20", "-e", "/network")
    let lines = shown.output.split(separator: "\n")
    #expect(shown.status == 0 && shown.errors == "", "\(shown)")
    #expect(lines.dropFirst().first == "using SOCKS5 proxy 127.0.0.1:9150 for onion servers ONLY.", "\(shown)")
    #expect(lines.contains("private message routing disabled."), "\(shown)")
    #expect(lines.contains { $0.contains("interactiveTimeout = 20000000") }, "\(shown)")
    try FileManager.default.removeItem(at: folder)
  }

  @Test func aBot() throws {
    let arguments = ["--create-bot-display-name", "Helper bot", "--create-bot-allow-files", "-t", "0", "-e", "/u"]
    let made = try Program.run("simplex-chat", ["-d", folder.appending(path: "db").path] + arguments, in: folder)
    #expect(made.output.contains("user profile: 'Helper bot' (bot)"), "\(made)")
    // The second start finds it.
    let again = try run("--create-bot-display-name", "Helper bot", "-t", "0", "-e", "/users")
    #expect(again.output.contains("'Helper bot' (active) (bot)"), "\(again)")
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: [
    ["--create-bot-allow-files"], ["--create-bot-display-name", "b", "--create-bot-client-service"], ["--relay"],
    ["-l", "loud"], ["--execute-log", "some"], ["-p", "70000"], ["--smp-proxy", "sometimes"], ["--host-mode", "tor"],
    ["--smp-proxy-fallback", "perhaps"], ["-q", "0"], ["--no-such-option"],
  ])
  func refused(_ arguments: [String]) throws {
    let result = try Program.run("simplex-chat", ["-d", folder.appending(path: "db").path] + arguments, in: folder)
    #expect(result.status != 0 && !result.errors.isEmpty, "\(result)")
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "db_chat.db").path))
    try FileManager.default.removeItem(at: folder)
  }

  @Test func aPortThatIsTaken() throws {
    let database = folder.appending(path: "first").path
    let first = try Program("simplex-chat", ["-d", database, "--display-name", "a", "-p", "0"], in: folder)
    let port = try first.line("WebSocket API on ws://127.0.0.1:")
    let second = try run("--display-name", "b", "-p", port)
    #expect(second.status != 0 && second.errors.contains("cannot listen on port \(port)"), "\(second)")
    // And a database that is in use.
    let third = try Program.run("simplex-chat", ["-d", database, "-t", "0", "-e", "/u"], in: folder)
    #expect(third.status != 0 && third.errors.contains("open in another process"), "\(third)")
    #expect(first.stop() == 0)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func versionAndHelp() throws {
    for flag in ["-v", "--version"] {
      let result = try run(flag)
      #expect(result.status == 0 && result.output.hasPrefix("SimpleX Chat"), "\(result)")
    }
    let help = try run("--help")
    for option in ["--database", "--execute", "--chat-server-port", "--socks-proxy", "--files-folder"] {
      #expect(help.output.contains(option), "\(option)")
    }
    try FileManager.default.removeItem(at: folder)
  }
}
