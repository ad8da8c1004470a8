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
}
