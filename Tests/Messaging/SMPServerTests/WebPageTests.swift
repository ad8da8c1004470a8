import Foundation
import NIOCore
import RelayChassis
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Testing

@testable import SMPServer

/// The pages for browsers, on the port of the relay.
@Suite(.timeLimit(.minutes(2))) struct WebPageTests {
  private static func site() throws -> WebSite {
    let ini = try ServerINI(
      """
      [INFORMATION]
      source_code = https://example.org/source?a=1&b=2
      operator = <Operator> & "Co"
      operator_country = ch
      website = javascript:alert(1)
      """)
    return WebSite(
      InformationPage(
        title: "SMP relay", sections: [.init("This relay", [("New queues", "allowed")])],
        information: try ServerInformation(ini)),
      Dictionary(uniqueKeysWithValues: LinkPage.names.map { ($0, LinkPage.page) }))
  }

  /// A relay whose port serves browsers too, and the policy with which they verify it.
  private func withRelay(_ body: (TestRelay, ChainPolicy) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    let credential = try certificates.credential()
    let site = try Self.site()
    let policy = ChainPolicy.relay(fingerprint: try #require(credential.chain.identity).fingerprint)
    try await TestRelay.with({
      $0.web = .init(port: 0, credential: credential, site: site)
      // Who says nothing that a relay understands is disconnected after that.
      $0.handshakeTimeout = 5
    }) { relay in
      try await body(relay, policy)
    }
  }

  @Test func browsersAndClientsShareAPort() async throws {
    try await withRelay { relay, policy in
      let page = try await Browser.answer("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", relay.port, policy)
      #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(page.contains("<tr><th>New queues</th><td>allowed</td></tr>"))
      #expect(page.contains("<td>&lt;Operator&gt; &amp; &quot;Co&quot;</td>") && page.contains("<td>CH</td>"))
      #expect(page.contains("href=\"https://example.org/source?a=1&amp;b=2\""))
      // Only links that lead somewhere else can be followed.
      #expect(page.contains("<td>javascript:alert(1)</td>"))
      let client = try await relay.client()
      #expect(try await client.ask(.ping) == .pong)
      // Nobody who does not name the server gets pages.
      await #expect(throws: (any Error).self) {
        try await Browser.answer(
          "GET / HTTP/1.1\r\n\r\n", relay.port, .relay(fingerprint: relay.server.fingerprint), namesServer: false)
      }
    }
  }

  @Test(arguments: LinkPage.names) func linksHaveAPage(_ name: String) async throws {
    try await withRelay { relay, policy in
      for path in ["/\(name)", "/\(name)/", "/\(name)?x=1"] {
        let page = try await Browser.answer("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", relay.port, policy)
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("<canvas id=\"code\""))
        #expect(page.contains("href=\"https://simplex.chat/downloads/\""))
        // The script is the one that the policy of the page admits, and nothing else is loaded.
        let parts = page.components(separatedBy: "<script>")
        let script = try #require(parts.last?.components(separatedBy: "</script>").first)
        let hash = Data(HashFunction.sha256.digest(of: Array(script.utf8).span.bytes)).base64EncodedString()
        #expect(parts.count == 2 && page.contains("default-src 'none'"))
        #expect(page.contains("; script-src 'sha256-\(hash)';"))
      }
    }
  }

  @Test(arguments: [
    ("GET /other HTTP/1.1\r\n\r\n", "404"), ("GET /a/b HTTP/1.1\r\n\r\n", "404"), ("GET a HTTP/1.1\r\n\r\n", "404"),
    ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "405"), ("nonsense\r\n\r\n", "400"), ("\r\n\r\n", "400"),
    ("GET / HTTP/2.0\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 9_000))", "431"),
  ])
  func otherRequestsAreRefused(_ request: String, _ status: String) async throws {
    try await withRelay { relay, policy in
      let answer = try await Browser.answer(request, relay.port, policy)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
    }
  }

  @Test func theHeadAloneHasTheSameFields() async throws {
    try await withRelay { relay, policy in
      let whole = try await Browser.answer("GET /a HTTP/1.1\r\n\r\n", relay.port, policy)
      let head = try await Browser.answer("HEAD /a HTTP/1.1\r\n\r\n", relay.port, policy)
      #expect(head.hasSuffix("\r\n\r\n") && whole.hasPrefix(head) && whole.utf8.count > head.utf8.count)
    }
  }

  @Test func thePagesAreWrittenForOtherServers() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "www-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let site = try Self.site()
    try site.write(to: folder.path)
    #expect(try String(contentsOf: folder.appending(path: "index.html"), encoding: .utf8) == site["/"]?.html)
    for name in LinkPage.names {
      let file = folder.appending(path: "\(name)/index.html")
      #expect(try String(contentsOf: file, encoding: .utf8) == site["/\(name)"]?.html)
    }
  }

  /// Links in the forms that apps write, as the page makes them of its address.
  @Test(
    .enabled(if: hasNode, "Node is not installed"),
    arguments: [
      ("a", "#KEY?p=5223&c=1234-w", "simplex:/a#KEY?h=smp.example.org&p=5223&c=1234-w"),
      ("i", "#ID/KEY?h=abc.onion&c=1234-w", "simplex:/i#ID/KEY?h=smp.example.org%2Cabc.onion&c=1234-w"),
      (
        "g", "#KEY?c=1234-w&h=other.org%2Cabc.onion",
        "simplex:/g#KEY?h=smp.example.org%2Cother.org%2Cabc.onion&c=1234-w"
      ),
      ("c", "#KEY", "simplex:/c#KEY?h=smp.example.org"),
      ("contact", "#/?v=2-7&smp=smp%3A%2F%2F1234-w%40host", "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F1234-w%40host"),
    ])
  func linksForApps(_ name: String, _ hash: String, _ link: String) throws {
    let node = Process()
    let output = Pipe()
    node.executableURL = URL(filePath: "/usr/bin/env")
    node.arguments = [
      "node", "-e", LinkScript.text + "\nconsole.log(appLink(...process.argv.slice(1), 'smp.example.org'))", name, hash,
    ]
    node.standardOutput = output
    try node.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    node.waitUntilExit()
    #expect(printed == link + "\n")
  }

  private static let hasNode = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: $0 + "/node")
  }

  /// Neither keeps a relay from its clients: a key that is too short for TLS, or is not the certificate's.
  @Test func otherCertificatesAreNotUsed() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = ServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    for bits in [1_024, 2_048] {
      let openssl = Process()
      openssl.executableURL = URL(filePath: "/usr/bin/env")
      openssl.arguments = [
        "openssl", "req", "-x509", "-newkey", "rsa:\(bits)", "-nodes", "-subj", "/CN=localhost", "-keyout",
        folder.path + "/\(bits).key", "-out", folder.path + "/\(bits).crt",
      ]
      openssl.standardError = FileHandle.nullDevice
      try openssl.run()
      openssl.waitUntilExit()
    }
    for (certificate, key, isUsed) in [(2_048, 2_048, true), (1_024, 1_024, false), (2_048, 1_024, false)] {
      let ini = try ServerINI(
        "[TRANSPORT]\nport = 0\n[WEB]\nhttps = 0\ncert = \(folder.path)/\(certificate).crt\nkey = \(folder.path)/\(key).key"
      )
      let settings = try ServerSettings(ini, folders)
      #expect((settings.server.web != nil) == isUsed, "\(certificate) \(key)")
      #expect(
        settings.warnings.contains { $0.contains("cert and key cannot be used") } == !isUsed, "\(certificate) \(key)")
    }
  }

  /// The program with the settings of an operator, whose certificate is renewed while it runs.
  @Test func operatorsSwitchThemOn() async throws {
    let program = try ServerProgram()
    defer { program.remove() }
    let pages = program.folder.appending(path: "www").path
    try program.run([
      "init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0", "--operator", "Somebody", "--web-path", pages,
    ])
    let web = RelayCertificates(folder: program.folder.appending(path: "web").path)
    try FileManager.default.createDirectory(atPath: web.folder, withIntermediateDirectories: true)
    try web.create(commonName: "localhost", algorithm: .ed25519)
    let file = program.folder.appending(path: "config/smp-server.ini")
    var ini = try String(contentsOf: file, encoding: .utf8)
    ini = ini.replacing("# https = 443", with: "https = 0")
    ini = ini.replacing("# cert = /etc/opt/simplex/web.crt", with: "cert = \(pages)/web.crt")
    ini = ini.replacing("# key = /etc/opt/simplex/web.key", with: "key = \(web.serverKeyFile)")
    try ini.write(to: file, atomically: true, encoding: .utf8)
    let process = try await program.start()
    // The program masks the permissions of others in the files that it creates.
    for (path, mode) in [(pages, 0o755), (pages + "/a", 0o755), (pages + "/a/index.html", 0o644)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == mode, "\(path)")
    }
    // Without its certificate the relay serves clients, and tells the operator.
    #expect(process.greeting.contains("[WEB] https has no effect: cert and key cannot be used"))
    #expect(process.greeting.contains("Pages for browsers are written to \(pages)"))
    #expect(try String(contentsOfFile: pages + "/index.html", encoding: .utf8).contains("Somebody"))
    #expect(try await process.client().ask(.ping) == .pong)

    let chain = try ["server.crt", "ca.crt"].map {
      try String(contentsOfFile: "\(web.folder)/\($0)", encoding: .utf8)
    }
    try chain.joined().write(toFile: pages + "/web.crt", atomically: true, encoding: .utf8)
    _ = try process.reload(until: "the certificate for browsers")
    let policy = ChainPolicy.relay(fingerprint: try #require(try web.credential().chain.identity).fingerprint)
    let page = try await Browser.answer("GET / HTTP/1.1\r\n\r\n", process.port, policy)
    #expect(page.contains("Somebody"))
    #expect(try await process.client().ask(.ping) == .pong)

    // With one that cannot be used the old one is shown, and what else has changed is taken over.
    try "no certificate".write(toFile: pages + "/web.crt", atomically: true, encoding: .utf8)
    try ini.replacing("operator = Somebody", with: "operator = Nobody").replacing("https = 0", with: "https = 1")
      .replacing("static_path = \(pages)", with: "static_path = /proc/none/pages")
      .write(to: file, atomically: true, encoding: .utf8)
    let problems = try process.reload(until: "a restart is needed")
    #expect(
      problems.contains("[WEB] https goes on with the old certificate: cert and key cannot be used"), "\(problems)")
    #expect(problems.contains("Pages for browsers cannot be written: /proc/none"), "\(problems)")
    #expect(
      problems.contains("a restart is needed: [WEB] https\n") && !problems.contains("no effect: cert"), "\(problems)")
    let changed = try await Browser.answer("GET / HTTP/1.1\r\n\r\n", process.port, policy)
    #expect(changed.contains("Nobody"))
    // The problem of the pages is over when they can be written again.
    try ini.replacing("https = 0", with: "https = 1").write(to: file, atomically: true, encoding: .utf8)
    #expect(try !process.reload(until: "a restart is needed").contains("cannot be written"))
    process.terminate()
    try await process.waitForExit()
  }
}

/// A client of HTTP/1.1 over TLS, as browsers are.
///
/// Unchecked: used on its event loop alone.
private final class Browser: PlaintextReceiver, @unchecked Sendable {
  private var received: [UInt8] = []
  private let result: EventLoopPromise<[UInt8]>

  private init(_ result: EventLoopPromise<[UInt8]>) { self.result = result }

  /// Sends bytes, and returns everything that the server sends until it closes the connection.
  static func answer(
    _ request: String, _ port: Int, _ policy: ChainPolicy, namesServer: Bool = true
  ) async throws -> String {
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["h2", "http/1.1"]))
    var options = TransportClient.Options()
    options.sendsServerName = namesServer
    let result = try await client.connect(
      host: "localhost", port: port, policy: policy, options: options
    ) { _, channel, tls -> (EventLoopFuture<[UInt8]>, any PlaintextReceiver) in
      let browser = Browser(channel.eventLoop.makePromise())
      try? tls.write(Array(request.utf8).span.bytes)
      tls.flush()
      return (browser.result.futureResult, browser)
    }
    return String(decoding: try await result.get(), as: UTF8.self)
  }

  func read(from engine: TLSEngine) throws(TLSError) -> Bool {
    try engine.readAll { received += $0 }
  }

  func readComplete() {}

  func writabilityChanged(_ isWritable: Bool) {}

  func connectionClosed(_ error: TransportError?) {
    // Relays send blocks, which are no pages.
    if received.starts(with: Array("HTTP/".utf8)) { result.succeed(received) } else { result.fail(error ?? .closed) }
  }
}
