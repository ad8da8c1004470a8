import NotificationServerCore
import NotificationStore
import RelayChassis
import Synchronization

/// A notification server with its services: daily statistics, metrics, the control port.
public final class NotificationServerService: Sendable {
  /// The server.
  public let server: PushServer
  private let services: RelayServices
  private let current: Mutex<NotificationServerSettings>
  private let folders: NotificationServerFolders
  private let usageAtStart: NotificationUsage

  private init(
    server: PushServer, services: RelayServices, settings: NotificationServerSettings,
    folders: NotificationServerFolders, usage: NotificationUsage
  ) {
    self.server = server
    self.services = services
    current = Mutex(settings)
    self.folders = folders
    usageAtStart = usage
  }

  /// Starts all services that the settings enable. The store is closed with the server.
  public static func start(
    _ settings: NotificationServerSettings, _ folders: NotificationServerFolders, store: any NotificationStore
  ) async throws(RelayError) -> NotificationServerService {
    let server = try await PushServer.start(settings.server, store: store)
    let access = ControlAccess()
    let log = NotificationStatisticsLog(hub: server.hub, path: folders.statisticsFile)
    do {
      let services = try await RelayServices.start(
        settings.common, folders, statistics: log, metrics: NotificationMetrics(server: server),
        greeting: "Notification server control port"
      ) { NotificationControlSession(settings, server.hub, access: access) }
      let usage = (try? await server.usage()) ?? NotificationUsage()
      return NotificationServerService(
        server: server, services: services, settings: settings, folders: folders, usage: usage)
    } catch {
      await server.stop()
      throw error
    }
  }

  /// Takes over the certificates of other settings, for connections that are accepted from now on; the other settings
  /// are unchanged.
  /// - Returns: The settings that have changed.
  /// - Throws: where the certificates are of another identity, or cannot be used; nothing has changed then.
  public func reload(_ new: NotificationServerSettings) throws(RelayError) -> SettingsChanges {
    let (settings, changes) = try current.withLock { $0 }.reloaded(from: new)
    try server.reload(settings.server)
    current.withLock { $0 = settings }
    return changes
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { services.controlPort }

  /// The port of the metrics; nil where there is none.
  public var metricsPort: Int? { services.metricsPort }

  /// Stops everything, in order.
  public func stop() async { await services.stop { await server.stop() } }

  /// The settings in effect as lines of the log.
  public var summary: [String] {
    let settings = current.withLock { $0 }
    let usage = usageAtStart
    var lines: [String] = [
      "Settings: \(folders.iniFile)",
      "Server address: \(settings.address(fingerprint: server.fingerprint, showsPassword: false, port: server.port))",
      "Stored in \(folders.databaseFile): \(usage.tokens) tokens, \(usage.subscriptions) subscriptions",
      settings.pushSummary,
    ]
    lines += settings.common.summary(of: folders, services) + settings.common.informationLines
    return lines + ["Listening on \(settings.server.host ?? "all addresses"), port \(server.port)"]
  }
}
