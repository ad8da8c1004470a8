import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// SIGINT and SIGTERM, which ask a program to end in order. The second one ends it at once.
public final class StopSignals: Sendable {
  private let stream: AsyncStream<Void>

  /// From now on the signals are waited for.
  public init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    // Writing to a closed connection is an error there, not a signal.
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        continuation.yield()
        signal(number, SIG_DFL)
      }
      source.activate()
      // Kept for the life of the process.
      _ = Unmanaged.passRetained(source as AnyObject)
    }
  }

  /// Returns when one of the signals arrived.
  public func wait() async { for await _ in stream { return } }
}
