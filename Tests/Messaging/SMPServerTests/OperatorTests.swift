import FileAccess
import Foundation
import QueueStore
import RelayChassis
import SMPClient
import SMPClientCore
import SMPProtocol
import SMPServer
import SMPServerCore
import SimplexTesting
import SimplexTransport
import Testing
import WireCodec

/// The operator's view: settings, control port, metrics, statistics.
@Suite(.timeLimit(.minutes(2))) struct OperatorTests {
  // MARK: Settings

  private func proxy(_ text: String) throws -> ProxyConfiguration {
    try withFolders { folders in
      let settings = try ServerSettings(ServerINI("[TRANSPORT]\nport = 0\n" + text), folders)
      return try #require(settings.server.proxy)
    }
  }

  private func withFolders<Value>(_ body: (ServerFolders) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "operator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = ServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    return try body(folders)
  }

  /// Editors of other systems end lines differently, and begin files with a byte order mark.
  @Test(arguments: ["\n", "\r\n"]) func linesEndInAnyWay(end: String) throws {
    let lines = [
      "\u{FEFF}# settings", "[TRANSPORT]", "port = 0", "", "[AUTH]", "create_password = secret", "new_queues = off", "",
    ]
    try withFolders { folders in
      let settings = try ServerSettings(ServerINI(lines.joined(separator: end)), folders)
      #expect(settings.server.ports == [0] && settings.createPassword != nil && !settings.server.allowsNewQueues)
      #expect(settings.warnings == [])
    }
  }

  @Test func theSectionOfTheProxy() throws {
    let usual = try proxy("")
    #expect(usual.client.socksProxy == nil && usual.client.socksMode == .onion && usual.client.isProxy)
    #expect(usual.client.hosts == HostPolicy(preference: .publicHosts, isRequired: false))
    #expect(usual.ownDomains.isEmpty && usual.clientConcurrency == 32 && !usual.allowsPrivateAddresses)
    let changed = try proxy(
      """
      [PROXY]
      socks_proxy = 10.0.0.1:9150
      socks_mode = always
      host_mode = onion
      required_host_mode = on
      own_server_domains = example.org example.net
      client_concurrency = 8
      private_addresses = on
      """)
    #expect(changed.allowsPrivateAddresses)
    #expect(changed.client.socksProxy == SOCKS5Proxy(host: "10.0.0.1", port: 9150))
    #expect(changed.client.socksMode == .always)
    #expect(changed.client.hosts == HostPolicy(preference: .onionThroughProxy, isRequired: true))
    #expect(changed.ownDomains == ["example.org", "example.net"] && changed.clientConcurrency == 8)
    for wrong in [
      "socks_proxy = a:b", "host_mode = x", "socks_mode = x", "client_concurrency = 0", "private_addresses = x",
    ] {
      #expect(throws: SMPServerError.self) { try proxy("[PROXY]\n" + wrong) }
    }
  }

  @Test(
    arguments: [
      ("localhost:9050", SOCKS5Proxy(host: "localhost", port: 9050)),
      (":9150", SOCKS5Proxy(host: "127.0.0.1", port: 9150)),
      ("", SOCKS5Proxy(host: "127.0.0.1", port: 9050)),
      ("@10.1.1.1", SOCKS5Proxy(host: "10.1.1.1", port: 9050)),
      ("[::1]:9050", SOCKS5Proxy(host: "::1", port: 9050)),
      ("::1", SOCKS5Proxy(host: "::1", port: 9050)),
      ("u:p@h:1", SOCKS5Proxy(host: "h", port: 1, credentials: SOCKS5Credentials(username: "u", password: "p"))),
      ("h:0", nil), ("h:65536", nil), ("u@h", nil), ("a b", nil),
    ] as [(String, SOCKS5Proxy?)])
  func aSOCKSProxyAsText(_ text: String, _ proxy: SOCKS5Proxy?) {
    #expect(SOCKS5Proxy(setting: text) == proxy)
  }

  @Test func theSectionWithInformation() throws {
    let ini = try ServerINI(
      "[INFORMATION]\nsource_code = https://example.org\noperator_country = de\nhosting_type = owned")
    let information = try ServerInformation(ini)
    #expect(information.text == "source_code: https://example.org\noperator_country: DE\nhosting_type: owned")
    for wrong in ["server_country = Germany", "hosting_type = cloud"] {
      #expect(throws: SMPServerError.self) { try ServerInformation(ServerINI("[INFORMATION]\n" + wrong)) }
    }
  }

  @Test func theProgramWritesWhatItIsTold() throws {
    let program = try ServerProgram()
    defer { program.remove() }
    try program.run([
      "init", "-y", "--no-password", "--ip", "127.0.0.1", "--control-port", "--socks-proxy", "--own-domains",
      "example.org,example.net", "--operator", "Somebody", "--operator-country", "ch", "--hosting-type", "dedicated",
    ])
    let text = try String(contentsOf: program.folder.appending(path: "config/smp-server.ini"), encoding: .utf8)
    let ini = try ServerINI(text)
    #expect(ini.text("TRANSPORT", "control_port") == "5224")
    #expect(ini.text("PROXY", "socks_proxy") == "localhost:9050")
    #expect(ini.text("PROXY", "own_server_domains") == "example.org example.net")
    #expect(ini.text("INFORMATION", "operator") == "Somebody")
    #expect(ini.text("INFORMATION", "hosting_type") == "dedicated")
    #expect(throws: ServerProgram.Failed.self) { try program.run(["init", "-y", "--server-country", "Mars"]) }
    let other = try ServerProgram()
    defer { other.remove() }
    try other.run(["init", "-y", "--control-port", "7777", "--socks-proxy", "10.0.0.1:9150"])
    let second = try ServerINI(
      String(contentsOf: other.folder.appending(path: "config/smp-server.ini"), encoding: .utf8))
    #expect(second.text("TRANSPORT", "control_port") == "7777")
    #expect(second.text("PROXY", "socks_proxy") == "10.0.0.1:9150")
  }

  // MARK: A running service

  /// Runs the test with a service that has a control port.
  private func with(
    _ ini: String = "", _ body: (ServerService, ServerFolders, TestClient) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "operator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = ServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    let text = """
      [TRANSPORT]
      bind = 127.0.0.1
      port = 0
      [AUTH]
      control_port_admin_password = admin
      control_port_user_password = user
      daily_block_queue_quota = 0

      """
    var settings = try ServerSettings(ServerINI(text + ini), folders)
    settings.controlPort = 0
    let service = try await ServerService.start(settings, folders, store: MemoryQueueStore())
    do {
      let port = service.server.ports[0]
      let client = try await TestClient.connect(port: port, fingerprint: service.server.fingerprint)
      try await body(service, folders, client)
    } catch {
      await service.stop()
      throw error
    }
    await service.stop()
  }

  /// Passwords cannot be found by trying, over as many connections as one likes.
  @Test func theControlPortTakesFewWrongPasswords() async throws {
    try await with { service, _, client in
      let refusal = "error: too many wrong passwords; one more can be tried every 2 seconds"
      var answers: [String: Int] = [:]
      for index in 0..<40 {
        let port = try LineClient(port: try #require(service.controlPort))
        _ = try port.read(2)
        answers[try port.ask("auth wrong\(index)"), default: 0] += 1
      }
      #expect(answers.keys.sorted() == ["Current role is none", refusal])
      // A few more, if the machine is slow.
      #expect(answers["Current role is none"].map { (PasswordAttempts.limit..<20).contains($0) } == true)
      let port = try LineClient(port: try #require(service.controlPort))
      _ = try port.read(2)
      // The right one is checked when it may be, and further ones are not needed.
      while try port.ask("auth admin") != "Current role is admin" { try await Task.sleep(for: .milliseconds(200)) }
      #expect(try port.ask("suspend").hasPrefix("ok"))
    }
  }

  @Test func theControlPort() async throws {
    try await with { service, _, client in
      let port = try LineClient(port: try #require(service.controlPort))
      #expect(try port.read(2) == ["SMP server control port", "'help' for supported commands"])
      for command in ["stats", "clients", "server-info", "suspend", "block AAAA reason=spam"] {
        #expect(try port.ask(command).hasPrefix("AUTH: this command needs the "))
      }
      try port.send("help\n")
      let help = try port.read(16)
      #expect(help.allSatisfy { !$0.isEmpty } && help.contains { $0.contains("block ID reason=spam") }, "\(help)")
      #expect(try port.ask("auth wrong") == "Current role is none")
      #expect(try port.ask("nonsense") == "error: bad command; help lists the commands")
      #expect(try port.ask("block AAAA") == "error: usage: block ID reason=spam")
      #expect(try port.ask("auth user") == "Current role is user")
      #expect(try port.ask("suspend") == "AUTH: this command needs the admin password; auth PASSWORD first")

      let queue = try await client.newQueue()
      let id = Base64URL.string(queue.ids.senderID.bytes)
      #expect(try port.ask("status \(id)").hasPrefix("status: active"))
      #expect(try port.ask("status AAAA").hasPrefix("error: AUTH, there is no queue"))
      #expect(try port.ask("block \(id) because") == "error: bad blocking information, for example: reason=spam")
      #expect(try port.ask("block \(id) reason=spam").hasPrefix("ok"))
      let blocked = BrokerMessage.err(.BLOCKED(blockInfo: BlockingInfo(reason: .spam)))
      #expect(try await client.event().message == blocked)
      #expect(try await client.sendMessage([1], to: queue) == blocked)
      #expect(try port.ask("unblock \(id)").hasPrefix("ok"))
      while try await client.sendMessage([1], to: queue) != .ok {}

      let admin = try LineClient(port: try #require(service.controlPort))
      _ = try admin.read(2)
      #expect(try admin.ask("auth admin") == "Current role is admin")
      #expect(try admin.ask("suspend").hasPrefix("ok"))
      await #expect(throws: Unexpected.self) { try await client.newQueue() }
      #expect(try admin.ask("resume").hasPrefix("ok"))
      _ = try await client.newQueue()
      #expect(try admin.ask("server-info") == "Clients: 1")
      #expect(try admin.read(5).contains("Queues: 2"))
      #expect(try admin.ask("save") == "server state is always saved")
      #expect(try admin.ask("delete \(id)").hasPrefix("ok"))
      while try await client.ask(.sub, queue.recipient, key: queue.key) != .err(.AUTH) {}
      try admin.send("quit\n")
      try admin.waitForEnd()
      // A line without end is not kept.
      try port.send(String(repeating: "x", count: 10_000))
      try port.waitForEnd()
    }
  }

  @Test func theMetrics() async throws {
    try await with("[STORE_LOG]\nprometheus_interval = 1\n") { service, folders, client in
      let queue = try await client.newQueue(subscription: .onlyCreate)
      #expect(try await client.sendMessage([1], to: queue) == .ok)
      var text = ""
      while !text.contains("simplex_smp_messages_total 1\n") {
        try await Task.sleep(for: .milliseconds(50))
        text = try WholeFile.text(folders.metricsFile) ?? ""
      }
      #expect(text.contains("simplex_smp_messages_sent 1\n"))
      #expect(text.contains("# TYPE simplex_smp_queues_total1 gauge\nsimplex_smp_queues_total1 1\n"))
      #expect(text.contains("simplex_smp_relay_messages_requests{source=\"all\"} 0\n"))
      #expect(text.contains("simplex_smp_queues_daily 1\n"))
      #expect(text.contains("simplex_smp_names_reqs 0\n"))
      // Each name is described once, before its values.
      let described = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
      #expect(Set(described).count == described.count)
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        let fields = line.split(separator: " ")
        #expect(fields.count == 2 && Int(fields[1]) != nil, "\(line)")
      }
    }
  }
}
