#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Raises the limit of open files as far as the system allows, and returns it; nil where it is unknown.
public func raiseFileLimit() -> Int? {
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  guard getrlimit(resource, &limit) == 0 else { return nil }
  if limit.rlim_cur < limit.rlim_max {
    let usual = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    if setrlimit(resource, &limit) != 0 { limit.rlim_cur = usual }
  }
  return Int(clamping: limit.rlim_cur)
}

/// The number of clients that fit into a limit of open files: some are for the store and for other relays. Connections
/// beyond it are closed at once; without a free file they could not even be accepted, and would be retried without end.
public func connectionLimit(files: Int) -> Int { max(16, files - reservedFiles(files)) }

/// The number of other relays that fit into what clients leave of a limit of open files; half as many may be being
/// connected to, and a quarter of it remains.
public func relayLimit(files: Int) -> Int { reservedFiles(files) / 2 }

private func reservedFiles(_ files: Int) -> Int { max(64, files / 8) }
