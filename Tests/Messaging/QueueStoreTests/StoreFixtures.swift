import Foundation
import QueueStore
import SMPServerCore
import Testing

/// The stores that the conformance suite runs on.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case memory
  case sqlite

  var testDescription: String { rawValue }
}

/// A store in a folder of its own, which is removed with it.
final class TestStore {
  let store: any RelayStore
  let folder: URL

  init(_ kind: StoreKind) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "queues-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store =
      switch kind {
      case .memory: MemoryQueueStore()
      case .sqlite: try SQLiteQueueStore(path: folder.appending(path: "queues.db").path)
      }
  }

  var path: String { folder.appending(path: "queues.db").path }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

/// 24 bytes made of a small number.
func id(_ number: Int, _ kind: UInt8 = 0) -> [UInt8] {
  withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8](repeating: kind, count: 16) + [UInt8]($0) }
}

func queue(_ number: Int, mode: QueueRecord.Mode? = .messaging) -> QueueRecord {
  QueueRecord(
    recipientID: id(number, 1), senderID: id(number, 2), recipientKeys: [[UInt8](repeating: 7, count: 44)],
    deliverySecret: [UInt8](repeating: 9, count: 32), mode: mode, usedDay: 20_000)
}

func message(_ number: Int, at timestamp: Int64 = 1_000, size: Int = 100) -> QueuedMessage {
  QueuedMessage(
    id: id(number, 3), timestamp: timestamp,
    content: .message(notify: number % 2 == 0, body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
  )
}

extension RelayStore {
  /// Makes a store with a journal move its content to where it belongs: an old message in it expires.
  func moveJournal() async throws {
    let spare = try await add(QueueStoreTests.queue(999_999))
    _ = try await perform(.addMessage(spare, message(1, at: -9), quota: 9))
    _ = try await perform(.expireMessages(before: -1, after: QueueNumber(0), limit: 999))
    _ = try await perform(.deleteQueue(spare))
  }

  /// Creates the queue and gives its number.
  func add(_ record: QueueRecord, link: LinkData? = nil) async throws -> QueueNumber {
    let outcome = try await perform(.createQueue(record, link))
    guard case .created(let number) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
    return number
  }
}

struct UnexpectedOutcome: Error {
  let outcome: StoreOutcome
}
