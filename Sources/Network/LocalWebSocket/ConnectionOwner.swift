import NIOCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whose program is at the other end of a connection over the loopback address.
///
/// On Linux the table of connections says it (proc(5), `/proc/net/tcp`): the client's end is a row of its own, with the
/// user who made the socket.
enum ConnectionOwner {
  /// Whether the system says it.
  static var isKnown: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Whether the client is a program of the user who runs this one. False where that is unknown.
  static func isSameUser(client: SocketAddress?, server: SocketAddress?) -> Bool {
    guard isKnown, let client = client.flatMap(Endpoint.init), let server = server.flatMap(Endpoint.init) else {
      return false
    }
    // While connections come and go the system may skip rows of a table.
    for _ in 0..<3 {
      for (path, isMapped) in [("/proc/net/tcp", false), ("/proc/net/tcp6", true)] {
        guard let table = text(path) else { continue }
        let user = user(in: table, of: client.text(isMapped: isMapped), connectedTo: server.text(isMapped: isMapped))
        if let user { return user == geteuid() }
      }
    }
    return false
  }

  /// The user of an established connection in a table of the system, whose ends are as they are written there; nil
  /// where the table has none.
  ///
  /// A socket that its program has closed belongs to the root user there, whoever made it, so only an established
  /// connection with a file counts.
  static func user(in table: String, of client: String, connectedTo server: String) -> UInt32? {
    for line in table.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count > 9, fields[1] == client, fields[2] == server else { continue }
      guard fields[3] == "01", fields[9] != "0" else { return nil }
      return UInt32(fields[7])
    }
    return nil
  }

  /// An address and a port.
  private struct Endpoint {
    private let address: [UInt8]
    private let port: Int

    init?(_ socket: SocketAddress) {
      guard let port = socket.port else { return nil }
      switch socket {
      case .v4(let address): self.address = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
      case .v6(let address): self.address = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      case .unixDomainSocket: return nil
      }
      self.port = port
    }

    /// The address in numbers of 32 bits, each in the order of the machine, and the port.
    func text(isMapped: Bool) -> String {
      let mapped = isMapped && address.count == 4 ? Array(repeating: 0, count: 10) + [0xFF, 0xFF] + address : address
      let words = stride(from: 0, to: mapped.count, by: 4).map { start in
        mapped[start..<start + 4].withUnsafeBytes { Self.hexadecimal($0.loadUnaligned(as: UInt32.self), digits: 8) }
      }
      return words.joined() + ":" + Self.hexadecimal(UInt32(port), digits: 4)
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
  }

  /// The content of a file of the system, which has no size.
  private static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
      }
      if part.isEmpty { return String(decoding: content, as: UTF8.self) }
      content += part
    }
  }
}
