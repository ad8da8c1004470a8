#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import ChatAPI

/// Lines of a file or pipe; output without styles.
public struct PlainInput: LineInput {
  /// The lines of the standard input.
  public let lines: AsyncStream<TypedLine>
  /// Nothing is completed.
  public let completions = AsyncStream<String> { $0.finish() }
  /// No person types.
  public var isInteractive: Bool { false }

  /// Begins to read the standard input.
  public init() {
    let (lines, continuation) = AsyncStream.makeStream(of: TypedLine.self)
    self.lines = lines
    startThread {
      var chat = ""
      while let line = readLine(strippingNewline: true) {
        continuation.yield(TypedLine(line, chat: chat))
        if let target = ChatTarget(of: line) { chat = target.prefix }
        // The same name is another person's under another profile.
        if line.hasPrefix("/"), let command = try? ChatCommand(parsing: line), command.choosesProfile { chat = "" }
      }
      continuation.finish()
    }
  }

  /// Empty: the whole input is read in advance; nothing is being typed.
  public var typed: String { "" }

  /// Writes the lines.
  public func show(_ lines: [StyledText], as key: Int64?) { StandardOutput.write(lines.map(\.text)) }

  /// Returns false: written lines stay as they are.
  public func replace(_ key: Int64, with lines: [StyledText]) -> Bool { false }

  /// A no-op: the whole input is read in advance, each line with its chat.
  public func replaceChat(_ old: String, with new: String, of profile: Int64) {}

  /// A no-op: there is no prompt that could show the chat.
  public func offerChat(_ chat: String) {}

  /// A no-op: nothing is being typed.
  public func beginLive(_ text: String, in chat: String) {}

  /// A no-op: nothing is completed.
  public func complete(_ beginning: String, with completed: String) {}

  /// A no-op: nothing was changed.
  public func end() async {}
}

/// The standard output, written at once.
enum StandardOutput {
  static func write(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    write(text: lines.joined(separator: "\n") + "\n")
  }

  static func write(text: String, to file: Int32 = STDOUT_FILENO) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let base = rest.baseAddress, !rest.isEmpty {
        let count = systemWrite(file, base, rest.count)
        if count < 0 && errno != EINTR { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[max(0, count)...])
      }
    }
  }
}

// Inside the type the method's name hides the system's function.
private let systemWrite = write(_:_:_:)

/// Runs `body` in a thread of its own, because it waits for input that may never come.
func startThread(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(run: body))
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let code = pthread_create(&thread, &attributes, runThreadBody, box.toOpaque())
  pthread_attr_destroy(&attributes)
  if code != 0 { box.release() }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(run: @escaping @Sendable () -> Void) { self.run = run }
}

#if canImport(Darwin)
  private func runThreadBody(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run()
    return nil
  }
#else
  private func runThreadBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body { Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
    return nil
  }
#endif
