import NIOCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Synchronization
import WireCodec
import XFTPProtocol

/// One side of a connection that violates HTTP/2: it sends a ping on a stream, and then bytes without end.
///
/// Bytes of the other side are read and ignored.
final class HTTP2Violation: PlaintextReceiver, Sendable {
  /// The numbers of connections of this process, and of bytes that were sent over them.
  static var counts: (connections: Int, bytes: Int) {
    (connectionCount.load(ordering: .relaxed), byteCount.load(ordering: .relaxed))
  }

  private static let connectionCount = Atomic<Int>(0)
  private static let byteCount = Atomic<Int>(0)

  private static let part = [UInt8](repeating: 0x55, count: 64 << 10)
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  /// Empty settings, and the ping on the first stream.
  private static let frames: [UInt8] =
    [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 8, 6, 0, 0, 0, 0, 1] + [1, 2, 3, 4, 5, 6, 7, 8]

  private let ended: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  private init() { (ended, end) = AsyncStream.makeStream() }

  /// Connects to a file relay, and returns when that has closed the connection.
  static func send(to server: ProtocolServer<XFTPScheme>) async throws {
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["xftp/1"]))
    let violation = try await client.connect(
      host: "127.0.0.1", port: server.port.map(Int.init) ?? 443, policy: .relay(fingerprint: server.keyHash)
    ) { _, channel, tls in
      let violation = begin(preface + frames, over: tls, on: channel.eventLoop)
      return (violation, violation)
    }
    for await _ in violation.ended {}
  }

  /// Starts a file relay that does this to every client, with new certificates in a folder.
  static func listen(in folder: BenchFolder) async throws -> (TransportServer, address: ProtocolServer<XFTPScheme>) {
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    let tls = TLSServerConfiguration(credential: try certificates.credential(), applicationProtocols: ["xftp/1"])
    let server = try await TransportServer.start(
      TransportServer.Configuration(host: "127.0.0.1", port: 0, tls: tls)
    ) { _, channel, tls in begin(frames, over: tls, on: channel.eventLoop) }
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let fingerprint = try certificates.fingerprint()
    return (server, ProtocolServer<XFTPScheme>(host, port: UInt16(server.port), keyHash: fingerprint))
  }

  private static func begin(_ bytes: [UInt8], over tls: TLSHandler, on loop: any EventLoop) -> HTTP2Violation {
    connectionCount.add(1, ordering: .relaxed)
    let violation = HTTP2Violation()
    violation.send(bytes, over: tls, on: loop)
    return violation
  }

  private func send(_ bytes: [UInt8], over tls: TLSHandler, on loop: any EventLoop) {
    let promise = loop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { result in
      guard case .success = result else { return self.end.finish() }
      Self.byteCount.add(bytes.count, ordering: .relaxed)
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
