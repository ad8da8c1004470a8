#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The current time in seconds since 1970.
public func currentSeconds() -> Int64 { Int64(time(nil)) }

/// Today, in days since 1970.
public func currentDay() -> Int64 { currentSeconds() / 86_400 }
