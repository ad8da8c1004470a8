import Foundation
import SMPServer
import SQLiteKit
import Testing

/// What an operator types, and what the program answers.
@Suite(.timeLimit(.minutes(2))) struct CommandLineTests {
  /// The output of a command that has to fail.
  private func failure(_ program: ServerProgram, _ arguments: [String], input: String = "") throws -> String {
    do { _ = try program.run(arguments, input: input) } catch let error as ServerProgram.Failed { return error.output }
    Issue.record("\(arguments) did not fail")
    return ""
  }

  private func with(_ body: (ServerProgram) throws -> Void) throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try body(program)
  }

  private func setIni(_ program: ServerProgram, _ text: String) throws {
    try text.write(to: program.folder.appending(path: "config/smp-server.ini"), atomically: true, encoding: .utf8)
  }

  /// Words of the compiler have no place in what people read.
  private func isForPeople(_ text: String) -> Bool {
    !["configuration(", "system(", "transport(", "file(", "unavailable", "reason:", "Optional(", "errno"].contains {
      text.contains($0)
    }
  }

  /// Arguments that cannot be used leave nothing behind, so that init can be repeated.
  @Test(
    arguments: [
      ["--port", "abc"], ["--port", "70000"], ["--port", ""], ["--port", "5223,"], ["--ip", "999.1.1.1"],
      ["--ip", "relay"], ["--fqdn", "bad host"], ["--fqdn", "<your-host>"], ["--fqdn", ""], ["--socks-proxy", "!!"],
      ["--password", "a b"], ["--password", "a", "--no-password"],
    ])
  func refusedByInit(_ arguments: [String]) throws {
    try with { program in
      let text = try failure(program, ["init", "-y"] + arguments)
      #expect(isForPeople(text), "\(text)")
      #expect(!FileManager.default.fileExists(atPath: program.folder.appending(path: "config").path))
      _ = try program.run(["init", "-y"])
    }
  }

  @Test(
    arguments: [
      ("nonsense", "line 1 is neither a section nor a setting"), ("[TRANSPORT]\nport = abc", "port must be numbers"),
      ("[TRANSPORT]\nhost = <your-host>", "host is <your-host>, not a host name"),
      ("[AUTH]\nnew_queues = maybe", "new_queues is maybe, not on or off"),
      ("[TRANSPORT]\nthreads = 0", "threads"), ("[STORE_LOG]\nexpire_messages_days = many", "not a number from 0"),
      ("[PROXY]\nsocks_proxy = !!:1", "socks_proxy must be"),
    ])
  func settingsThatCannotBeUsed(_ ini: String, _ reason: String) throws {
    try with { program in
      _ = try program.run(["init", "-y", "--port", "0"])
      try setIni(program, ini)
      let text = try failure(program, ["start"])
      #expect(text.contains(reason) && text.contains("smp-server.ini") && isForPeople(text), "\(text)")
    }
  }

  @Test func aSettingThatIsThereTwice() throws {
    try with { program in
      _ = try program.run(["init", "-y", "--no-password"])
      try setIni(program, "[TRANSPORT]\nhost = localhost\nport = 0\nport = 1\n")
      let text = try program.run(["start", "--maintenance"])
      #expect(text.contains("Warning: [TRANSPORT] port is set twice; the first value counts"), "\(text)")
      let file = program.folder.appending(path: "config/server.key").path
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
      #expect(try program.run(["start", "--maintenance"]).contains("server.key can be read by others"))
    }
  }

  /// A relay with its queues in memory leaves the notifications of the database alone.
  @Test func theStoreInMemoryKeepsSavedNotifications() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    let pages = program.folder.appending(path: "pages")
    _ = try program.run(["init", "-y", "--no-password", "--port", "0", "--web-path", pages.path])
    let file = program.folder.appending(path: "data/smp-server-notifications.txt")
    try "saved\n".write(to: file, atomically: true, encoding: .utf8)
    for (store, kept, text) in [("memory", "nothing", "saved\n"), ("database", "queues and messages", "")] {
      let process = try await program.start(["--store", store])
      let page = try String(contentsOf: pages.appending(path: "index.html"), encoding: .utf8)
      #expect(page.contains("<td>\(kept)</td>"), "\(page)")
      process.terminate()
      try await process.waitForExit()
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
  }

  /// The commands about settings, on a server that is made as somebody does who tries it.
  @Test func settingsAreShownAndChecked() throws {
    try with { program in
      let made = try program.run(["init", "-y"])
      #expect(made.contains("127.0.0.1 is this machine itself: nobody else can reach the server"), "\(made)")
      let address = try #require(made.firstMatch(of: /Server address: (\S+)/)).1
      let printed = try program.run(["address"])
      #expect(address.split(separator: ":").count > 2 && printed == "\(address)\n")
      #expect(try program.run(["check-config"]).hasSuffix("smp-server.ini and the certificates can be used\n"))
      try setIni(program, "[TRANSPORT]\nport = 5223\nnonsense = 1\n")
      #expect(try program.run(["check-config"]).contains("Warning: [TRANSPORT] nonsense is unknown and has no effect"))
      try setIni(program, "[TRANSPORT]\nport = many\n")
      #expect(try failure(program, ["check-config"]).contains("port must be numbers"))
      // Any yes agrees, in any program; Enter does not.
      #expect(try failure(program, ["delete"], input: "\n").contains("nothing was deleted"))
      #expect(try program.run(["delete"], input: "Y\n").contains("Deleted"))
      let reachable = try program.run(["init", "-y", "--ip", "203.0.113.7", "--fqdn", "relay.example.org"])
      #expect(!reachable.contains("this machine itself"), "\(reachable)")
    }
  }

  /// An address of another machine.
  @Test func whyAPortCannotBeUsed() throws {
    try with { program in
      _ = try program.run(["init", "-y", "--no-password"])
      try setIni(program, "[TRANSPORT]\nport = 0\nbind = 203.0.113.7\n")
      let text = try failure(program, ["start"])
      #expect(
        text.contains("cannot listen on 203.0.113.7, port 0: this machine does not have the address 203.0.113.7"),
        "\(text)")
    }
  }

  @Test func deletingNothing() throws {
    try with { program in
      #expect(try failure(program, ["delete", "-y"]).contains("nothing to delete"))
      _ = try program.run(["init", "-y"])
      #expect(try program.run(["delete", "-y"]).contains("Deleted"))
      #expect(try failure(program, ["delete", "-y"]).contains("nothing to delete"))
    }
  }

  @Test func whatStopsAStart() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    #expect(try failure(program, ["start"]).contains("not initialized; run: smp-server init"))
    _ = try program.run(["init", "-y", "--port", "0", "--password", "open-sesame", "--ip", "127.0.0.1"])
    let running = try await program.start()
    #expect(!running.greeting.contains("open-sesame"))
    // A second one on the same database, and one on the same port.
    let second = try failure(program, ["start"])
    #expect(second.contains("another process uses it") && isForPeople(second), "\(second)")
    let deletion = try failure(program, ["delete", "-y"])
    #expect(deletion.contains("nothing was deleted: the server is running") && deletion.contains("; stop it first"))
    #if os(Linux)
      for text in [second, deletion] { #expect(text.contains("(process \(running.identifier))"), "\(text)") }
    #endif
    let other = try ServerProgram()
    defer { other.remove() }
    _ = try other.run(["init", "-y", "--port", "\(running.port)", "--ip", "127.0.0.1"])
    let taken = try failure(other, ["start"])
    #expect(
      taken.contains("cannot listen on 127.0.0.1, port \(running.port): another program uses it") && isForPeople(taken),
      "\(taken)")
    running.terminate()
    try await running.waitForExit()
    try FileManager.default.removeItem(at: program.folder.appending(path: "config/server.key"))
    let missing = try failure(program, ["start"])
    #expect(missing.contains("smp-server cert renews them") && isForPeople(missing), "\(missing)")
    // Which it does.
    _ = try program.run(["cert"])
    _ = try program.run(["start", "--maintenance"])
    try FileManager.default.removeItem(at: program.folder.appending(path: "config/ca.key"))
    let withoutAuthority = try failure(program, ["cert"])
    #expect(withoutAuthority.contains("ca.key: No such file") && isForPeople(withoutAuthority), "\(withoutAuthority)")
  }

  /// As somebody who may read the database and not write it.
  @Test(.enabled(if: ServerProgram.canBeAnotherUser, "needs a user who is not root, or setpriv"))
  func aDatabaseThatCannotBeWritten() throws {
    try with { program in
      _ = try program.run(["init", "-y", "--no-password"])
      _ = try program.run(["start", "--maintenance"])
      let manager = FileManager.default
      let data = program.folder.appending(path: "data").path
      for (path, rights) in [
        (program.folder.path, 0o755), (program.folder.appending(path: "config").path, 0o755), (data, 0o777),
        (program.database, 0o444), (program.folder.appending(path: "config/server.key").path, 0o444),
        (program.folder.appending(path: "config/server.crt").path, 0o444),
        (program.folder.appending(path: "config/ca.crt").path, 0o444),
        (program.folder.appending(path: "config/smp-server.ini").path, 0o444),
      ] { try manager.setAttributes([.posixPermissions: rights], ofItemAtPath: path) }
      let output = try program.runAsAnotherUser(["start"])
      #expect(
        output.contains("Error: \(program.database) cannot be written: check its owner and permissions"), "\(output)")
      #expect(isForPeople(output))
      try manager.setAttributes([.posixPermissions: 0o666], ofItemAtPath: program.database)
      try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: data)
      let folder = try program.runAsAnotherUser(["start"])
      #expect(folder.contains("Error: \(data) cannot be written"), "\(folder)")
    }
  }

  @Test func checking() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    let nothing = try failure(program, ["check"])
    #expect(nothing.contains("there is no database") && isForPeople(nothing), "\(nothing)")
    _ = try program.run(["init", "-y", "--port", "0", "--ip", "127.0.0.1"])
    let running = try await program.start()
    let used = try failure(program, ["check"])
    #expect(used.contains(/is in use( \(process \d+\))?; stop the server first/), "\(used)")
    running.terminate()
    try await running.waitForExit()
    let sound = try program.run(["check"])
    #expect(sound.hasPrefix("Database: 0 queues, 0 messages;") && sound.hasSuffix("No problems found\n"), "\(sound)")
    try SQLiteConnection(path: program.database).runScript("INSERT INTO link_data VALUES (1, x'00', x'00')")
    let broken = try failure(program, ["check"])
    #expect(broken.contains("Problem: 1 entries of link data belong to no queue"), "\(broken)")
    #expect(broken.contains("1 problems found") && isForPeople(broken), "\(broken)")
    #expect(try program.run(["check", "--help"]).contains("Verify the stored queues"))
  }

  @Test func versions() throws {
    try with { program in
      let text = try program.run(["--version"])
      #expect(text.hasPrefix("SMP server 0.") && text.contains("of the SMP protocol"))
    }
  }

  @Test(
    arguments: [
      ("localhost", true), ("relay.example.org", true), ("a_b-c.example", true), ("127.0.0.1", true), ("::1", true),
      ("abc.onion", true), ("999.1.1.1", false), ("1.2.3", false), ("", false), ("bad host", false), ("-a.b", false),
      ("a..b", false), ("<your-host>", false), ("a/b", false), (String(repeating: "a", count: 64), false),
    ])
  func hosts(_ text: String, _ isHost: Bool) { #expect(HostName.isValid(text) == isHost) }
}
