import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// SIGINT and SIGTERM, which ask a program to shut down gracefully. The second signal terminates it immediately.
public final class StopSignals: Sendable {
  private let stream: AsyncStream<Int32>

  /// Installs the handlers.
  public init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.stream = stream
    // A write to a closed connection returns an error instead of raising a signal.
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        continuation.yield(number)
        signal(number, SIG_DFL)
      }
      // Until the source is registered the signal would be lost.
      let registered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { registered.signal() }
      source.activate()
      _ = registered.wait(timeout: .now() + 1)
      // Kept for the life of the process.
      _ = Unmanaged.passRetained(source as AnyObject)
    }
  }

  /// Returns when one of the signals has arrived, with its number.
  @discardableResult
  public func wait() async -> Int32 {
    for await number in stream { return number }
    // The task was cancelled.
    return SIGINT
  }
}
