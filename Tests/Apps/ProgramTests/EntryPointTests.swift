import Foundation
import Testing

private let entryPointScripts = ProcessInfo.processInfo.environment["SIMPLEX_ENTRYPOINTS"].map { URL(filePath: $0) }

/// The entry points of the reference's containers, unchanged, with our programs: opt-in, because the scripts are not in
/// this repository. `SIMPLEX_ENTRYPOINTS` names a folder with `entrypoint-smp-server` and `entrypoint-xftp-server` (of
/// `scripts/docker` in simplexmq) and `simplex-servers-stopscript` (of `scripts/main`). Needs root: each script runs in
/// a mount namespace in which `/etc/opt`, `/var/opt`, `/srv` and `/usr/local/bin` are folders of the test.
@Suite(
  .serialized, .timeLimit(.minutes(3)),
  .enabled(if: entryPointScripts != nil && getuid() == 0, "needs SIMPLEX_ENTRYPOINTS, and root"))
struct EntryPointTests {
  /// A container: its folders stay when its program ends.
  private final class Container: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "container-\(UUID().uuidString)")

    init(_ program: String) throws {
      let manager = FileManager.default
      for name in ["etc", "var", "srv/xftp", "bin"] {
        try manager.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
      }
      let scripts = try #require(entryPointScripts)
      for name in ["entrypoint-\(program)", "simplex-servers-stopscript"] {
        let copy = folder.appending(path: "bin/\(name)")
        try manager.copyItem(at: scripts.appending(path: name), to: copy)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy.path)
      }
      try manager.createSymbolicLink(
        at: folder.appending(path: "bin/\(program)"), withDestinationURL: Program.folder.appending(path: program))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func text(_ file: String) throws -> String {
      try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }

    /// Runs the entry point of a program with these variables.
    func start(_ program: String, _ variables: [String: String]) throws -> Program {
      let script = """
        mount --make-rprivate / && mount --bind "$0/etc" /etc/opt && mount --bind "$0/var" /var/opt \
        && mount --bind "$0/srv" /srv && mount --bind "$0/bin" /usr/local/bin && exec "/usr/local/bin/entrypoint-$1"
        """
      let path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
      return try Program(
        executable: URL(filePath: "/usr/bin/unshare"), ["-m", "sh", "-c", script, folder.path, program], in: folder,
        environment: ["PATH": path].merging(variables) { $1 })
    }
  }

  /// The settings are those that the script asks for, clients can use the relay, and a second start of the container
  /// finds everything again. A container is stopped by SIGINT.
  @Test func theRelayOfMessages() throws {
    let container = try Container("smp-server")
    for isFirst in [true, false] {
      let server = try container.start("smp-server", isFirst ? ["ADDR": "127.0.0.1", "PASS": "a-password"] : [:])
      let address = try server.line("Server address: smp://")
      _ = try server.line("Listening on 127.0.0.1, port 5223")
      let relay = "smp://\(address.replacing("@", with: ":a-password@"))"
      // The first start makes a profile with an address on the relay, which the second one finds again.
      let client = try Program.run(
        "simplex-chat",
        ["-d", container.folder.appending(path: "alice").path, "-s", relay, "-e", isFirst ? "/ad" : "/connect"]
          + (isFirst ? ["--display-name", "alice", "--no-preset-contacts"] : []), in: container.folder)
      #expect(client.status == 0, "\(client.errors)\(client.output)")
      #expect(server.interrupt() == 0)
    }
    let settings = try container.text("etc/simplex/smp-server.ini")
    #expect(settings.contains("\ncreate_password = a-password\n") && settings.contains("\nlog_stats = on\n"))
  }

  /// A host name, without a password, and with pages by another web server.
  @Test(arguments: [[:], ["WEB_MANUAL": "1"]]) func aRelayWithAName(_ variables: [String: String]) throws {
    let container = try Container("smp-server")
    let server = try container.start("smp-server", ["ADDR": "smp1.example.org"].merging(variables) { $1 })
    #expect(try server.line("Server address: smp://").hasSuffix("@smp1.example.org"))
    _ = try server.line("Listening on all addresses, port 5223")
    #expect(server.interrupt() == 0)
    let settings = try container.text("etc/simplex/smp-server.ini")
    #expect(settings.contains("\nown_server_domains = example.org\n") && !settings.contains("\ncreate_password ="))
  }

  /// An address that is missing is reported by the script.
  @Test func anAddressIsNeeded() throws {
    for program in ["smp-server", "xftp-server"] {
      let container = try Container(program)
      let server = try container.start(program, ["ADDR": "", "PASS": "", "QUOTA": ""])
      _ = try server.line("Please specify $ADDR environment variable.")
      #expect(server.waitForEnd() == 1)
    }
  }

  @Test func theRelayOfFiles() throws {
    let container = try Container("xftp-server")
    let sent = container.folder.appending(path: "sent.bin")
    try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: sent)
    for isFirst in [true, false] {
      let server = try container.start("xftp-server", ["ADDR": "127.0.0.1", "PASS": "a-password", "QUOTA": "1GB"])
      let address = try server.line("Server address: xftp://")
      _ = try server.line("Listening on 127.0.0.1, port 443")
      let relay = "xftp://\(address.replacing("@", with: ":a-password@"))"
      let result =
        isFirst
        ? try Program.run("xftp", ["send", "sent.bin", "-s", relay], in: container.folder, atFolder: true)
        : try Program.run(
          "xftp", ["recv", "sent.bin.xftp/rcv1.xftp", "got.bin", "-y"], in: container.folder, atFolder: true)
      #expect(result.status == 0, "\(result.errors)\(result.output)")
      #expect(server.interrupt() == 0)
    }
    #expect(try Data(contentsOf: container.folder.appending(path: "got.bin")) == Data(contentsOf: sent))
    let settings = try container.text("etc/simplex-xftp/file-server.ini")
    #expect(settings.contains("\ncreate_password = a-password\n") && settings.contains("\nstorage_quota = 1gb\n"))
  }
}
