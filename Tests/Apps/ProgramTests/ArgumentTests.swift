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
    #expect(first.status == 0 && first.output.hasPrefix("Current user: alice\nYou have no contacts yet."), "\(first)")
    let shown = try run("-t", "0", "--execute-log", "all", "--execute", "/u")
    #expect(
      shown.output == "Current user: alice\nuser profile: alice\nuse /p <name> [<bio>] to change it\n", "\(shown)")
    // The option is about the first profile.
    let second = try run("-t", "0", "-e", "/create user bob")
    #expect(second.output.hasSuffix("user profile: bob\nuse /p <name> [<bio>] to change it\n"), "\(second)")
    let cards = try run("-t", "0", "-e", "/chats")
    #expect(cards.output.contains("SimpleX Status"), "\(cards)")
    let network = try run("-t", "0", "-e", "/network")
    #expect(network.output.contains("private message routing mode: unknown, fallback: protected"), "\(network)")
    let failed = try run("-t", "0", "-e", "/nonsense")
    #expect(failed.status != 0 && failed.output.contains("bad chat command: "), "\(failed)")
    // A failure that is the answer to a question, too.
    let server = "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@127.0.0.1:1"
    let tested = try run("-t", "0", "-e", "/smp test \(server)")
    #expect(tested.status != 0 && tested.output.contains("SMP server test failed at Connect"), "\(tested)")
    try FileManager.default.removeItem(at: folder)
  }

  /// What tests of the reference begin with, also where the chat is not started.
  @Test func aWholeProfile() throws {
    let profile = #"{"displayName":"alice","fullName":"Alice"}"#
    let made = try run("-m", "--profile", profile, "-t", "0", "-e", "/u")
    #expect(made.status == 0 && made.output.contains("user profile: alice (Alice)\n"), "\(made)")
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
    #expect(lines.contains { $0.hasPrefix("TCP timeout: 20 s") }, "\(shown)")
    try FileManager.default.removeItem(at: folder)
  }

  /// Relays and file servers of the environment, which options override.
  @Test func serversOfTheEnvironment() throws {
    let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="
    let (smp, xftp) = ("smp://\(fingerprint)@127.0.0.1:1", "xftp://\(fingerprint)@127.0.0.1:2")
    func run(
      _ arguments: String..., smp: String, xftp: String = ""
    ) throws -> (status: Int32, output: String, errors: String) {
      try Program.run(
        "simplex-chat", ["-d", folder.appending(path: "db").path, "-t", "0"] + arguments, in: folder,
        environment: ["SIMPLEX_SMP_SERVERS": smp, "SIMPLEX_XFTP_SERVERS": xftp])
    }
    let first = try run("--display-name", "alice", "-e", "/smp", smp: " \(smp)  \(smp)2\n", xftp: xftp)
    #expect(first.status == 0 && first.output.contains("    \(smp)\n    \(smp)2\n"), "\(first)")
    #expect(!first.output.contains("simplex.im"), "\(first)")
    // The profile keeps them.
    let kept = try self.run("-t", "0", "-e", "/xftp")
    #expect(kept.output.contains("    \(xftp)\n") && !kept.output.contains("simplex.im"), "\(kept)")
    let refused = try run("-e", "/u", smp: "nonsense")
    #expect(refused.status != 0 && refused.errors.contains("SIMPLEX_SMP_SERVERS: nonsense is not the"), "\(refused)")
    let refusedFiles = try run("-e", "/u", smp: "", xftp: smp)
    #expect(refusedFiles.errors.contains("SIMPLEX_XFTP_SERVERS: \(smp) is not the address"), "\(refusedFiles)")
    let overridden = try run("-s", "", "-e", "/u", smp: "nonsense")
    #expect(overridden.status == 0, "\(overridden)")
    for (name, arguments) in [("echo-bot", ["bot"]), ("xftp", ["send", "db_chat.db"])] {
      let result = try Program.run(
        name, arguments, in: folder, environment: ["SIMPLEX_SMP_SERVERS": "foo", "SIMPLEX_XFTP_SERVERS": "foo"])
      #expect(result.status != 0 && result.errors.contains("foo"), "\(result)")
    }
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
    ["-l", "loud"], ["-s", "foo"], ["-s", "smp://foo@localhost"], ["--xftp-server", "smp://abc@localhost"],
    ["--socks-proxy", "!!"], ["--socks-proxy", "127.0.0.1:99999"], ["--socks-proxy", "999.1.1.1:9050"], ["-t", "-1"],
    ["--execute-log", "some"], ["-p", "70000"], ["--smp-proxy", "sometimes"], ["--host-mode", "tor"],
    ["--smp-proxy-fallback", "perhaps"], ["-q", "0"], ["--no-such-option"], ["--chat-versions", "9-8"],
    ["--agent-versions", "1"], ["--e2e-versions", "x-3"], ["--retry-interval", "0"], ["--short-link-servers", "home"],
    ["--profile", "{"], ["--description-part", "0"], ["--joining", "maybe"],
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
    #expect(
      third.status != 0 && third.errors.contains("are open in another program (process ")
        && third.errors.contains("), such as another terminal. End it"),
      "\(third)")
    #expect(first.stop() == 0)
    try FileManager.default.removeItem(at: folder)
  }

  /// As somebody who may read the databases and not write them.
  @Test(.enabled(if: Program.canBeAnotherUser, "needs a user who is not root, or setpriv"))
  func databasesThatCannotBeWritten() throws {
    _ = try run("--display-name", "a", "-t", "0", "-e", "/u")
    let manager = FileManager.default
    let files = ["db_chat.db", "db_agent.db", "db.lock"].map { folder.appending(path: $0).path }
    for unwritable in files + [folder.path] {
      for file in files {
        try manager.setAttributes([.posixPermissions: file == unwritable ? 0o444 : 0o666], ofItemAtPath: file)
      }
      try manager.setAttributes(
        [.posixPermissions: unwritable == folder.path ? 0o555 : 0o777], ofItemAtPath: folder.path)
      let result = try Program.run(
        "simplex-chat", ["-d", folder.appending(path: "db").path, "-e", "/u"], in: folder, asAnotherUser: true)
      #expect(result.status != 0 && result.errors.contains("\(unwritable) cannot be written. "), "\(result)")
    }
    try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    try manager.removeItem(at: folder)
  }

  /// The programs that have arguments of their own.
  @Test func otherPrograms() throws {
    for program in ["smp-bench", "simplex-demo"] {
      let version = try Program.run(program, ["--version"], in: folder)
      #expect(version.status == 0 && version.output.hasPrefix("\(program) 0."), "\(version)")
      #expect(version.output.contains("compatible with "), "\(version)")
      let help = try Program.run(program, ["--help"], in: folder)
      #expect(help.status == 0 && help.output.hasPrefix("usage: \(program) "), "\(help)")
      let refused = try Program.run(program, ["--nonsense"], in: folder)
      #expect(refused.status != 0 && refused.errors.contains("unknown argument --nonsense"), "\(refused)")
      #expect(refused.errors.contains("\(program) --help explains "), "\(refused)")
    }
    let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="
    for (arguments, reason) in [
      ([], "--server needs an address"), (["--server", "foo"], "--server needs an address"),
      (["--server", "smp://abc@127.0.0.1"], "--server needs an address"), (["--server"], "--server needs a value"),
      (["--server", "smp://\(fingerprint)@127.0.0.1:1", "--pairs", "x"], "--pairs must be a number from 1 to"),
      (
        ["--server", "smp://\(fingerprint)@127.0.0.1:1"], "the relay cannot be reached: 127.0.0.1:1: Connection refused"
      ),
    ] {
      let result = try Program.run("smp-bench", arguments, in: folder)
      #expect(result.status != 0 && result.errors.hasPrefix("smp-bench: \(reason)"), "\(result)")
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test func versionAndHelp() throws {
    for flag in ["-v", "--version"] {
      let result = try run(flag)
      #expect(result.status == 0 && result.output.hasPrefix("SimpleX Chat 0."), "\(result)")
      #expect(result.output.contains("compatible with core 7."), "\(result)")
    }
    let help = try run("--help")
    for option in ["--database", "--execute", "--chat-server-port", "--socks-proxy", "--files-folder"] {
      #expect(help.output.contains(option), "\(option)")
    }
    try FileManager.default.removeItem(at: folder)
  }
}
