#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A key, or a piece of text.
enum Key: Hashable, Sendable {
  case up, down, enter, escape, tab, delete, interrupt
  case text(String)

  /// The keys in bytes that a terminal sent.
  static func keys(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var text: [UInt8] = []
    func flush() {
      if !text.isEmpty { keys.append(.text(String(decoding: text, as: UTF8.self))) }
      text = []
    }
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      let key: Key?
      switch byte {
      case 3, 4: key = .interrupt
      case 9: key = .tab
      case 10, 13: key = .enter
      case 8, 127: key = .delete
      case 27:
        if rest.starts(with: Array("[A".utf8)) {
          key = .up
        } else if rest.starts(with: Array("[B".utf8)) {
          key = .down
        } else {
          key = rest.isEmpty ? .escape : nil
        }
        if key != .escape { rest = rest.drop { !(65...90).contains($0) && !(97...126).contains($0) }.dropFirst() }
      default:
        if byte >= 32 { text.append(byte) }
        continue
      }
      flush()
      if let key { keys.append(key) }
    }
    flush()
    return keys
  }
}

/// The terminal in a mode in which each key is read at once.
struct Terminal {
  private let before: termios

  /// Whether somebody sits at it.
  static var isInteractive: Bool { isatty(0) == 1 && isatty(1) == 1 }

  init() {
    var settings = termios()
    tcgetattr(0, &settings)
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    tcsetattr(0, TCSANOW, &settings)
    Terminal.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  /// Leaves the terminal as it was.
  func restore() {
    var settings = before
    tcsetattr(0, TCSANOW, &settings)
    Terminal.write("\u{1B}[?25h\u{1B}[?1049l")
  }

  /// Columns and lines.
  static var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows lines in place of what is shown.
  static func show(_ lines: [String]) {
    write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
  }

  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite($0.baseAddress, $0.count) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func systemWrite(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.write(1, bytes, count)
    #elseif canImport(Glibc)
      Glibc.write(1, bytes, count)
    #else
      Musl.write(1, bytes, count)
    #endif
  }

  /// Keys as they are pressed, read by a thread of their own, which ends with the process or the input.
  static func keys() -> AsyncStream<[Key]> {
    let (stream, sink) = AsyncStream<[Key]>.makeStream(bufferingPolicy: .bufferingNewest(256))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let reader = Unmanaged.passRetained(KeyReader(sink))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    pthread_create(&thread, &attributes, startReading, reader.toOpaque())
    return stream
  }
}

private final class KeyReader: Sendable {
  let sink: AsyncStream<[Key]>.Continuation
  init(_ sink: AsyncStream<[Key]>.Continuation) { self.sink = sink }

  func run() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
      guard count > 0 else { return sink.finish() }
      sink.yield(Key.keys(in: Array(buffer[..<count])))
    }
  }
}

#if canImport(Darwin)
  private func startReading(_ reader: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<KeyReader>.fromOpaque(reader).takeRetainedValue().run()
    return nil
  }
#else
  private func startReading(_ reader: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let reader { Unmanaged<KeyReader>.fromOpaque(reader).takeRetainedValue().run() }
    return nil
  }
#endif
