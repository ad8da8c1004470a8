import CivilTime

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

private let processClock = SteadyClock(millisecondsSince1970: currentSeconds() * 1_000)

/// The current time in seconds since 1970 by a clock that only this process has: it counts the sleep of the machine,
/// and changes of the wall clock do not move it. For intervals and deadlines within the process; what outlives it, or
/// is shown, uses ``currentSeconds()``.
public func steadySeconds() -> Int64 { processClock.milliseconds / 1_000 }
