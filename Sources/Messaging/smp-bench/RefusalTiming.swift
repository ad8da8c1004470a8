import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// Compares the times that a relay takes to refuse commands about queues that exist and that do not: a stranger who
/// measures them should learn nothing.
struct RefusalTiming {
  /// The times for one kind of queues.
  struct Comparison {
    /// In seconds.
    var median: Double
    /// How much more often than by guessing somebody is right who tells them from those of missing queues by the best
    /// threshold for a single time (the Kolmogorov-Smirnov distance): 0 for never, 1 for always. Nil for missing
    /// queues.
    var advantage: Double?
  }

  private let options: Options
  private let pair: Pair

  init(_ options: Options, _ pair: Pair) {
    self.options = options
    self.pair = pair
  }

  /// Asks in random order, one command at a time, as a client that does not have the keys.
  func compare() async throws -> [(name: String, Comparison)] {
    let count = options.timing
    let used = try await pair.makeQueue(options, subscription: .onlyCreate)
    _ = try await pair.receiver.perform(.init(.sub, entity: used.recipientID, key: used.key))
    var unused: [Queue] = []
    for _ in 0..<count { unused.append(try await pair.makeQueue(options, subscription: .onlyCreate)) }
    let names = ["queue in use", "unused queue", "missing queue"]
    var random = SystemRandom()
    var times = [[Double]](repeating: [], count: names.count)
    let clock = ContinuousClock()
    for kind in names.indices.flatMap({ [Int](repeating: $0, count: count) }).shuffled() {
      let entity =
        switch kind {
        case 0: used.recipientID
        case 1: unused[times[1].count].recipientID
        default: EntityID(using: &random)
        }
      let forged = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
      let request = RequestPipeline.Request(.sub, entity: entity, key: forged)
      let start = clock.now
      guard try await isRefused(request) else { throw SMPClientError.unexpectedResponse("not ERR AUTH") }
      times[kind].append((clock.now - start).inSeconds)
    }
    times = times.map { $0.sorted() }
    return names.indices.map { kind in
      let advantage = kind == 2 ? nil : Self.distance(times[kind], times[2])
      return (names[kind], Comparison(median: SMPBench.percentile(50, of: times[kind]), advantage: advantage))
    }
  }

  private func isRefused(_ request: RequestPipeline.Request) async throws -> Bool {
    do {
      _ = try await pair.sender.connection.perform(request)
      return false
    } catch {
      if case .relay(.AUTH) = error { return true }
      throw error
    }
  }

  /// The largest difference of the distributions of two sorted samples.
  private static func distance(_ left: [Double], _ right: [Double]) -> Double {
    var (i, j, most) = (0, 0, 0.0)
    while i < left.count, j < right.count {
      if left[i] <= right[j] { i += 1 } else { j += 1 }
      most = max(most, abs(Double(i) / Double(left.count) - Double(j) / Double(right.count)))
    }
    return most
  }
}
