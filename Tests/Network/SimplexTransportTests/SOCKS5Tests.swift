import NIOCore
import NIOConcurrencyHelpers
import Testing

@testable import SimplexTransport

@Suite("SOCKS5 negotiation")
struct SOCKS5NegotiationTests {
  static let hosts: [(SOCKS5Host, [UInt8])] = [
    (.ipv4([127, 0, 0, 1]), [1, 127, 0, 0, 1]),
    (.ipv6([UInt8](repeating: 0xAB, count: 16)), [4] + [UInt8](repeating: 0xAB, count: 16)),
    (.name("abc.onion"), [3, 9] + Array("abc.onion".utf8)),
  ]

  @Test("A host is asked for in its own form", arguments: 0..<3)
  func request(index: Int) throws {
    let (host, encoded) = Self.hosts[index]
    var negotiation = try SOCKS5Negotiation(host: host, port: 5223, credentials: nil)
    #expect(negotiation.greeting == [5, 1, 0])
    #expect(try negotiation.receive([5, 0]) == .send([5, 1, 0] + encoded + [0x14, 0x67]))
    #expect(try negotiation.receive([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) == .connected(rest: []))
  }

  @Test("Credentials are offered, and sent when asked for")
  func authentication() throws {
    let credentials = SOCKS5Credentials(username: "user", password: "pass")
    var negotiation = try SOCKS5Negotiation(host: .name("a"), port: 1, credentials: credentials)
    #expect(negotiation.greeting == [5, 2, 0, 2])
    #expect(try negotiation.receive([5, 2]) == .send([1, 4] + Array("user".utf8) + [4] + Array("pass".utf8)))
    #expect(try negotiation.receive([1, 0]) == .send([5, 1, 0, 3, 1, 97, 0, 1]))
    #expect(try negotiation.receive([5, 0, 0, 3, 1, 97, 0, 1, 22]) == .connected(rest: [22]))
    #expect(!"\(credentials)".contains("pass") && !String(reflecting: credentials).contains("pass"))
  }

  @Test("Replies may come byte by byte")
  func fragments() throws {
    var negotiation = try SOCKS5Negotiation(host: .name("a"), port: 1, credentials: nil)
    #expect(try negotiation.receive([5]) == .wait)
    #expect(try negotiation.receive([0]) == .send([5, 1, 0, 3, 1, 97, 0, 1]))
    let reply: [UInt8] = [5, 0, 0, 4] + [UInt8](repeating: 9, count: 18)
    for byte in reply.dropLast() { #expect(try negotiation.receive([byte]) == .wait) }
    #expect(try negotiation.receive([9, 1, 2]) == .connected(rest: [1, 2]))
  }

  @Test(
    "Refusals and nonsense are errors",
    arguments: [
      ([[4, 0]], .malformedReply), ([[5, 0xFF]], .noAcceptableMethod), ([[5, 1]], .malformedReply),
      ([[5, 2]], .malformedReply), ([[5, 0, 0]], .malformedReply), ([[5, 0], [5, 5]], .refused(code: 5)),
      ([[5, 0], [4, 0]], .malformedReply), ([[5, 0], [5, 0, 0, 2, 0]], .malformedReply),
    ] as [([[UInt8]], SOCKS5Error)])
  func failures(replies: [[UInt8]], error: SOCKS5Error) throws {
    var negotiation = try SOCKS5Negotiation(host: .name("a"), port: 1, credentials: nil)
    for reply in replies.dropLast() { _ = try negotiation.receive(reply) }
    #expect(throws: error) { try negotiation.receive(replies.last ?? []) }
  }

  @Test("What does not fit is refused before anything is sent")
  func limits() throws {
    let long = String(repeating: "a", count: 256)
    #expect(throws: SOCKS5Error.invalidParameter) {
      try SOCKS5Negotiation(host: .name(long), port: 1, credentials: nil)
    }
    #expect(throws: SOCKS5Error.invalidParameter) { try SOCKS5Negotiation(host: .name(""), port: 1, credentials: nil) }
    #expect(throws: SOCKS5Error.invalidParameter) { try SOCKS5Negotiation(host: .ipv4([1]), port: 1, credentials: nil) }
    for (username, password) in [(long, "p"), ("u", long), ("", "p")] {
      #expect(throws: SOCKS5Error.invalidParameter) {
        try SOCKS5Negotiation(
          host: .name("a"), port: 1, credentials: SOCKS5Credentials(username: username, password: password))
      }
    }
  }
}

@Suite("Connecting through a SOCKS5 proxy")
struct SOCKS5ConnectTests {
  @Test("TLS and blocks pass through, names are left to the proxy", arguments: [false, true])
  func connect(withCredentials: Bool) async throws {
    let server = try await EchoServer()
    let proxy = try await SOCKS5TestProxy(target: server.server.port)
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let credentials = SOCKS5Credentials(username: "session", password: "secret")
    let options = TransportClient.Options(
      proxy: SOCKS5Proxy(host: "127.0.0.1", port: proxy.port, credentials: withCredentials ? credentials : nil))
    let connection = try await AsyncBlockConnection.connect(
      client, host: "relay.onion", port: 5223, policy: .relay(fingerprint: server.identity.fingerprint),
      options: options)
    try await connection.send(block(1))
    var blocks = connection.blocks.makeAsyncIterator()
    #expect(try await blocks.next() == block(1))
    #expect(proxy.requests == [[5, 1, 0, 3, 11] + Array("relay.onion".utf8) + [0x14, 0x67]])
    #expect(proxy.logins == (withCredentials ? [[1, 7] + Array("session".utf8) + [6] + Array("secret".utf8)] : []))
    await proxy.close()
    await server.server.close()
  }

  @Test("What the proxy refuses is an error of its own")
  func refused() async throws {
    let proxy = try await SOCKS5TestProxy(target: nil)
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let options = TransportClient.Options(proxy: SOCKS5Proxy(host: "127.0.0.1", port: proxy.port))
    await #expect(throws: TransportError.proxy(.refused(code: 4))) {
      try await AsyncBlockConnection.connect(client, host: "192.0.2.1", port: 5223, policy: .anyRelay, options: options)
    }
    #expect(proxy.requests == [[5, 1, 0, 1, 192, 0, 2, 1, 0x14, 0x67]])
    await proxy.close()
  }

  @Test("A proxy that hangs up is an error of its own")
  func interrupted() async throws {
    let listener = try await PlainServer { channel in
      channel.eventLoop.execute { channel.close(promise: nil) }
    }
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    let options = TransportClient.Options(proxy: SOCKS5Proxy(host: "127.0.0.1", port: listener.port))
    do {
      _ = try await AsyncBlockConnection.connect(client, host: "relay", port: 1, policy: .anyRelay, options: options)
      Issue.record("connected through a proxy that hung up")
    } catch {
      switch error {
      case .proxy(.interrupted), .system: break
      default: throw error
      }
    }
    await listener.close()
  }
}

/// A small SOCKS5 proxy that connects everyone to one local port, or to nothing.
final class SOCKS5TestProxy: Sendable {
  private struct Seen {
    var logins: [[UInt8]] = []
    var requests: [[UInt8]] = []
  }

  private let seen: NIOLockedValueBox<Seen>
  private let server: PlainServer

  init(target: Int?) async throws {
    let seen = NIOLockedValueBox(Seen())
    self.seen = seen
    server = try await PlainServer { channel in
      try channel.pipeline.syncOperations.addHandler(Negotiator(seen, target))
      try channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }

  var port: Int { server.port }
  var logins: [[UInt8]] { seen.withLockedValue { $0.logins } }
  var requests: [[UInt8]] { seen.withLockedValue { $0.requests } }

  func close() async { await server.close() }

  /// Expects each message of the client in one piece, which holds on loopback.
  private final class Negotiator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let seen: NIOLockedValueBox<Seen>
    private let target: Int?
    private var step = 0

    init(_ seen: NIOLockedValueBox<Seen>, _ target: Int?) {
      self.seen = seen
      self.target = target
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let message = Array(unwrapInboundIn(data).readableBytesView)
      switch (step, message.first) {
      case (0, _):
        let asksPassword = message.contains(2)
        step = asksPassword ? 1 : 2
        reply([5, asksPassword ? 2 : 0], context)
      case (1, _):
        seen.withLockedValue { $0.logins.append(message) }
        step = 2
        reply([1, 0], context)
      default:
        seen.withLockedValue { $0.requests.append(message) }
        connect(context)
      }
    }

    private func connect(_ context: ChannelHandlerContext) {
      guard let target else { return reply([5, 4, 0, 1, 0, 0, 0, 0, 0, 0], context) }
      let channel = context.channel
      context.pipeline.syncOperations.removeHandler(self, promise: nil)
      join(channel, port: target).whenComplete { _ in
        channel.writeAndFlush(ByteBuffer(bytes: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), promise: nil)
      }
    }

    private func reply(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }
  }
}
