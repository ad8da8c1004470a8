#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Images of the process's memory that the system writes when a program crashes. They contain private keys, and what
/// was on its way.
public enum CoreDumps {
  /// Forbids them for this process and those that it starts. Where that fails, the program runs as before.
  public static func forbid() {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
      let resource = RLIMIT_CORE
    #endif
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(resource, &limit)
  }
}
