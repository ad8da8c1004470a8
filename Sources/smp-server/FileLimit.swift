#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Allows as many open files as the system lets us, and says how many that are; nil where it does not say.
func raiseFileLimit() -> Int? {
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

/// How many clients may be connected with so many open files: some are for the store and for other relays. A client
/// beyond that is sent away; without a file for it, it could not even be accepted, and would be tried without end.
func connectionLimit(files: Int) -> Int { max(16, files - max(64, files / 8)) }
