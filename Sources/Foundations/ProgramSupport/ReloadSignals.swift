import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// SIGHUP, which asks a program to read its settings again.
public final class ReloadSignals: Sendable {
  /// An element for each signal; signals that arrive while no reader waits are merged into one.
  public let arrivals: AsyncStream<Void>

  /// Installs the handler.
  public init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    arrivals = stream
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    source.setEventHandler { continuation.yield() }
    source.activate()
    // Kept for the life of the process.
    _ = Unmanaged.passRetained(source as AnyObject)
  }
}
