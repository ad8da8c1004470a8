import SMPClientCore
import SMPProtocol
import Synchronization
import Testing

@testable import SMPServer

/// What clients of a proxy can make it open.
@Suite(.timeLimit(.minutes(2))) struct ProxyLimitTests {
  /// A client names relays that never answer; each attempt takes a file, which the relay needs for its clients.
  @Test func attemptsToConnectAreLimited() async throws {
    var configuration = ProxyConfiguration()
    configuration.connectionLimit = 8
    let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    let pool = RelayPool(configuration) { (_, _) async throws(SMPClientError) in
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
      throw .network(.timeoutError)
    }
    let relay = { @Sendable (port: UInt16) in
      SMPServerAddress(.domain("relay.example"), port: port, keyHash: [UInt8](repeating: 1, count: 32))
    }
    let error = { @Sendable (port: UInt16) async -> SMPClientError? in
      do throws(SMPClientError) {
        _ = try await pool.link(with: relay(port))
        return nil
      } catch { return error }
    }
    let attempts = (1...4).map { port in Task { await error(UInt16(port)) } }
    while waiting.withLock({ $0.count }) < 4 { try await Task.sleep(for: .milliseconds(2)) }
    // One more is refused at once, and is not taken for unreachable.
    #expect(await error(5) == .network(.failedError))
    #expect(waiting.withLock { $0.count } == 4)
    for continuation in waiting.withLock({ waiting in
      defer { waiting = [] }
      return waiting
    }) { continuation.resume() }
    for attempt in attempts { #expect(await attempt.value == .network(.timeoutError)) }
    let later = Task { await error(5) }
    while waiting.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(2)) }
    for continuation in waiting.withLock({ $0 }) { continuation.resume() }
    #expect(await later.value == .network(.timeoutError))
  }
}
