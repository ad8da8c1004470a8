#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The service manager that started this program and wants to know its state: systemd, with `Type=notify`.
///
/// It names a datagram socket in the environment (`NOTIFY_SOCKET`), to which assignments are sent, one in a line
/// (sd_notify(3)).
public struct ServiceManager: Sendable {
  /// What the manager is told.
  public enum State: Hashable, Sendable {
    /// The program serves its clients.
    case ready
    /// It reads its settings again, until it is ready.
    case reloading
    /// It stops.
    case stopping

    var message: String {
      switch self {
      case .ready: "READY=1"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(State.now)"
      case .stopping: "STOPPING=1"
      }
    }

    /// The time of the manager's clock, in microseconds.
    private static var now: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
  }

  /// The name of its socket: a path, or after `@` a name that is no file; nil where there is no manager to tell.
  private let socketName: String?

  /// The manager with a socket of this name.
  public init(socketName: String?) {
    // Only these two kinds are defined; others are of newer managers.
    self.socketName = socketName.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
  }

  /// The manager that started this program, if any.
  public static var ofThisProgram: ServiceManager {
    ServiceManager(socketName: getenv("NOTIFY_SOCKET").map { String(cString: $0) })
  }

  /// Tells the state; false where nobody could be told, which changes nothing for the program.
  @discardableResult
  public func tell(_ state: State) -> Bool {
    guard let socketName, let address = Self.address(socketName) else { return false }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let message = Array(state.message.utf8)
    let sent = withUnsafePointer(to: address.value) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, message, message.count, 0, $0, address.length)
      }
    }
    return sent == message.count
  }

  private static func address(_ name: String) -> (value: sockaddr_un, length: socklen_t)? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if name.hasPrefix("@") { bytes[0] = 0 }
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { path in
      // A path ends with a zero byte.
      guard bytes.count < path.count else { return false }
      path.copyBytes(from: bytes)
      return true
    }
    guard fits, let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) else { return nil }
    return (address, socklen_t(offset + bytes.count + (name.hasPrefix("/") ? 1 : 0)))
  }
}
