import Foundation
import Testing

/// Secrets that are no arguments of programs, because all users of a machine see those.
@Suite struct SecretTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func write(_ text: String, to name: String, permissions: Int = 0o600) throws -> String {
    try Data(text.utf8).write(to: folder.appending(path: name))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path(name))
    return path(name)
  }

  @Test func passphrases() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = path("db")
    let (key, wrong) = (try write("my secret\n", to: "key"), try write("other", to: "wrong"))
    func run(_ arguments: [String] = [], environment: [String: String] = [:]) throws -> (Int32, String, String) {
      let result = try Program.run(
        "simplex-chat", ["-d", database] + arguments + ["-t", "0", "-e", "/u"], in: folder, environment: environment)
      return (result.status, result.output, result.errors)
    }
    let made = try run(["--display-name", "alice", "--key-file", key])
    #expect(made.0 == 0 && made.2 == "", "\(made)")
    #expect(try run().0 != 0)
    #expect(try run(["--key-file", key]).1.contains("user profile: alice"))
    #expect(try run(["-k", "my secret"]).0 == 0)
    #expect(try run(environment: ["SIMPLEX_CHAT_KEY": "my secret"]).0 == 0)
    // An option counts more than what the environment has.
    #expect(try run(["--key-file", wrong], environment: ["SIMPLEX_CHAT_KEY": "my secret"]).0 != 0)
    let credentials = folder.appending(path: "credentials")
    try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
    try Data("my secret".utf8).write(to: credentials.appending(path: "simplex-chat.key"))
    #expect(try run(environment: ["CREDENTIALS_DIRECTORY": credentials.path]).0 == 0)

    let missing = try run(["--key-file", path("nothing")])
    #expect(missing.0 != 0 && missing.2.contains("the secret cannot be read"), "\(missing)")
    let empty = try run(["--key-file", try write("\n", to: "empty")])
    #expect(empty.0 != 0 && empty.2.contains("is empty"), "\(empty)")
    #expect(try run(["--key-file", key, "-k", "my secret"]).0 != 0)
    // A file that others can read is used, and mentioned.
    let shared = try run(["--key-file", try write("my secret", to: "shared", permissions: 0o644)])
    #expect(shared.0 == 0 && shared.2.contains("other users of this machine can read"), "\(shared)")
    #expect(!(missing.2 + empty.2 + shared.2).contains("my secret"))
  }

  @Test func theStandardInput() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = Program.folder.appending(path: "simplex-chat").path
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.environment = ["HOME": folder.path]
    process.arguments = [
      "-c",
      """
      printf 'my secret\\n' | \(program) -d "$HOME/db" --display-name alice --key-file - -t 0 -e /u
      printf 'my secret\\n/u\\n/quit\\n' | \(program) -d "$HOME/db" --key-file -
      """,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // What follows the passphrase is typed.
    #expect(process.terminationStatus == 0 && text.components(separatedBy: "user profile: alice").count == 3, "\(text)")
    #expect(try Program.run("simplex-chat", ["-d", path("db"), "-t", "0", "-e", "/u"], in: folder).status != 0)
  }

  /// Passwords in addresses of servers.
  @Test func servers() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let fingerprint = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU="
    let file = try write(
      "smp://\(fingerprint):hush@127.0.0.1:1\nxftp://\(fingerprint):hush@127.0.0.1:2\n", to: "servers")
    let made = try Program.run(
      "simplex-chat", ["-d", path("db"), "--display-name", "a", "--server-file", file, "-t", "0", "-e", "/smp"],
      in: folder)
    #expect(made.status == 0 && made.output.contains("smp://\(fingerprint):hush@127.0.0.1:1"), "\(made)")
    let fileServers = try Program.run("simplex-chat", ["-d", path("db"), "-t", "0", "-e", "/xftp"], in: folder)
    #expect(fileServers.output.contains("xftp://\(fingerprint):hush@127.0.0.1:2"), "\(fileServers)")
    let wrong = try write("smp://\(fingerprint):hush@127.0.0.1:1 smp://hush", to: "wrong")
    for (program, arguments) in [
      ("simplex-chat", ["-d", path("none"), "--server-file", wrong, "-e", "/u"]),
      ("xftp", ["send", wrong, path("none"), "--servers-file", wrong]),
    ] {
      let refused = try Program.run(program, arguments, in: folder)
      #expect(refused.status != 0 && refused.errors.contains("in \(wrong) is not the address of"), "\(refused)")
      #expect(!refused.errors.contains("hush"), "\(refused)")
    }
  }

  /// A token in a file is what clients must present, whoever they are.
  @Test func tokens() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let token = try write("open sesame\n", to: "token")
    let program = try Program(
      "simplex-chat", ["-d", path("db"), "--display-name", "a", "-p", "0", "--token-file", token], in: folder)
    let port = try program.line("WebSocket API on ws://127.0.0.1:")
    #expect(try answer(port, "/").hasPrefix("HTTP/1.1 403"))
    #expect(try answer(port, "/?token=sesame").contains("The token is wrong."))
    #expect(try answer(port, "/", "Authorization: Bearer open sesame\\r\\n").hasPrefix("HTTP/1.1 101"))
    #expect(program.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: path("db_token")))
  }

  /// Without a token of its own the API is for the user who runs it, and for those who can read its file.
  @Test(.enabled(if: SecretTests.canChangeUser, "needs root and setpriv")) func otherUsers() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program("simplex-chat", ["-d", path("db"), "--display-name", "a", "-p", "0"], in: folder)
    let port = try program.line("WebSocket API on ws://127.0.0.1:")
    #expect(try answer(port, "/").hasPrefix("HTTP/1.1 101"))
    let refused = try answer(port, "/", asNobody: true)
    #expect(refused.hasPrefix("HTTP/1.1 403") && refused.contains("The token is missing"), "\(refused)")
    let attributes = try FileManager.default.attributesOfItem(atPath: path("db_token"))
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    let token = try String(contentsOfFile: path("db_token"), encoding: .utf8).split(separator: "\n").joined()
    #expect(try answer(port, "/?token=\(token)", asNobody: true).hasPrefix("HTTP/1.1 101"))
    #expect(program.stop() == 0)
    // The token stays, unless others could read it meanwhile.
    let again = try Program("simplex-chat", ["-d", path("db"), "-p", "0"], in: folder)
    _ = try again.line("WebSocket API on ws://127.0.0.1:")
    #expect(again.stop() == 0)
    #expect(try String(contentsOfFile: path("db_token"), encoding: .utf8) == token + "\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path("db_token"))
    let third = try Program("simplex-chat", ["-d", path("db"), "-p", "0"], in: folder)
    _ = try third.line("WebSocket API on ws://127.0.0.1:")
    #expect(third.stop() == 0)
    #expect(try String(contentsOfFile: path("db_token"), encoding: .utf8) != token + "\n")
  }

  @Test(arguments: ["smp-server", "xftp-server"]) func passwordsOfRelays(_ relay: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let isFileRelay = relay == "xftp-server"
    let own = isFileRelay ? ["-p", path("files"), "-q", "1gb"] : ["-y"]
    let kind = isFileRelay ? "XFTP" : "SMP"
    func initialize(_ arguments: [String], in name: String) throws -> (status: Int32, output: String, errors: String) {
      try Program.run(
        relay, ["init", "--ip", "127.0.0.1"] + own + arguments, in: folder,
        environment: [
          "\(kind)_SERVER_CFG_PATH": path("\(name)/etc"), "\(kind)_SERVER_LOG_PATH": path("\(name)/var"),
        ])
    }
    let file = try write("hush\n", to: "password")
    let made = try initialize(["--password-file", file], in: "first")
    #expect(made.status == 0 && made.output.contains(":hush@127.0.0.1"), "\(made)")
    #expect(try initialize(["--password-file", file, "--password", "x"], in: "second").status != 0)
    let invalid = try initialize(["--password-file", try write("a b", to: "invalid")], in: "second")
    #expect(invalid.status != 0 && invalid.errors.contains("invalid characters"), "\(invalid)")
    #expect(!FileManager.default.fileExists(atPath: path("second")))
  }

  static var canChangeUser: Bool { getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0 }

  /// The head of the answer to a request for a WebSocket, and the reason of a refusal.
  private func answer(
    _ port: String, _ target: String, _ header: String = "", asNobody: Bool = false
  ) throws -> String {
    let script = """
      exec 3<>/dev/tcp/127.0.0.1/\(port)
      printf 'GET \(target) HTTP/1.1\\r\\nHost: localhost\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n' >&3
      printf 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\nSec-WebSocket-Version: 13\\r\\n\(header)\\r\\n' >&3
      IFS= read -r line <&3
      echo "$line"
      case "$line" in *403*) cat <&3 ;; esac
      """
    let process = Process()
    process.executableURL = URL(filePath: asNobody ? "/usr/bin/setpriv" : "/bin/bash")
    let user = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "/bin/bash"]
    process.arguments = (asNobody ? user : []) + ["-c", script]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }
}
