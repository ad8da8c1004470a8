import NIOCore
import NIOPosix
import Synchronization

/// Creates the channels of all connections: the only place with bootstraps of sockets (`ConnectionEndTests` searches
/// the sources), so that every pipeline ends with a handler that closes the connection on an error.
package enum Connections {
  /// Accepts connections. `configure` sets up the pipeline of each, on its event loop; where it throws, the connection
  /// is closed. With a `limit`, so are connections beyond this number as soon as they are accepted.
  package static func listener(
    _ group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, backlog: Int32? = nil, limit: Int = .max,
    configure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
  ) -> ServerBootstrap {
    var bootstrap = ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    if let backlog { bootstrap = bootstrap.serverChannelOption(.backlog, value: backlog) }
    let open = OpenCount()
    return bootstrap.childChannelInitializer { channel in
      guard open.number.add(1, ordering: .relaxed).newValue <= limit else {
        open.number.subtract(1, ordering: .relaxed)
        return channel.eventLoop.makeFailedFuture(TransportError.closed)
      }
      channel.closeFuture.whenComplete { _ in open.number.subtract(1, ordering: .relaxed) }
      return initialize(channel, configure)
    }
  }

  private final class OpenCount: Sendable {
    let number = Atomic(0)
  }

  /// Connects. `configure` sets up the pipeline before that, on the event loop.
  package static func client(
    _ group: any EventLoopGroup, configure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
  ) -> ClientBootstrap {
    ClientBootstrap(group: group).channelInitializer { initialize($0, configure) }
  }

  /// Binds a socket for datagrams. `configure` sets up the pipeline before that, on the event loop.
  package static func datagrams(
    _ group: any EventLoopGroup, configure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
  ) -> DatagramBootstrap {
    DatagramBootstrap(group: group).channelOption(.socketOption(.so_reuseaddr), value: 1)
      .channelInitializer { initialize($0, configure) }
  }

  private static func initialize(
    _ channel: any Channel, _ configure: @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try configure(channel)
      try end(channel)
    }
  }

  /// Makes a ``ConnectionEnd`` the last handler, after handlers were added. On the event loop only; fails only on a
  /// closed channel.
  package static func end(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    if let context = try? pipeline.context(handlerType: ConnectionEnd.self) {
      pipeline.removeHandler(context: context, promise: nil)
    }
    try pipeline.addHandler(ConnectionEnd())
  }
}

/// The last handler of a connection: closes it on any error.
///
/// Handlers of NIO report errors and leave it to the application to close. Without that, a decoder that has failed
/// keeps everything that the peer sends from then on.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
