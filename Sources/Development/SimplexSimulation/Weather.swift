/// How bad the network and the machines are.
public struct Weather: Hashable, Sendable {
  /// How long a packet takes, in milliseconds.
  public var latency: ClosedRange<Int64> = 1...40
  /// How many packets of a hundred take much longer.
  public var slowPercent = 0.0
  /// The percentage of packets that are lost permanently, so that the connection breaks.
  public var lossPercent = 0.0
  /// The mean time in milliseconds after which a connection breaks; nil for never.
  public var disconnectInterval: Int64?
  /// How often a relay is unreachable for a while.
  public var partitionInterval: Int64?
  /// How long then.
  public var partitionDuration: ClosedRange<Int64> = 500...60_000
  /// How often a relay restarts.
  public var relayRestartInterval: Int64?
  /// How long it is down then.
  public var relayDowntime: ClosedRange<Int64> = 100...20_000
  /// How often a relay forgets what a connection has subscribed to, and does not say so.
  public var forgetInterval: Int64?
  /// How long a relay takes to make changes durable.
  public var storeDelay: ClosedRange<Int64> = 0...3
  /// How many transactions of a hundred an agent does not survive.
  public var crashPercent = 0.0
  /// How many crashes of a hundred are power failures: what was not synchronized may be lost.
  public var powerFailurePercent = 0.0
  /// How often a relay takes no new queues for a while. The first one always does.
  public var refusalInterval: Int64?
  /// How long then.
  public var refusalDuration: ClosedRange<Int64> = 500...60_000
  /// How many agents of a hundred send through another relay.
  public var proxyPercent = 0.0
  /// How long an agent is down after a crash.
  public var agentDowntime: ClosedRange<Int64> = 0...10_000

  /// Nothing ever goes wrong.
  public static let calm = Weather()

  /// Conditions that follow from a seed: from calm to everything at once.
  public init(using random: inout SimulationRandom) {
    let severity = Double.random(in: 0...1, using: &random)
    slowPercent = random.happens(percent: 50) ? 5 * severity : 0
    lossPercent = random.happens(percent: 50) ? 3 * severity : 0
    if random.happens(percent: 60) { disconnectInterval = Int64.random(in: 2_000...60_000, using: &random) }
    if random.happens(percent: 40) { partitionInterval = Int64.random(in: 20_000...200_000, using: &random) }
    if random.happens(percent: 40) { relayRestartInterval = Int64.random(in: 10_000...200_000, using: &random) }
    if random.happens(percent: 70) { crashPercent = 6 * severity }
    if random.happens(percent: 50) { powerFailurePercent = 50 }
    if random.happens(percent: 30) { refusalInterval = Int64.random(in: 5_000...100_000, using: &random) }
    if random.happens(percent: 30) { proxyPercent = 50 }
    if random.happens(percent: 20) { forgetInterval = Int64.random(in: 20_000...200_000, using: &random) }
  }

  private init() {}
}
