import ChunkStore
import FileAccess
import RelayChassis
import WireCodec
import XFTPProtocol

/// A file relay with its services: daily statistics, metrics, the control port.
public final class FileServerService: Sendable {
  /// The relay.
  public let server: FileServer
  private let tasks: [Task<Void, Never>]
  private let control: ControlPort?
  private let counts: CountsFile?
  private let settings: FileServerSettings
  private let folders: FileServerFolders

  private init(
    server: FileServer, tasks: [Task<Void, Never>], control: ControlPort?, counts: CountsFile?,
    settings: FileServerSettings, folders: FileServerFolders
  ) {
    self.server = server
    self.tasks = tasks
    self.control = control
    self.counts = counts
    self.settings = settings
    self.folders = folders
  }

  /// Starts all services that the settings enable. The store is closed with the relay.
  public static func start(
    _ settings: FileServerSettings, _ folders: FileServerFolders, store: any ChunkStore
  ) async throws(RelayError) -> FileServerService {
    let server = try await FileServer.start(settings.server, store: store)
    var tasks: [Task<Void, Never>] = []
    let counts = settings.logsStatistics ? CountsFile(path: folders.countsFile) : nil
    if let counts {
      // The relay works without the counts of this day.
      if let day = try? counts.restore(server.statistics) { server.statistics.day.store(day, ordering: .relaxed) }
      let log = FileStatisticsLog(relay: server.relay, path: folders.statisticsFile)
      tasks.append(Task { await log.run() })
    }
    if let interval = settings.metricsInterval {
      let file = FileMetrics(server: server, path: folders.metricsFile, interval: interval)
      tasks.append(Task { await file.run() })
    }
    do throws(RelayError) {
      let access = ControlAccess()
      let control = try await ControlPort.start(
        port: settings.controlPort, greeting: "XFTP server control port\n'help' for supported commands"
      ) { FileControlSession(settings, server.relay, access: access) }
      return FileServerService(
        server: server, tasks: tasks, control: control, counts: counts, settings: settings, folders: folders)
    } catch {
      for task in tasks { task.cancel() }
      await server.stop()
      throw error
    }
  }

  /// The port of the control port; nil where there is none.
  public var controlPort: Int? { control?.port }

  /// Stops everything, in order.
  public func stop() async {
    for task in tasks { task.cancel() }
    // A line of the daily statistics that is being written has the counts, and the file gets what comes after it.
    for task in tasks { await task.value }
    await control?.stop()
    await server.stop()
    // A full disk loses the counts; no caller is left to receive the error.
    try? counts?.save(server.statistics, day: server.statistics.day.load(ordering: .relaxed))
  }

  /// The settings in effect as lines of the log. The password is left out, because others may read the log.
  public var summary: [String] {
    let usage = server.usage
    let quota = settings.quota.flatMap { try? FileSize.codec.text($0) } ?? "none"
    var lines: [String] = [
      "Settings: \(folders.iniFile)",
      "Server address: \(settings.address(fingerprint: server.fingerprint, showsPassword: false, port: server.port))",
      "Files are kept in \(settings.filesFolder), \(usage.chunks) files with \(usage.bytes >> 20) MB, quota: \(quota)",
      settings.server.fileTTL.map { "Files are deleted after \($0 / 3600) hours" } ?? "Files are not deleted",
      creation,
      "Daily statistics: \(settings.logsStatistics ? folders.statisticsFile : "off")",
      settings.metricsInterval.map { "Metrics: \(folders.metricsFile), every \($0) seconds" } ?? "Metrics: off",
      controlPort.map { "Control port: 127.0.0.1:\($0)" } ?? "Control port: off",
    ]
    lines += settings.information.text.split(separator: "\n").map { "Information: \($0)" }
    return lines + ["Listening on \(settings.server.host ?? "all addresses"), port \(server.port)"]
  }

  private var creation: String {
    guard settings.server.allowsNewFiles else { return "Nobody can upload files" }
    return settings.server.basicAuth == nil
      ? "Anybody can upload files"
      : "Uploading files needs the password: clients use the address with :PASSWORD before the @"
  }
}
