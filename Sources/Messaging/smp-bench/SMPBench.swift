import FileAccess
import SMPClient
import SMPClientCore
import ProgramSupport
import SMPProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Loads a relay with connections, queues and messages, and prints its rates.
@main
struct SMPBench {
  static func main() async {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.contains("--help") || arguments.contains("-h") { return print(Options.help) }
      if arguments.contains("--version") {
        return print(ProgramVersion.text(of: "smp-bench", compatibleWith: "relays of the SMP protocol"))
      }
      let options = try Options.parse(arguments)
      _ = OpenFileLimit.raise()
      if let shortage = OpenFileLimit.shortage { fail("smp-bench: \(shortage)") }
      let figures = try await measure(options)
      print(options.json ? figures.json : figures.text)
    } catch let error as UsageError {
      fail("smp-bench: \(error.reason)\n\(Options.usage)\nsmp-bench --help explains the options", code: EX_USAGE)
    } catch let error as SMPClientError {
      fail("smp-bench: \(sentence(error))")
    } catch {
      fail("smp-bench: \(error)")
    }
  }

  /// What went wrong and what to do.
  private static func sentence(_ error: SMPClientError) -> String {
    switch error {
    case .network(.connectError(let reason)): "the relay cannot be reached: \(reason)"
    case .network(.tLSError(let reason)): reason
    case .network(.unknownCAError): "the relay's certificate does not match the fingerprint in the address"
    case .network: "the relay cannot be reached"
    case .relay(.AUTH): "the relay refused the password, or does not allow new queues"
    case .relay(.QUOTA): "a queue of the relay is full; use a smaller --pipeline"
    case .timeout: "the relay did not answer in time"
    case .closed: "the relay closed the connection"
    case .noHost: "no host of the address can be used"
    default: "the relay did not do what it was asked (\(error))"
    }
  }

  private static func fail(_ text: String, code: Int32 = 1) -> Never {
    let line = Array("\(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(code)
  }

  private static func measure(_ options: Options) async throws -> Figures {
    let server = ObservedServer(options.serverProcess)
    var figures = Figures()
    let start = ContinuousClock.now
    let pairs = try await concurrently(options.pairs, limit: 10_000) { _ in try await Pair.connect(options) }
    figures.add("connections", 2 * options.pairs, in: .now - start)
    if options.idle > 0 { try await Task.sleep(for: .seconds(options.idle)) }
    let bytes = server?.addMemory(for: "connection", 2 * options.pairs, to: &figures) ?? 0
    if options.queues > 0 {
      try await measureQueues(options, pairs: pairs, server: server, connectionBytes: bytes, figures: &figures)
    }
    if options.messages > 0 { try await measureMessages(options, pairs: pairs, server: server, figures: &figures) }
    if options.timing > 0, let pair = pairs.first { try await measureTiming(options, pair, figures: &figures) }
    for pair in pairs { await pair.close() }
    return figures
  }

  private static func measureQueues(
    _ options: Options, pairs: [Pair], server: ObservedServer?, connectionBytes: Double, figures: inout Figures
  ) async throws {
    var start = ContinuousClock.now
    let queues = try await concurrently(options.pairs, limit: options.pairs) { pair in
      try await concurrently(options.queues) { _ in
        try await pairs[pair].makeQueue(options, subscription: .onlyCreate)
      }
    }
    figures.add("NEW", options.pairs * options.queues, in: .now - start)

    start = .now
    _ = try await concurrently(options.pairs, limit: options.pairs) { pair in
      try await concurrently(options.queues) { index in
        let queue = queues[pair][index]
        _ = try await pairs[pair].receiver.perform(
          RequestPipeline.Request(.sub, entity: queue.recipientID, key: queue.key))
      }
    }
    figures.add("SUB", options.pairs * options.queues, in: .now - start)
    // So that what subscribing took is given back.
    if options.idle > 0 { try await Task.sleep(for: .seconds(options.idle)) }
    // Only receivers have queues: the connections of the senders do not count.
    server?.addMemory(
      for: "receiver and its queues", options.pairs, without: connectionBytes * Double(options.pairs), to: &figures)
  }

  private static func measureMessages(
    _ options: Options, pairs: [Pair], server: ObservedServer?, figures: inout Figures
  ) async throws {
    let budget = Budget(options.pairs * options.messages)
    let processorTime = server?.processorSeconds
    let ownTime = ProcessUsage(of: getpid())?.processorSeconds
    let start = ContinuousClock.now
    let latencies = try await concurrently(options.pairs, limit: options.pairs) {
      try await pairs[$0].exchangeMessages(options, budget)
    }
    .flatMap(\.self).sorted()
    figures.add("SEND to MSG to ACK", latencies.count, in: .now - start)
    figures.add("SEND to MSG p50", percentile(50, of: latencies) * 1_000, unit: "ms")
    figures.add("SEND to MSG p99", percentile(99, of: latencies) * 1_000, unit: "ms")
    if let processorTime, let end = server?.processorSeconds {
      figures.add(
        "server CPU for each message", (end - processorTime) / Double(max(1, latencies.count)) * 1_000, unit: "ms")
    }
    if let ownTime, let end = ProcessUsage(of: getpid())?.processorSeconds {
      figures.add(
        "CPU of the clients for each message", (end - ownTime) / Double(max(1, latencies.count)) * 1_000, unit: "ms")
    }
  }

  private static func measureTiming(_ options: Options, _ pair: Pair, figures: inout Figures) async throws {
    for (name, comparison) in try await RefusalTiming(options, pair).compare() {
      figures.add("refused SUB, \(name), p50", comparison.median * 1e6, unit: "us")
      guard let advantage = comparison.advantage else { continue }
      figures.add("told from a missing queue by one time, \(name)", advantage * 100, unit: "%")
    }
  }

  static func percentile(_ percent: Int, of sorted: [Double]) -> Double {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// Runs an operation `count` times, at most `limit` concurrently, and returns the results in order.
  private static func concurrently<Result: Sendable>(
    _ count: Int, limit: Int = 1_000, _ body: @escaping @Sendable (Int) async throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var results: [(Int, Result)] = []
      results.reserveCapacity(count)
      for index in 0..<count {
        if index >= limit, let result = try await group.next() { results.append(result) }
        group.addTask { (index, try await body(index)) }
      }
      for try await result in group { results.append(result) }
      return results.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
