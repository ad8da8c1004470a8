import Foundation
import QueueStore
import SMPServerCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The durable store of the relay alone: changes per second with `fsync`, reads, memory, and time to open.
///
/// `SIMPLEX_BENCH_QUEUES` sets the number of queues (default: 200,000).
func queueStoreSuite(_ bench: Bench) async throws {
  let count = getenv("SIMPLEX_BENCH_QUEUES").flatMap { Int(String(cString: $0)) } ?? 200_000
  let folder = FileManager.default.temporaryDirectory.appending(path: "queue-store-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let path = folder.appending(path: "queues.db").path
  defer { try? FileManager.default.removeItem(at: folder) }
  let clock = ContinuousClock()

  let store = try SQLiteQueueStore(path: path)
  let created = try await clock.measure {
    try await concurrently(count, workers: 256) { index in
      _ = try await store.perform(.createQueue(benchQueue(index), nil))
    }
  }
  bench.record("durable NEW", Double(count) / created.inSeconds, unit: "/s", goal: 8_000, reference: 1_600)

  let messages = 40_000
  let body = [UInt8](repeating: 7, count: 16_000)
  let exchanged = try await clock.measure {
    try await concurrently(messages, workers: 64) { index in
      let queue = QueueNumber(Int64(1 + index % 64))
      let message = QueuedMessage(id: benchID(index, 3), timestamp: 1, content: .message(notify: false, body: body))
      _ = try await store.perform(.addMessage(queue, message, quota: 128))
      _ = try await store.perform(.acknowledge(queue, messageID: [], readsNext: true))
    }
  }
  bench.record("durable SEND and ACK of 16 KB", Double(messages) / exchanged.inSeconds, unit: "/s", goal: 4_000)
  await store.close()

  let before = residentMemory()
  let opened = try await clock.measure {
    let store = try SQLiteQueueStore(path: path)
    _ = try await store.queue(.sender(benchID(count / 2, 2)))
  }
  bench.record("open with \(count) queues", opened.inSeconds * 1000, unit: "ms", goal: 500, lessIsBetter: true)
  let reopened = try SQLiteQueueStore(path: path)
  let finds = 2_000
  let found = await clock.measure {
    for batch in 0..<finds {
      let keys = (0..<16).map { StoreRead.queue(.sender(benchID((batch * 16 + $0) * 7_919 % count, 2))) }
      blackHole(await reopened.read(keys))
    }
  }
  bench.record("find a queue by its sender", Double(finds * 16) / found.inSeconds, unit: "/s", note: "16 in a read")
  bench.record(
    "memory per stored queue", Double(residentMemory() - before) / Double(count), unit: "bytes", goal: 200,
    reference: 3_000,
    lessIsBetter: true)
  await reopened.close()
}

func benchQueue(_ index: Int, recipientKey: [UInt8] = [UInt8](repeating: 5, count: 44)) -> QueueRecord {
  QueueRecord(
    recipientID: benchID(index, 1), senderID: benchID(index, 2), recipientKeys: [recipientKey],
    deliverySecret: [UInt8](repeating: 6, count: 32), mode: .messaging, usedDay: 20_000)
}

/// 24 bytes that look random, different for every index and kind.
private func benchID(_ index: Int, _ kind: UInt64) -> [UInt8] {
  (0..<3).flatMap { part in
    var hash = (UInt64(index) &+ kind &* 0x1_0000_0000) &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(part)
    hash = (hash ^ (hash >> 29)) &* 0xbf58_476d_1ce4_e5b9
    return withUnsafeBytes(of: hash ^ (hash >> 32)) { [UInt8]($0) }
  }
}

/// Calls `body` for each index, in this many concurrent tasks.
func concurrently(
  _ count: Int, workers: Int, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for worker in 0..<workers {
      group.addTask { for index in stride(from: worker, to: count, by: workers) { try await body(index) } }
    }
    try await group.waitForAll()
  }
}

/// Resident memory of this process; 0 where it is unknown.
func residentMemory() -> Int {
  #if os(Linux)
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var size = 0
    var resident = 0
    return withUnsafeMutablePointer(to: &size) { size in
      withUnsafeMutablePointer(to: &resident) { resident in
        withVaList([size, resident]) { vfscanf(file, "%ld %ld", $0) } == 2 ? resident.pointee * 4096 : 0
      }
    }
  #else
    return 0
  #endif
}
