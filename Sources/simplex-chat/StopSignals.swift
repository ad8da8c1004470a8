import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// SIGINT and SIGTERM, which ask the program to end in order. The second one ends it at once.
final class StopSignals: Sendable {
  private let stream: AsyncStream<Void>

  init() {
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
  func wait() async { for await _ in stream { return } }
}

extension SimplexChatCommand {
  /// Writes a line to standard error.
  static func note(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
