import NIOCore
import SimplexTransport
import Synchronization
import Testing

@testable import HTTP2Transport

/// A peer that violates the protocol, then sends bytes until the other side closes the connection, or a limit.
private final class Flood: PlaintextReceiver, Sendable {
  static let limit = 64 << 20
  private static let part = [UInt8](repeating: 0x55, count: 64 << 10)

  /// How much was sent, when the connection is closed or the limit is reached.
  let sent: AsyncStream<Int>
  private let end: AsyncStream<Int>.Continuation
  private let count = Atomic(0)

  init() { (sent, end) = AsyncStream.makeStream() }

  /// On the event loop.
  func send(_ bytes: [UInt8], over tls: TLSHandler, on loop: any EventLoop) {
    let promise = loop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { result in
      let count = self.count.add(bytes.count, ordering: .relaxed).newValue
      guard case .success = result, count < Self.limit else {
        self.end.yield(count)
        return self.end.finish()
      }
      // Not at once: thousands of calls inside of each other.
      loop.assumeIsolated().execute { self.send(Self.part, over: tls, on: loop) }
    }
    do throws(TransportError) {
      try tls.write(bytes.span.bytes, promise: promise)
      tls.flush()
    } catch {
      promise.fail(error)
    }
  }

  func read(from engine: TLSEngine) throws(TLSError) -> Bool { try engine.readAll { _ in } }
  func readComplete() {}
  func writabilityChanged(_ isWritable: Bool) {}
  func connectionClosed(_ error: TransportError?) {}
}

/// A connection error of HTTP/2 ends the connection: what follows it is not kept, whatever the error is, at a server
/// and at a client.
@Suite("Errors of HTTP/2 connections", .timeLimit(.minutes(2)))
struct ConnectionErrorTests {
  enum Violation: CaseIterable {
    case pingOfAStream, shortSettings, longFrame, idleStream, damagedHead, strayContinuation, fullWindow, emptyUpdate
    case forbiddenSetting, emptyHead, pushPromise

    var bytes: [UInt8] {
      switch self {
      case .pingOfAStream: Self.frame(6, stream: 1, [1, 2, 3, 4, 5, 6, 7, 8])
      case .shortSettings: Self.frame(4, stream: 0, [1, 2, 3, 4, 5])
      case .longFrame: [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1]
      case .idleStream: Self.frame(0, stream: 5, [1])
      case .damagedHead: Self.frame(1, flags: 4, stream: 1, [0x80])
      case .strayContinuation: Self.frame(9, stream: 1, [1])
      case .fullWindow: Self.frame(8, stream: 0, [0x7F, 0xFF, 0xFF, 0xFF])
      case .emptyUpdate: Self.frame(8, stream: 0, [0, 0, 0, 0])
      case .forbiddenSetting: Self.frame(4, stream: 0, [0, 2, 0, 0, 0, 2])
      case .emptyHead: Self.frame(1, flags: 5, stream: 1, [])
      case .pushPromise: Self.frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82])
      }
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }
  }

  private static let settings = Violation.frame(4, stream: 0, [])
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private func floodServer(_ beginning: [UInt8]) async throws -> Int {
    let certificates = try TestCertificates()
    let tls = TLSServerConfiguration(credential: certificates.credential, applicationProtocols: ["xftp/1"])
    let server = try await HTTP2Server.start(.init(.init(host: "127.0.0.1", port: 0, tls: tls))) { EchoHandler($0) }
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["xftp/1"]))
    let flood = try await client.connect(
      host: "127.0.0.1", port: server.port, policy: .relay(fingerprint: certificates.fingerprint)
    ) { _, channel, tls in
      let flood = Flood()
      flood.send(beginning, over: tls, on: channel.eventLoop)
      return (flood, flood)
    }
    let count = await flood.sent.first { _ in true }
    await server.close()
    return count ?? 0
  }

  private func floodClient(_ beginning: [UInt8]) async throws -> Int {
    let certificates = try TestCertificates()
    let tls = TLSServerConfiguration(credential: certificates.credential, applicationProtocols: ["xftp/1"])
    let flood = Flood()
    let server = try await TransportServer.start(.init(host: "127.0.0.1", port: 0, tls: tls)) { _, channel, tls in
      flood.send(beginning, over: tls, on: channel.eventLoop)
      return flood
    }
    let client = try HTTP2Client(TLSClientConfiguration(applicationProtocols: ["xftp/1"]))
    let connection = try await client.connect(
      host: "127.0.0.1", port: server.port, policy: .relay(fingerprint: certificates.fingerprint))
    let count = await flood.sent.first { _ in true }
    connection.close()
    await server.close()
    return count ?? 0
  }

  @Test(arguments: Violation.allCases) func serversClose(_ violation: Violation) async throws {
    #expect(try await floodServer(Self.preface + Self.settings + violation.bytes) < Flood.limit)
  }

  @Test(arguments: Violation.allCases) func clientsClose(_ violation: Violation) async throws {
    #expect(try await floodClient(Self.settings + violation.bytes) < Flood.limit)
  }

  /// What does not begin as a client of HTTP/2 does.
  @Test func serversCloseWithoutAPreface() async throws {
    #expect(try await floodServer(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)) < Flood.limit)
  }
}
