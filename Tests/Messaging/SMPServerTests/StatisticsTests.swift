import FileAccess
import Foundation
import QueueStore
import SMPProtocol
import SMPServerCore
import SimplexTransport
import Testing

@testable import SMPServer

/// The line of a day in the statistics.
@Suite struct StatisticsTests {
  private func relay() throws -> Relay {
    let credential = try TLSCredential.selfSigned(commonName: "localhost")
    return try Relay(SMPServerConfiguration(host: nil, ports: [0], credential: credential), store: MemoryQueueStore())
  }

  @Test func aLineHasTheColumnsOfTheReference() async throws {
    let relay = try relay()
    relay.statistics.count(.queueCreated, by: 7)
    relay.statistics.count(.messageSent, by: 5)
    relay.statistics.count(.proxyRelayRequests, by: 3)
    relay.statistics.count(.proxyOwnForwardOtherErrors, by: 2)
    relay.statistics.count(.forwardedReceived, by: 4)
    relay.statistics.count(.subscribed, by: 6)
    relay.statistics.count(.notificationExpired, by: 8)
    relay.statistics.count(.queueDeletedBatch, by: 9)
    relay.statistics.count(.notificationSentBatch, by: 10)
    relay.statistics.count(.recipientServiceJoined, by: 11)
    relay.statistics.count(.notifierServiceEnded, by: 12)
    relay.statistics.count(.nameRequested, by: 13)
    relay.statistics.count(.nameWithoutResolver, by: 14)
    let log = StatisticsLog(relay: relay, path: "")
    // Wednesday, 22 November 2023
    let fields = try await log.line(of: 19_683).dropLast().split(separator: ",", omittingEmptySubsequences: false)
    #expect(fields.count == 101)
    #expect(fields[0] == "2023-11-22" && fields[1] == "7" && fields[4] == "5")
    #expect(fields[6...8] == ["0", "", ""])
    #expect(fields[19] == "3" && fields[38] == "2" && fields[39] == "4" && fields[40] == "6" && fields[74] == "8")
    #expect(fields[67] == "9" && fields[73] == "10" && fields[80] == "11" && fields[95] == "12")
    #expect(fields[96...] == ["13", "0", "0", "0", "14"])
    // What was counted is counted for one day only.
    #expect(try await log.line(of: 19_684).split(separator: ",")[1] == "0")
  }

  @Test(
    arguments: [
      (19_683, ["0", "", ""]),  // Wednesday
      (19_687, ["0", "0", ""]),  // Sunday, 26 November 2023
      (19_691, ["0", "", "0"]),  // Thursday, 30 November 2023
      (19_722, ["0", "0", "0"]),  // Sunday, 31 December 2023
    ] as [(Int64, [Substring])])
  func weeksAndMonthsAreCountedAtTheirEnd(_ day: Int64, _ expected: [Substring]) async throws {
    let fields = try await StatisticsLog(relay: try relay(), path: "").line(of: day)
      .split(separator: ",", omittingEmptySubsequences: false)
    #expect(Array(fields[6...8]) == expected && Array(fields[11...13]) == expected)
  }

  @Test func activeQueuesOfDayWeekAndMonth() async throws {
    let relay = try relay()
    let sunday = Int64(19_722)
    // One on the last day, one in the last week, one in the month, one before.
    for (queue, day) in [(1, sunday), (2, sunday - 6), (3, sunday - 7), (4, sunday - 31)] as [(Int64, Int64)] {
      let number = QueueNumber(queue)
      relay.withShard(of: number) { $0.noteActivity(of: number, day: day, notifies: queue == 1) }
    }
    let fields = try await StatisticsLog(relay: relay, path: "").line(of: sunday)
      .split(separator: ",", omittingEmptySubsequences: false)
    #expect(fields[6...8] == ["1", "2", "3"] && fields[11...13] == ["1", "1", "1"])
  }

  @Test func countsOutliveAStop() throws {
    let file = CountsFile(path: FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)").path)
    let before = try relay().statistics
    let today = before.day.load(ordering: .relaxed)
    try file.restore(before)
    #expect(before.day.load(ordering: .relaxed) == today)
    before.count(.messageSent, by: 5)
    before.count(.proxyOwnForwardOtherErrors)
    before.day.store(19_683, ordering: .relaxed)
    try file.save(before)
    let after = try relay().statistics
    after.count(.messageSent)
    // Once only.
    for _ in 0..<2 {
      try file.restore(after)
      #expect(after.day.load(ordering: .relaxed) == 19_683)
      #expect(after.value(.messageSent) == 6 && after.value(.proxyOwnForwardOtherErrors) == 1)
      #expect(after.value(.queueCreated) == 0)
    }
    try WholeFile.replace(file.path, with: "day=x\nmessageSent=-1\nqueueCreated=2\n=\nmessageSent".utf8)
    try file.restore(after)
    #expect(after.day.load(ordering: .relaxed) == 19_683)
    #expect(after.value(.messageSent) == 6 && after.value(.queueCreated) == 2)
  }

  @Test func aLineIsWrittenWhenItsDayIsOver() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let relay = try relay()
    let log = StatisticsLog(relay: relay, path: path)
    relay.statistics.day.store(19_683, ordering: .relaxed)
    relay.statistics.count(.queueCreated, by: 7)
    await log.write(today: 19_683)
    #expect(try WholeFile.text(path) == nil)
    await log.write(today: 19_684)
    await log.write(today: 19_684)
    let lines = try #require(try WholeFile.text(path)).split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix("2023-11-22,7,"))
    #expect(relay.statistics.day.load(ordering: .relaxed) == 19_684)
  }

  /// The counts of yesterday are those of yesterday after a start, too.
  @Test func aStopBeforeTheLineIsWrittenKeepsTheDay() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "statistics-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = ServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    let ini = "[TRANSPORT]\nbind = 127.0.0.1\nport = 0\n[STORE_LOG]\nlog_stats = on\n"
    for _ in 0..<2 {
      let settings = try ServerSettings(ServerINI(ini), folders)
      let service = try await ServerService.start(settings, folders, store: MemoryQueueStore())
      let statistics = service.server.statistics
      if statistics.value(.messageSent) == 0 { statistics.day.store(19_683, ordering: .relaxed) }
      statistics.count(.messageSent, by: 5)
      await service.stop()
    }
    let after = try relay().statistics
    try CountsFile(path: folders.countsFile).restore(after)
    #expect(after.day.load(ordering: .relaxed) == 19_683)
    #expect(after.value(.messageSent) == 10)
  }
}

/// A store in memory whose reads fail.
private struct UnreadableStore: ForwardingStore {
  let store: any RelayStore = MemoryQueueStore()

  func read(
    _ reads: [StoreRead], completion: @escaping @Sendable (_ answers: [StoreAnswer], _ time: Duration) -> Void
  ) {
    completion(reads.map { _ in .failed(.damaged) }, .zero)
  }
}

@Suite(.timeLimit(.minutes(2))) struct MetricsOfAFailingStoreTests {
  /// The line would have zeros for the totals, and what was counted would be lost.
  @Test func aDayIsNotWrittenWithoutTotals() async throws {
    try await TestRelay.with(store: UnreadableStore()) { relay in
      let statistics = relay.server.statistics
      statistics.count(.messageSent, by: 5)
      let log = StatisticsLog(relay: relay.server.relay, path: "")
      await #expect(throws: StoreFailure.damaged) { try await log.line(of: 19_683) }
      #expect(statistics.value(.messageSent) == 5)
    }
  }

  /// Zeros would look as if all queues were lost.
  @Test func noTotalsAreMadeUp() async throws {
    try await TestRelay.with(store: UnreadableStore()) { relay in
      let metrics = ServerMetrics(server: relay.server)
      let text = try await metrics.text()
      #expect(!text.contains("queues_total1") && text.contains("simplex_smp_messages_sent"), "\(text)")
    }
    try await TestRelay.with(store: MemoryQueueStore()) { relay in
      let metrics = ServerMetrics(server: relay.server)
      let text = try await metrics.text()
      #expect(text.contains("simplex_smp_queues_total1 0"))
    }
  }
}
