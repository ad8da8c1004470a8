import ChunkStore
import FileAccess
import Foundation
import RelayChassis
import SMPProtocol
import SimplexTesting
import Testing
import WireCodec
import XFTPClient

@testable import XFTPServer

/// The operator's view: control port, metrics, and pages.
@Suite("Operators of file relays", .serialized, .timeLimit(.minutes(1)))
struct OperatorTests {
  /// A service with a control port, whose settings end with these lines.
  private struct Running {
    let folder: TemporaryFolder
    let folders: FileServerFolders
    let service: FileServerService
    let settings: FileServerSettings

    init(_ lines: String = "") async throws {
      folder = try TemporaryFolder()
      folders = FileServerFolders(configuration: folder.path, data: folder.path)
      try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
      let ini = """
        [INFORMATION]
        operator = Somebody
        [TRANSPORT]
        bind = 127.0.0.1
        port = 0
        [AUTH]
        control_port_admin_password = admin
        control_port_user_password = user
        [FILES]
        path = \(folder.path)/files
        storage_quota = 1gb
        \(lines)
        """
      var settings = try FileServerSettings(ServerINI(ini), folders)
      settings.controlPort = 0
      settings.metricsPort = 0
      self.settings = settings
      let store = try DiskChunkStore(
        databaseFile: folders.databaseFile, folder: settings.filesFolder, quota: settings.quota)
      service = try await FileServerService.start(settings, folders, store: store)
    }

    func connect() async throws -> FileRelayConnection {
      let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
      return try await FileRelayConnection.connect(
        to: RelayAddress(host, port: UInt16(service.server.port), keyHash: service.server.fingerprint))
    }
  }

  @Test func theControlPort() async throws {
    let running = try await Running()
    let port = try LineClient(port: try #require(running.service.controlPort))
    #expect(try port.read(2) == ["XFTP server control port", "'help' for supported commands"])
    for command in ["stats", "delete AAAA", "block AAAA reason=spam"] {
      #expect(try port.ask(command).hasPrefix("AUTH: this command needs the "))
    }
    #expect(try port.ask("auth wrong") == "Current role is none")
    #expect(try port.ask("nonsense") == "error: bad command; help lists the commands")
    #expect(try port.ask("auth user") == "Current role is user")
    #expect(try port.ask("delete ?").hasPrefix("error: bad file identifier"))
    #expect(try port.ask("block AAAA because") == "error: bad blocking information, for example: reason=spam")

    let client = try await running.connect()
    var ids: [String] = []
    var chunks: [(chunk: TestChunk, sender: EntityID, recipients: [EntityID])] = []
    for _ in 0..<2 {
      let chunk = TestChunk(recipients: 2)
      let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
      try await client.upload(chunk, to: sender)
      chunks.append((chunk, sender, recipients))
      ids.append(Base64URL.string(recipients[0].bytes))
    }
    try port.send("stats\n")
    let stats = try port.read(FileEvent.allCases.count + 2)
    #expect(stats.contains("filesUploaded: 2") && stats.suffix(2) == ["files: 2", "bytes: 131072"], "\(stats)")

    #expect(try port.ask("delete \(ids[0])").hasPrefix("ok"))
    while running.service.server.usage.chunks > 1 { try await Task.sleep(for: .milliseconds(5)) }
    await #expect(throws: FileClientError.relay(.AUTH)) {
      try await client.download(chunks[0].chunk, of: chunks[0].recipients[1], key: 1)
    }
    #expect(try port.ask("block \(ids[1]) reason=content").hasPrefix("ok"))
    while running.service.server.usage.chunks > 0 { try await Task.sleep(for: .milliseconds(5)) }
    let blocked = FileClientError.relay(.BLOCKED(blockInfo: BlockingInfo(reason: .content)))
    await #expect(throws: blocked) {
      try await client.download(chunks[1].chunk, of: chunks[1].recipients[1], key: 1)
    }
    await #expect(throws: blocked) { try await client.delete(chunks[1].sender, key: chunks[1].chunk.key) }
    #expect(running.folder.files("files") == [])
    // Who asks for what is not there is not told so.
    #expect(try port.ask("delete \(ids[0])").hasPrefix("ok"))

    try port.send("quit\n")
    try port.waitForEnd()
    client.close()
    await running.service.stop()
  }

  @Test func theMetrics() async throws {
    let running = try await Running("[STORE_LOG]\nprometheus_interval = 1")
    let client = try await running.connect()
    let chunk = TestChunk(recipients: 2)
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    try await client.upload(chunk, to: sender)
    _ = try await client.download(chunk, of: recipients[0])
    try await client.acknowledge(recipients[0], key: chunk.recipientKeys[0])
    var text = ""
    while !text.contains("simplex_xftp_file_download_acks 1\n") {
      try await Task.sleep(for: .milliseconds(50))
      text = try WholeFile.text(running.folders.metricsFile) ?? ""
    }
    for line in [
      "files_created 1", "files_recipients 2", "files_uploaded 1", "files_expired 0", "files_deleted 0",
      "files_blocked 0", "file_downloads 1", "files_count_total 1", "files_size 65536", "files_count_daily 1",
    ] { #expect(text.contains("\nsimplex_xftp_\(line)\n"), "\(line)") }
    // Each name is described once, before its values.
    let described = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
    #expect(described.count == 13 && Set(described).count == described.count)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: " ")
      #expect(fields.count == 2 && Int(fields[1]) != nil, "\(line)")
    }
    // Over HTTP the names are those of the conventions.
    let port = try LineClient(port: try #require(running.service.metricsPort))
    try port.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let standard = try #require(try port.readToEnd().components(separatedBy: "\r\n\r\n").last)
    for line in ["files_created_total 1", "files 1", "files_size_bytes 65536", "store_failing 0"] {
      #expect(standard.contains("\nsimplex_xftp_\(line)\n"), "\(standard)")
    }
    #expect(MetricsCheck.problems(in: standard) == [])
    #expect(try MetricsCheck.missing(in: standard, prefix: "simplex_xftp_") == [])
    if let printed = try MetricsCheck.promtool(standard) { #expect(printed.isEmpty, "\(printed)") }
    client.close()
    await running.service.stop()
  }

  @Test func thePagesAreWrittenAndRenewed() async throws {
    let place = try TemporaryFolder()
    let running = try await Running("[WEB]\nstatic_path = \(place.path)/www\nhttp = 8000\nother = 1")
    let index = "\(place.path)/www/index.html"
    #expect(try WholeFile.text(index) == running.settings.site["/"]?.html)
    let page = try #require(running.settings.site["/"])
    #expect(page.html.contains("<td>Somebody</td>") && page.html.contains("<td>after 48 hours</td>"))
    #expect(page.html.contains("<td>allowed</td>") && page.scriptHash != nil)
    #expect(running.service.summary.contains("Pages for browsers are written to \(place.path)/www"))
    #expect(running.settings.warnings.count == 2, "\(running.settings.warnings)")

    var changed = running.settings
    changed.server.allowsNewFiles = false
    changed.server.fileTTL = 3_600
    #expect(try running.service.reload(changed).problems == [])
    #expect(try WholeFile.text(index)?.contains("<td>refused</td>") == true)
    #expect(try WholeFile.text(index)?.contains("<td>after 48 hours</td>") == true, "until a restart")
    // A place where nothing can be written does not disturb clients.
    try FileManager.default.removeItem(atPath: place.path + "/www")
    try Data().write(to: URL(filePath: place.path + "/www"))
    let problems = try running.service.reload(running.settings).problems
    #expect(problems.count == 1 && problems.allSatisfy { $0.hasPrefix("Pages for browsers cannot be written: ") })
    #expect(running.service.summary.contains { $0.hasPrefix("Pages for browsers cannot be written: ") })
    let client = try await running.connect()
    try await client.ping()
    client.close()
    await running.service.stop()
  }

  /// Certificates of browsers that cannot be read are reported; clients are served.
  @Test func aMissingCertificateIsReported() async throws {
    let running = try await Running("[WEB]\ncert = /nowhere/web.crt\nkey = /nowhere/web.key")
    #expect(running.settings.warnings.contains { $0.hasPrefix("[WEB] browsers are not served: cert and key cannot") })
    #expect(running.settings.server.site == nil && running.settings.server.webCredential == nil)
    let client = try await running.connect()
    try await client.ping()
    client.close()
    await running.service.stop()
  }
}
