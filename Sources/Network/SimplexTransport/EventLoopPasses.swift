import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Calls functions on an event loop after the loop has looked for input.
///
/// A task of the loop does not wait for that: the loop executes tasks until none is due, and only then looks for input.
/// Work in short parts, each of which adds the next one as a task, would keep it from its connections for as long as
/// there is such work. Here each part follows an event of a pipe, which the loop finds together with what has arrived.
///
/// Unchecked: what changes is used on its event loop alone.
package final class EventLoopPasses: @unchecked Sendable {
  private let eventLoop: any EventLoop
  /// The end of the pipe that is written to; nil where the system has no more descriptors, or the loop no pipes.
  private let signal: CInt?
  private var waiting: [() -> Void] = []
  /// Whether a byte is in the pipe.
  private var isSignalled = false
  /// Whether the loop does not read the pipe.
  private var isUnread = false

  package init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    var ends: [CInt] = [-1, -1]
    guard let bootstrap = NIOPipeBootstrap(validatingGroup: eventLoop), pipe(&ends) == 0 else {
      signal = nil
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    signal = ends[1]
    // Weak: the pipe ends with this object.
    let handler = SignalHandler { [weak self] in self?.endPass() }
    let input = ends[0]
    bootstrap
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16))
      .channelInitializer { $0.pipeline.addHandler(handler) }
      .takingOwnershipOfDescriptor(input: input)
      .whenFailure { [weak self] _ in
        _ = close(input)
        self?.pipeFailed()
      }
  }

  deinit { if let signal { _ = close(signal) } }

  /// Calls a function in the next pass. On the event loop alone.
  package func perform(_ body: @escaping () -> Void) {
    waiting.append(body)
    guard !isSignalled else { return }
    isSignalled = true
    if !isUnread, let signal, write(signal, [0], 1) == 1 { return }
    eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { self.endPass() }
  }

  private func pipeFailed() {
    isUnread = true
    if isSignalled { endPass() }
  }

  private func endPass() {
    isSignalled = false
    var bodies: [() -> Void] = []
    swap(&bodies, &waiting)
    for body in bodies { body() }
  }
}

/// Reads what was written to the pipe.
private final class SignalHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let signalled: @Sendable () -> Void

  init(_ signalled: @escaping @Sendable () -> Void) { self.signalled = signalled }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { signalled() }
}
