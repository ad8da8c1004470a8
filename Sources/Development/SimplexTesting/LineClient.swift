import Foundation

/// A connection that sends and reads lines, and blocks meanwhile.
public final class LineClient {
  private let socket: Int32
  private var waiting: [UInt8] = []

  /// The connection ended, or a call of the system failed.
  public struct Failed: Error {}

  /// Connects to a port of this machine.
  public init(port: Int) throws {
    #if canImport(Darwin)
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failed() }
  }

  deinit { close(socket) }

  /// A port of the loopback interface that nobody listens on.
  public static func freePort() throws -> Int {
    #if canImport(Darwin)
      let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else { throw Failed() }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Sends a text as it is.
  public func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(socket, bytes, bytes.count) == bytes.count else { throw Failed() }
  }

  /// Sends a line, and reads one.
  public func ask(_ line: String) throws -> String {
    try send(line + "\n")
    return try read(1)[0]
  }

  /// Reads lines.
  public func read(_ count: Int) throws -> [String] { try (0..<count).map { _ in try line() } }

  /// Reads until the other side has closed the connection; what it sends before is dropped.
  public func waitForEnd() throws { while try fill() {} }

  /// Everything that the other side sends until it closes the connection.
  public func readToEnd() throws -> String {
    while try fill() {}
    defer { waiting = [] }
    return String(decoding: waiting, as: UTF8.self)
  }

  private func line() throws -> String {
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        defer { waiting.removeSubrange(...end) }
        return String(decoding: waiting[..<end], as: UTF8.self)
      }
      guard try fill() else { throw Failed() }
    }
  }

  /// Reads more; false at the end.
  private func fill() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = Foundation.read(socket, &buffer, buffer.count)
    // Closing with unread input resets the connection.
    guard count >= 0 else { return false }
    waiting += buffer.prefix(count)
    return count > 0
  }
}
