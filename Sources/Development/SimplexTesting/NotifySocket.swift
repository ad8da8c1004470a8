import Foundation

/// A service manager: a datagram socket that programs tell their state (`NOTIFY_SOCKET`).
public final class NotifySocket {
  /// The value of the environment's variable.
  public let name: String
  private let socket: Int32

  /// A call of the system failed, or nothing came within a minute.
  public struct Failed: Error {}

  /// A socket of this path, which must not exist; after `@` a name that is no file, on Linux.
  public init(_ name: String) throws {
    self.name = name
    #if canImport(Darwin)
      socket = Darwin.socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
      socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name.hasPrefix("@") ? [0] + bytes.dropFirst() : bytes)
    }
    let length = socklen_t(offset + bytes.count + (name.hasPrefix("@") ? 0 : 1))
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
    }
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    guard bound == 0,
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size)) == 0
    else { throw Failed() }
  }

  deinit {
    close(socket)
    if !name.hasPrefix("@") { unlink(name) }
  }

  /// The next message; blocks until it comes.
  public func next() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 1_000)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failed() }
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
