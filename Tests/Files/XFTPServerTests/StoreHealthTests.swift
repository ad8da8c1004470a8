import ChunkStore
import FileTesting
import Foundation
import SMPProtocol
import SimplexTesting
import Synchronization
import Testing
import XFTPClient

@testable import XFTPServer

/// What the operator learns of a disk that is full or fails.
@Suite("The store of a file relay fails", .timeLimit(.minutes(1)))
struct StoreHealthTests {
  private final class Disk: Sendable {
    let failure = Mutex<ChunkStoreError?>(nil)
    let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func check() throws(ChunkStoreError) { if let failure = failure.withLock({ $0 }) { throw failure } }
  }

  /// A line at the begin and one at the end, however many uploads fail, and the figures between.
  @Test func anOutageIsReportedOnce() async throws {
    let disk = Disk()
    let relay = try await TestFileRelay.start {
      $0.report = { line in disk.lines.withLock { $0.append(line) } }
      $0.storeQuietTime = 0
    } wrap: { store in
      WrappedStore(store) {
        $0.writing = { _, _ throws(ChunkStoreError) in try disk.check() }
        $0.reading = { _, _ throws(ChunkStoreError) in try disk.check() }
      }
    }
    let client = try await relay.connect()
    let metrics = FileMetrics(server: relay.server)
    #expect(try await metrics.text().contains("\nsimplex_xftp_store_failing 0\n"))
    disk.failure.withLock { $0 = .full }
    let chunk = TestChunk()
    let (sender, recipients) = try await client.create(chunk.request, key: chunk.key)
    for _ in 0..<3 {
      await #expect(throws: FileClientError.relay(.QUOTA)) { try await client.upload(chunk, to: sender) }
      // Creating a chunk works, because its record has room; that does not end the outage.
      let other = TestChunk()
      _ = try await client.create(other.request, key: other.key)
    }
    #expect(disk.all.count == 1)
    #expect(disk.all.first?.hasPrefix("The store fails: no space is left on the disk") == true, "\(disk.all)")
    let text = try await metrics.text()
    #expect(text.contains("\nsimplex_xftp_store_failing 1\n") && text.contains("\nsimplex_xftp_store_failures 3\n"))
    disk.failure.withLock { $0 = nil }
    try await client.upload(chunk, to: sender)
    #expect(disk.all.dropFirst() == ["The store works again; 3 operations failed"])
    #expect(try await metrics.text().contains("\nsimplex_xftp_store_failing 0\n"))
    // So does a disk that cannot be read.
    disk.failure.withLock { $0 = .failed("read: Input/output error") }
    _ = try? await client.download(chunk, of: recipients[0])
    #expect(disk.all.last?.hasPrefix("The store fails: read: Input/output error") == true, "\(disk.all)")
    client.close()
    await relay.server.stop()
  }
}
