import Foundation
import QueueStore
import RelayChassis
import SMPServer
import SimplexTesting
import Testing

/// The metrics over HTTP, as Prometheus reads them.
@Suite(.timeLimit(.minutes(2))) struct MetricsPortTests {
  private func answer(_ request: String, _ port: Int) throws -> String {
    let client = try LineClient(port: port)
    try client.send(request)
    return try client.readToEnd()
  }

  /// A service with its queues in memory.
  private func withService(_ body: (ServerService) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let folders = ServerFolders(configuration: folder.path, data: folder.path)
    try folders.certificates.create(commonName: "localhost", algorithm: .ed25519)
    var settings = try ServerSettings(ServerINI("[TRANSPORT]\nport = 0\nbind = 127.0.0.1"), folders)
    settings.metricsPort = 0
    let service = try await ServerService.start(settings, folders, store: MemoryQueueStore())
    try await body(service)
    await service.stop()
  }

  @Test func figuresInBothFormsOfNames() async throws {
    try await withService { service in
      let port = try #require(service.metricsPort)
      #expect(service.summary(database: nil).contains("Metrics: http://127.0.0.1:\(port)/metrics"))
      let client = try await TestClient.connect(port: service.server.ports[0], fingerprint: service.server.fingerprint)
      _ = try await client.newQueue(subscription: .onlyCreate)
      let standard = try answer("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", port)
      #expect(standard.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
      let text = try #require(standard.components(separatedBy: "\r\n\r\n").last)
      for line in ["queues_created_total 1", "queues 1", "clients 1", "store_failing 0", "store_failures_total 0"] {
        #expect(text.contains("\nsimplex_smp_\(line)\n"), "\(line)")
      }
      #expect(MetricsCheck.problems(in: text) == [])
      if let printed = try MetricsCheck.promtool(text) { #expect(printed.isEmpty, "\(printed)") }
      #expect(try MetricsCheck.missing(in: text, prefix: "simplex_smp_") == [])
      let reference = try answer("GET /metrics/reference HTTP/1.1\r\n\r\n", port)
      #expect(reference.contains("\nsimplex_smp_queues_created 1\n"))
      #expect(reference.contains("\nsimplex_smp_queues_total1 1\n"))
      // The names of the reference are not those of the conventions.
      #expect(!MetricsCheck.problems(in: try #require(reference.components(separatedBy: "\r\n\r\n").last)).isEmpty)
    }
  }

  @Test func otherRequestsAreRefused() async throws {
    try await withService { service in
      let port = try #require(service.metricsPort)
      #expect(try answer("GET / HTTP/1.1\r\n\r\n", port).hasPrefix("HTTP/1.1 404 "))
      #expect(try answer("POST /metrics HTTP/1.1\r\n\r\n", port).hasPrefix("HTTP/1.1 405 "))
      #expect(try answer("nonsense\r\n\r\n", port).hasPrefix("HTTP/1.1 400 "))
      // Not a byte more than the limit needs: closing a connection with unread input would reset it.
      let begin = "GET /metrics HTTP/1.1\r\nX: "
      let large = begin + String(repeating: "x", count: 8_193 - begin.utf8.count)
      #expect(try answer(large, port).hasPrefix("HTTP/1.1 431 "))
      let head = try answer("HEAD /metrics HTTP/1.1\r\n\r\n", port)
      #expect(head.hasPrefix("HTTP/1.1 200 OK") && head.hasSuffix("\r\n\r\n"))
    }
  }
}
