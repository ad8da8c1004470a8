import ChunkStore
import FileAccess
import Foundation
import RelayChassis
import Testing

@testable import XFTPServer

/// The daily statistics, across midnight and restarts.
@Suite struct FileStatisticsTests {
  @Test func aLineIsWrittenWhenItsDayIsOver() async throws {
    let relay = try await TestFileRelay.start()
    let path = relay.folder.path + "/stats.log"
    let log = FileStatisticsLog(relay: relay.server.relay, path: path)
    let statistics = relay.server.statistics
    statistics.events.day.store(19_683, ordering: .relaxed)
    statistics.count(.filesCreated, by: 7)
    await log.write(today: 19_683)
    #expect(try WholeFile.text(path) == nil)
    await log.write(today: 19_684)
    await log.write(today: 19_684)
    #expect(try WholeFile.text(path) == "2023-11-22,7,0,0,0,0,,,0,0,0,0,0\n")
    #expect(statistics.events.day.load(ordering: .relaxed) == 19_684 && statistics.value(.filesCreated) == 0)
    await relay.server.stop()
  }

  /// The counts of yesterday are those of yesterday after a stop between midnight and the line, too.
  @Test func countsKeepTheirDay() async throws {
    let folder = try TemporaryFolder()
    let folders = FileServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    try FileManager.default.createDirectory(atPath: folder.path + "/files", withIntermediateDirectories: true)
    let ini = """
      [TRANSPORT]
      bind = 127.0.0.1
      port = 0
      [STORE_LOG]
      log_stats = on
      [FILES]
      path = \(folder.path)/files
      storage_quota = 1gb
      """
    for _ in 0..<2 {
      let settings = try FileServerSettings(ServerINI(ini), folders)
      let store = try DiskChunkStore(
        databaseFile: folders.databaseFile, folder: settings.filesFolder, quota: settings.quota)
      let service = try await FileServerService.start(settings, folders, store: store)
      let statistics = service.server.statistics
      if statistics.value(.fileDownloads) == 0 { statistics.events.day.store(19_683, ordering: .relaxed) }
      statistics.count(.fileDownloads, by: 5)
      await service.stop()
    }
    let after = FileStatistics()
    try CountsFile(path: folders.countsFile).restore(after.events)
    #expect(after.events.day.load(ordering: .relaxed) == 19_683)
    #expect(after.value(.fileDownloads) == 10)
  }
}
