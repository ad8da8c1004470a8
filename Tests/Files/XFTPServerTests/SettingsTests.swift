import ChunkStore
import FileAccess
import Foundation
import RelayChassis
import SimplexTransport
import Testing

@testable import XFTPServer

/// The settings of file relays: those that are refused, and their changes while a relay runs.
@Suite("Settings of file relays", .timeLimit(.minutes(1)))
struct FileSettingsTests {
  private let folder: TemporaryFolder
  private let folders: FileServerFolders

  init() throws {
    folder = try TemporaryFolder()
    for name in ["etc", "var", "srv/files", "other"] { try Folder.create("\(folder.path)/\(name)") }
    folders = FileServerFolders(configuration: folder.path + "/etc", data: folder.path + "/var")
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
  }

  private func settings(_ changes: [String: String] = [:], _ lines: String = "") throws -> FileServerSettings {
    var text = """
      [STORE_LOG]
      enable = on
      expire_files_hours = 48
      [INFORMATION]
      operator = Somebody
      [TRANSPORT]
      bind = 127.0.0.1
      port = 0
      [AUTH]
      new_files = on
      [FILES]
      path = \(folder.path)/srv/files
      storage_quota = 1gb
      [WEB]
      \(lines)
      """
    for (old, new) in changes { text = text.replacing(old, with: new) }
    return try FileServerSettings(ServerINI(text), folders)
  }

  // MARK: Connections

  @Test func sharesOfConnections() throws {
    let usual = try settings()
    #expect(usual.server.share == ConnectionShare() && usual.server.share.limit == nil)
    let changed = try settings([
      "port = 0": "port = 0\nconnections_per_address = 7\ntrusted_proxies = 192.0.2.1, 2001:db8::/32"
    ])
    let share = changed.server.share
    #expect(share.limit == 7 && changed.warnings.isEmpty)
    for address in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "127.0.0.1", "127.8.0.1", "::1"] {
      #expect(share.holder(of: address) == nil, "\(address)")
    }
    #expect(share.holder(of: "192.0.2.2") == share.holder(of: "::ffff:192.0.2.2"))
    #expect(share.holder(of: "192.0.2.2") != nil && share.holder(of: "192.0.2.2") != share.holder(of: "192.0.2.3"))
    #expect(share.holder(of: "2001:db9::1") == share.holder(of: "2001:db9::2:0:0:1"))
    #expect(share.holder(of: "2001:db9::1") != share.holder(of: "2001:db9:0:1::1"))
    for wrong in ["connections_per_address = many", "trusted_proxies = proxy", "trusted_proxies = 192.0.2.0/33"] {
      #expect(throws: RelayError.self) { try settings(["port = 0": "port = 0\n\(wrong)"]) }
    }
  }

  // MARK: Folders of pages

  /// Everything in the folder of the pages is shown to everybody: neither keys nor files may be there, however the path
  /// is written.
  @Test(arguments: [
    "etc", "etc/", "", "var", "srv", "srv/files", "srv/files/www", "etc/www/new", "other/../etc", "other/./..//srv",
    "link-to-etc", "link-to-srv/files/", "other/up/etc", "link-to-new", "/",
  ])
  func pagesDoNotShowSecrets(path: String) throws {
    let manager = FileManager.default
    for (link, target) in [
      ("link-to-etc", "etc"), ("link-to-srv", folder.path + "/srv"), ("other/up", ".."),
      ("link-to-new", "srv/files/new"),
    ] { try manager.createSymbolicLink(atPath: "\(folder.path)/\(link)", withDestinationPath: target) }
    let place = path == "/" ? "/" : "\(folder.path)/\(path)"
    let settings = try settings([:], "static_path = \(place)")
    #expect(settings.webFolder == nil && settings.server.staticFolder == nil)
    #expect(settings.warnings.count == 1 && settings.pagesSummary == [])
    #expect(settings.warnings.allSatisfy { $0.hasPrefix("[WEB] static_path = \(place) has no effect, ") })
    #expect(try WholeFile.text(place + "/index.html") == nil)
  }

  /// A folder of its own is used, also one beside the database, where the reference server has it, and one whose name
  /// begins like that of another.
  @Test(arguments: ["www", "var/www", "etc2", "srv/file", "srv/files/../pages", "link-to-www/"])
  func otherFoldersHavePages(path: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link-to-www", withDestinationPath: "other")
    let settings = try settings([:], "static_path = \(folder.path)/\(path)").writingPages()
    #expect(settings.warnings == [] && settings.pagesProblem == nil)
    #expect(try WholeFile.text("\(folder.path)/\(path)/index.html")?.contains("Somebody") == true)
  }

  /// The key of the certificate for browsers may be anywhere else.
  @Test func theKeyForBrowsersIsNotShown() throws {
    let settings = try settings(
      [:], "cert = \(folder.path)/www/web.crt\nkey = \(folder.path)/www/web.key\nstatic_path = \(folder.path)/www")
    #expect(settings.webFolder == nil)
    #expect(settings.warnings.contains { $0.contains("has no effect") && $0.contains("the key of the certificate") })
  }

  // MARK: Reloading

  private func start(_ settings: FileServerSettings) async throws -> FileServerService {
    let store = try DiskChunkStore(
      databaseFile: folders.databaseFile, folder: settings.filesFolder, quota: settings.quota)
    return try await FileServerService.start(settings, folders, store: store)
  }

  @Test func changesAreListed() async throws {
    let service = try await start(try settings())
    #expect(try service.reload(settings()).lines == ["Reloaded: nothing has changed"])
    let changed = try settings([
      "new_files = on": "new_files = off\ncreate_password = secret", "= Somebody": "= Nobody",
      "storage_quota = 1gb": "storage_quota = 2gb", "hours = 48": "hours = 24\nlog_stats = on",
    ])
    let restart =
      "Changed, but a restart is needed: [STORE_LOG] expire_files_hours, [FILES] storage_quota, [STORE_LOG] log_stats"
    #expect(
      try service.reload(changed).lines == [
        "Reloaded: [INFORMATION] operator, [AUTH] new_files, [AUTH] create_password", restart,
      ])
    // What needs a restart is named again, what was taken over is not, and what has no effect never.
    let ineffective = try settings([
      "new_files = on": "new_files = off\ncreate_password = secret", "= Somebody": "= Nobody",
      "storage_quota = 1gb": "storage_quota = 2gb", "hours = 48": "hours = 24\nlog_stats = on",
      "enable = on": "enable = off", "[WEB]": "[WEB]\nhttps = 8443", "[INFORMATION]": "nonsense = 1\n[INFORMATION]",
    ])
    let again =
      "Changed, but a restart is needed: [STORE_LOG] expire_files_hours, [STORE_LOG] log_stats, [FILES] storage_quota"
    #expect(try service.reload(ineffective).lines == ["Reloaded: nothing", again])
    let summary = service.summary
    #expect(summary.contains("Nobody can upload files") && summary.contains("Files are deleted after 48 hours"))
    #expect(summary.contains { $0.hasSuffix("quota: 1gb") })
    // As it was at the start.
    #expect(
      try service.reload(settings()).lines == [
        "Reloaded: [INFORMATION] operator, [AUTH] new_files, [AUTH] create_password"
      ])
    await service.stop()
  }

  @Test func certificatesAreListed() async throws {
    let service = try await start(try settings())
    try folders.certificates.rotate(commonName: nil, algorithm: .ed25519)
    #expect(try service.reload(settings()).lines == ["Reloaded: the TLS certificate, for new connections"])
    let web = RelayCertificates(folder: folder.path + "/other")
    try web.create(commonName: "localhost", algorithm: .ed25519)
    let lines = "cert = \(web.serverCertificateFile)\nkey = \(web.serverKeyFile)"
    #expect(
      try service.reload(settings([:], lines)).lines == [
        "Reloaded: [WEB] cert, [WEB] key, the certificate for browsers, for new connections"
      ])
    for name in ["server.crt", "server.key"] {
      try Data(contentsOf: URL(filePath: "\(web.folder)/\(name)")).write(
        to: URL(filePath: "\(folders.configuration)/\(name)"))
    }
    // No client would accept it for this identity.
    #expect(throws: RelayError.self) { try service.reload(settings()) }
    await service.stop()
  }

  /// A folder that would show keys after a reload is not used from then on.
  @Test func pagesDoNotShowSecretsAfterAReload() async throws {
    let service = try await start(try settings([:], "static_path = \(folder.path)/www"))
    let changed = try settings([:], "static_path = \(folder.path)/www/../etc")
    #expect(changed.warnings.count == 1)
    #expect(try service.reload(changed).lines == ["Reloaded: [WEB] static_path"])
    #expect(!service.summary.contains { $0.hasPrefix("Pages for browsers") })
    #expect(try WholeFile.text(folders.configuration + "/index.html") == nil)
    await service.stop()
  }
}
