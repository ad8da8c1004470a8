#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A repeatable random number generator (SplitMix64) for property tests; print the seed with every failure.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose numbers depend on the seed alone.
  public init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// This many random bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// Up to `limit` random bytes.
  public mutating func bytes(upTo limit: Int) -> [UInt8] { bytes(Int.random(in: 0...limit, using: &self)) }
}

/// Seeds for a property test: fixed ones, so that every run tests the same, plus one that differs each time. With the
/// environment variable `SIMPLEX_SEED` that seed alone, to replay a failure.
public func propertySeeds(_ count: Int) -> [UInt64] {
  if let seed = getenv("SIMPLEX_SEED").flatMap({ UInt64(String(cString: $0)) }) { return [seed] }
  return (0..<UInt64(max(0, count - 1))).map { $0 } + [UInt64.random(in: .min ... .max)]
}
