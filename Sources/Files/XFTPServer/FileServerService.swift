import ChunkStore
import RelayChassis
import Synchronization
import WireCodec
import XFTPProtocol

/// A file relay with its services: daily statistics, metrics, the control port.
public final class FileServerService: Sendable {
  /// The relay.
  public let server: FileServer
  private let services: RelayServices
  private let current: Mutex<FileServerSettings>
  private let folders: FileServerFolders

  private init(
    server: FileServer, services: RelayServices, settings: FileServerSettings, folders: FileServerFolders
  ) {
    self.server = server
    self.services = services
    current = Mutex(settings)
    self.folders = folders
  }

  /// Starts all services that the settings enable. The store is closed with the relay.
  public static func start(
    _ settings: FileServerSettings, _ folders: FileServerFolders, store: any ChunkStore
  ) async throws(RelayError) -> FileServerService {
    let settings = settings.writingPages()
    let server = try await FileServer.start(settings.server, store: store)
    let access = ControlAccess()
    let log = FileStatisticsLog(relay: server.relay, path: folders.statisticsFile)
    do {
      let services = try await RelayServices.start(
        settings.common, folders, statistics: log, metrics: FileMetrics(server: server),
        greeting: "XFTP server control port"
      ) { FileControlSession(settings, server.relay, access: access) }
      return FileServerService(server: server, services: services, settings: settings, folders: folders)
    } catch {
      await server.stop()
      throw error
    }
  }

  /// Takes over the certificates, the pages for browsers and the rules for new files of other settings, for connections
  /// that are accepted from now on; the other settings are unchanged.
  /// - Returns: The settings that have changed.
  /// - Throws: where the certificates are of another identity, or cannot be used; nothing has changed then.
  public func reload(_ new: FileServerSettings) throws(RelayError) -> SettingsChanges {
    var (settings, changes) = try current.withLock { $0 }.reloaded(from: new)
    try server.reload(settings.server)
    settings = settings.writingPages()
    let changed = settings
    current.withLock { $0 = changed }
    if let problem = settings.pagesProblem {
      changes.problems.append("Pages for browsers cannot be written: \(problem)")
    }
    return changes
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { services.controlPort }

  /// The port of the metrics; nil where there is none.
  public var metricsPort: Int? { services.metricsPort }

  /// Stops everything, in order.
  public func stop() async { await services.stop { await server.stop() } }

  /// The settings in effect as lines of the log. The password is left out, because others may read the log.
  public var summary: [String] {
    let settings = current.withLock { $0 }
    let usage = server.usage
    let quota = settings.quota.flatMap { try? FileSize.codec.text($0) } ?? "none"
    var lines: [String] = [
      "Settings: \(folders.iniFile)",
      "Server address: \(settings.address(fingerprint: server.fingerprint, showsPassword: false, port: server.port))",
      "Files are kept in \(settings.filesFolder): \(usage.chunks) chunks, \(usage.bytes >> 20) MB, quota: \(quota)",
      settings.server.fileTTL.map { "Files are deleted after \($0 / 3600) hours" } ?? "Files are not deleted",
      creation(settings),
    ]
    lines += settings.common.summary(of: folders, services)
    if settings.server.webCredential != nil { lines.append("Pages for browsers: on port \(server.port)") }
    lines += settings.pagesSummary + settings.common.informationLines
    return lines + ["Listening on \(settings.server.host ?? "all addresses"), port \(server.port)"]
  }

  private func creation(_ settings: FileServerSettings) -> String {
    guard settings.server.allowsNewFiles else { return "Nobody can upload files" }
    return settings.server.basicAuth == nil
      ? "Anybody can upload files"
      : "Uploading files needs the password: clients use the address with :PASSWORD before the @"
  }
}
