import Foundation
import NIOCore
import RelayChassis
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Answers each line with a long one, and counts them.
private final class LongAnswers: ControlCommands {
  static let size = 64 << 10

  private let count: Counter

  init(_ count: Counter) { self.count = count }

  func answer(_ line: String, on eventLoop: any EventLoop) -> ControlAnswer {
    if line == "quit" { return .now(nil) }
    count.value.add(1, ordering: .relaxed)
    return .now(String(repeating: "a", count: Self.size - 1))
  }
}

private final class Counter: Sendable {
  let value = Atomic(0)
}

/// The control port before anybody has given a password.
@Suite(.timeLimit(.minutes(1))) struct ControlPortTests {
  private func connect(_ port: Int) throws -> FileHandle {
    #if canImport(Glibc)
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let socket = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    try #require(socket >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
          Glibc.connect(socket, $0, size)
        #elseif canImport(Musl)
          Musl.connect(socket, $0, size)
        #else
          Darwin.connect(socket, $0, size)
        #endif
      }
    }
    try #require(result == 0)
    return FileHandle(fileDescriptor: socket, closeOnDealloc: true)
  }

  /// A client that sends lines and does not read the answers makes the relay keep no more than a few of them; when it
  /// reads, it gets all.
  @Test func answersWaitForTheirReader() async throws {
    let count = Counter()
    let control = try #require(
      try await ControlPort.start(port: 0, greeting: "hello") { LongAnswers(count) })
    let client = try connect(try #require(control.port))
    let lines = 1_000
    try client.write(contentsOf: Data(String(repeating: "x\n", count: lines).utf8))
    try client.write(contentsOf: Data("quit\n".utf8))
    // What the system takes, about 6 MB each way, and the limit of the port.
    var answered = -1
    while answered != count.value.load(ordering: .relaxed) || answered == 0 {
      answered = count.value.load(ordering: .relaxed)
      try await Task.sleep(for: .milliseconds(300))
    }
    #expect(answered < 400)
    let received = try #require(try client.readToEnd())
    #expect(received.count == 6 + lines * LongAnswers.size)
    await control.stop()
  }

  /// A line without an end closes the connection.
  @Test func longLinesCloseTheConnection() async throws {
    let control = try #require(
      try await ControlPort.start(port: 0, greeting: "hello") { LongAnswers(Counter()) })
    let client = try connect(try #require(control.port))
    try client.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: 5_000))
    // A reset, where bytes were not read.
    let received = (try? client.readToEnd()) ?? Data("hello\n".utf8)
    #expect(received == Data("hello\n".utf8))
    await control.stop()
  }

  /// The number of connections is limited.
  @Test func connectionsAreLimited() async throws {
    let control = try #require(
      try await ControlPort.start(port: 0, greeting: "hello") { LongAnswers(Counter()) })
    let port = try #require(control.port)
    var open: [FileHandle] = []
    for _ in 0..<64 {
      let client = try connect(port)
      #expect(try client.read(upToCount: 6) == Data("hello\n".utf8))
      open.append(client)
    }
    let refused = try connect(port)
    #expect((try? refused.readToEnd() ?? Data()) ?? Data() == Data())
    await control.stop()
  }
}
