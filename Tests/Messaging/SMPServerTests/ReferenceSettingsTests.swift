import Foundation
import SMPProtocol
import SMPServer
import Testing

/// Settings and arguments of the reference server.
@Suite(.timeLimit(.minutes(2))) struct ReferenceSettingsTests {
  /// The settings, without comments, that the reference server 7.0.0.3 writes for
  /// `init -y --fqdn relay.example --password secret --daily-stats --control-port --own-domains relay.example
  /// --source-code https://example.org/source`.
  private static let written = """
    [INFORMATION]
    source_code = https://example.org/source
    hosting_type = virtual
    [STORE_LOG]
    enable = on
    store_queues = memory
    store_messages = memory
    restore_messages = on
    expire_messages_days = 21
    expire_messages_on_start = on
    expire_messages_on_send = off
    expire_ntfs_hours = 24
    log_stats = on
    [AUTH]
    new_queues = on
    create_password = secret
    control_port_admin_password = admin
    control_port_user_password = user
    [TRANSPORT]
    host = relay.example
    port = 5223,443
    log_tls_errors = off
    websockets = off
    control_port = 5224
    [PROXY]
    own_server_domains = relay.example
    [NAMES]
    enable: off
    [INACTIVE_CLIENTS]
    disconnect = on
    ttl = 21600
    check_interval = 3600
    [WEB]
    static_path = /var/opt/simplex/www
    https = 443
    cert = /etc/opt/simplex/web.crt
    key = /etc/opt/simplex/web.key

    """

  private func settings(_ text: String) throws -> ServerSettings {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = ServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    return try ServerSettings(ServerINI(text), folders)
  }

  /// The pages are for another web server, which shows everybody the whole folder.
  @Test func pagesAreNotWrittenBesideKeys() throws {
    let settings = try settings("[WEB]\nkey = /srv/www/web.key\nstatic_path = /srv/www/")
    #expect(settings.webFolder == nil)
    #expect(settings.warnings.contains { $0.hasPrefix("[WEB] static_path = /srv/www/ has no effect, ") })
    let root = try self.settings("[WEB]\nstatic_path = /")
    #expect(root.webFolder == nil && root.warnings.count == 1)
  }

  @Test func whatTheReferenceWroteMeansTheSame() throws {
    let settings = try settings(Self.written)
    #expect(settings.warnings.count == 1 && settings.warnings[0].hasPrefix("[WEB] https has no effect: cert"))
    #expect(settings.webFolder == "/var/opt/simplex/www" && settings.server.web == nil)
    #expect(settings.keepsQueues && settings.logsStatistics && settings.controlPort == 5224)
    #expect(settings.hosts == ["relay.example"] && settings.server.ports == [5223, 443] && settings.server.host == nil)
    #expect(settings.server.basicAuth == BasicAuth(Array("secret".utf8)))
    #expect(settings.server.messageTTL == 21 * 86_400 && !settings.server.expiresMessagesOnSend)
    #expect(settings.server.inactivity == .init(ttl: 21_600, checkInterval: 3_600))
    #expect(settings.server.proxy?.ownDomains == ["relay.example"])
  }

  @Test(arguments: [
    ("[STORE_LOG]\nstore_queues = database", "[STORE_LOG] store_queues"),
    ("[STORE_LOG]\nrestore_messages = off", "[STORE_LOG] restore_messages"),
    ("[STORE_LOG]\ndb_schema = smp", "[STORE_LOG] db_schema"),
    ("[TRANSPORT]\nwebsockets = 443", "[TRANSPORT] websockets"),
    ("[NAMES]\nenable: on\nresolver_endpoint: http://127.0.0.1:8000", "[NAMES]"),
    ("[WEB]\nhttp = 8000", "[WEB] http has no effect"),
    ("[WEB]\nhttps = 443", "[WEB] https has no effect: 443 is not one of the ports"),
    ("[TRANSPORT]\nport = 443\n[WEB]\nhttps = 443", "[WEB] https has no effect: cert and key are not set"),
    ("[WEB]\nhttp2 = on", "[WEB] http2 is unknown"),
    ("[AUTH]\nnew_queue = off", "[AUTH] new_queue is unknown"),
    ("[STORELOG]\nenable = off", "[STORELOG] enable is unknown"),
  ])
  func whatIsNotDoneIsTold(_ text: String, _ warning: String) throws {
    let warnings = try settings(text).warnings
    #expect(warnings.count == 1 && warnings[0].hasPrefix(warning), "\(warnings)")
  }

  @Test func whatIsNotSaidMeansTheSame() throws {
    var settings = try settings("")
    #expect(settings.site["/"]?.html.contains("<td>after 21 days</td>") == true)
    settings.server.messageTTL = nil
    #expect(settings.site["/"]?.html.contains("<td>never</td>") == true)
    #expect(settings.server.inactivity == nil && settings.server.expiresMessagesOnSend)
    #expect(settings.server.allowsNewQueues && settings.server.basicAuth == nil && settings.controlPort == nil)
    #expect(settings.warnings.isEmpty)
  }

  @Test func linesAreReadAsTheReferenceReadsThem() throws {
    let ini = try ServerINI("[A]\nx: a=b\ny = c:d\ny = second\r\n; z = 1\n")
    #expect(ini.text("A", "x") == "a=b" && ini.text("A", "y") == "c:d" && ini.text("A", "z") == nil)
  }

  @Test(arguments: [
    "[STORE_LOG]\nexpire_messages_days = 9223372036854775807", "[STORE_LOG]\nexpire_ntfs_hours = -1",
    "[INACTIVE_CLIENTS]\ndisconnect = on\nttl = 9223372036854775807", "[TRANSPORT]\ncontrol_port = 65536",
    "[TRANSPORT]\nport = 70000", "[STORE_LOG]\nprometheus_interval = x", "[AUTH]\nnew_queues = yes", "enable",
  ])
  func wrongValuesAreErrors(_ text: String) {
    #expect(throws: SMPServerError.self) { try settings(text) }
  }

  /// The arguments of the reference server's container and unit.
  @Test func itsScriptsWork() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run([
      "init", "--yes", "--store-log", "--daily-stats", "--source-code", "--fqdn", "relay.example",
      "--own-domains=relay.example", "--no-password", "--port", "0", "--disable-web",
    ])
    let process = try await program.start(["+RTS", "-N", "-RTS"])
    _ = try await process.client().ask(.ping)
    process.terminate()
    try await process.waitForExit()
    #expect(try program.run(["-v"]).contains("SMP server"))
    #expect(try program.run(["--version"]).contains("SMP server"))
    #expect(
      try program.run(["start", "-m", "--compact-log", "--skip-warnings", "--log-level", "info"]).contains("Stored"))
  }

  @Test func itAsksWithoutYes() throws {
    let program = try ServerProgram()
    defer { program.remove() }
    #expect(throws: ServerProgram.Failed.self) { try program.run(["init"]) }
    #expect(throws: ServerProgram.Failed.self) { try program.run(["init"], input: "\n\n\n\nn\n") }
    #expect(!FileManager.default.fileExists(atPath: program.folder.appending(path: "config").path))
    let text = try program.run(["init"], input: "relay.example\n\ny\nsecret\ny\n")
    #expect(text.contains(":secret@relay.example"))
    let ini = try ServerINI(
      String(contentsOf: program.folder.appending(path: "config/smp-server.ini"), encoding: .utf8))
    #expect(ini.text("STORE_LOG", "enable") == "on" && ini.text("STORE_LOG", "log_stats") == "on")
    #expect(throws: ServerProgram.Failed.self) { try program.run(["delete"], input: "n\n") }
    try program.run(["delete"], input: "Y\n")
    #expect(!FileManager.default.fileExists(atPath: program.folder.appending(path: "config").path))
  }
}
