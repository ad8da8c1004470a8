import QueueStore
import RelayChassis
import SMPServerCore
import Synchronization

/// A relay with its services: daily statistics, metrics, the control port.
public final class ServerService: Sendable {
  /// The relay.
  public let server: RelayServer
  let services: RelayServices
  /// The files of the relay.
  let folders: ServerFolders
  private let current: CurrentSettings

  private init(
    server: RelayServer, services: RelayServices, folders: ServerFolders, settings: CurrentSettings
  ) {
    self.server = server
    self.services = services
    self.folders = folders
    current = settings
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { services.controlPort }

  /// The port of the metrics; nil where there is none.
  public var metricsPort: Int? { services.metricsPort }

  /// The current settings.
  public var settings: ServerSettings { current.value }

  /// Applies the settings and certificates that can change while the relay runs; the others are unchanged.
  ///
  /// - Returns: The settings that have changed.
  /// - Throws: Where the certificates cannot be used; then nothing is changed.
  public func reload(_ new: ServerSettings) throws(SMPServerError) -> SettingsChanges {
    var (settings, changes) = try current.value.reloaded(from: new)
    try server.update(settings.server)
    settings = settings.writingPages()
    current.value = settings
    if let problem = settings.pagesProblem {
      changes.problems.append("Pages for browsers cannot be written: \(problem)")
    }
    return changes
  }

  /// Starts all services that the settings enable.
  ///
  /// - Throws: Where the relay cannot be started, and then the store remains open; where another service cannot, after
  ///   the relay was stopped, which closes the store.
  public static func start(
    _ settings: ServerSettings, _ folders: ServerFolders, store: any RelayStore
  ) async throws(SMPServerError) -> ServerService {
    let server = try await RelayServer.start(settings.server, store: store)
    let current = CurrentSettings(settings.writingPages())
    let access = ControlAccess()
    let log = StatisticsLog(relay: server.relay, path: folders.statisticsFile)
    do {
      let services = try await RelayServices.start(
        settings.common, folders, statistics: log, metrics: ServerMetrics(server: server),
        greeting: "SMP server control port"
      ) { ControlSession(current, server, access: access) }
      return ServerService(server: server, services: services, folders: folders, settings: current)
    } catch {
      await server.stop()
      throw error
    }
  }

  /// Stops everything, in order.
  public func stop() async { await services.stop { await server.stop() } }
}

/// The current settings of a relay, which a reload replaces.
final class CurrentSettings: Sendable {
  private let state: Mutex<ServerSettings>

  init(_ settings: ServerSettings) { state = Mutex(settings) }

  var value: ServerSettings {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
