import Foundation

/// A port of the loopback interface that accepts connections and says nothing.
public final class SilentListener {
  private let descriptor: Int32
  /// The port.
  public let port: UInt16

  /// Listens at a port that the system chooses.
  public init() throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard result else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  /// The next connection; nil where none has come.
  public func nextConnection() -> Connection? {
    var listening = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&listening, 1, 0) == 1 else { return nil }
    let accepted = accept(descriptor, nil, nil)
    return accepted < 0 ? nil : Connection(accepted)
  }

  /// A connection that says nothing.
  public final class Connection {
    private let descriptor: Int32

    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Whether the peer has closed it. What came from the peer is dropped.
    public var isClosed: Bool {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      var count = bytes.count
      while count > 0 { count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) }
      return count == 0 || errno == ECONNRESET
    }

    deinit { close(descriptor) }
  }
}
