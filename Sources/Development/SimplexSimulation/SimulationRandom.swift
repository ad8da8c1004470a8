import SimplexCrypto

/// The random numbers of a simulation: all of them follow from its seed.
public struct SimulationRandom: RandomSource, RandomNumberGenerator {
  private var source: InsecureSeededRandom

  /// The sequence of a seed.
  public init(seed: UInt64) { source = InsecureSeededRandom(seed: seed) }

  /// Overwrites the buffer.
  public mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) { source.fill(buffer) }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    var value: UInt64 = 0
    withUnsafeMutableBytes(of: &value) { source.fill($0) }
    return value
  }

  /// Whether something happens that does so in `percent` of all cases.
  public mutating func happens(percent: Double) -> Bool {
    percent > 0 && Double.random(in: 0..<100, using: &self) < percent
  }

  /// A sequence of its own that follows from this one.
  public mutating func fork() -> SimulationRandom { SimulationRandom(seed: next()) }
}

/// A sequence that all copies share, for those who copy their source of randomness.
public final class SharedRandom: RandomSource {
  private var random: SimulationRandom

  /// The sequence of a generator.
  public init(_ random: SimulationRandom) { self.random = random }

  /// Overwrites the buffer.
  public func fill(_ buffer: UnsafeMutableRawBufferPointer) { random.fill(buffer) }
}
