#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The limit of files and connections that the process may have open at once (RLIMIT_NOFILE).
public enum OpenFileLimit {
  /// The minimum limit for a program with a database and connections: each of the threads that serve connections opens
  /// three files, and cannot be started without them.
  public static var needed: Int { 64 + 3 * max(1, Int(clamping: sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Raises the limit as far as the system allows, and returns it; nil where it is unknown.
  public static func raise() -> Int? {
    guard var limit = read() else { return nil }
    if limit.rlim_cur < limit.rlim_max {
      let usual = limit.rlim_cur
      limit.rlim_cur = limit.rlim_max
      if setrlimit(resource, &limit) != 0 { limit.rlim_cur = usual }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The reason why the process cannot serve connections, as a sentence without a full stop; nil where it can, or where
  /// the limit is unknown.
  public static var shortage: String? {
    guard let limit = read(), Int(clamping: limit.rlim_cur) < needed else { return nil }
    return
      "the limit of open files is \(limit.rlim_cur), and at least \(needed) are needed: raise it, with ulimit -n or"
      + " LimitNOFILE of systemd"
  }

  private static func read() -> rlimit? {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? limit : nil
  }

  #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var resource: Int32 { RLIMIT_NOFILE }
  #endif
}
