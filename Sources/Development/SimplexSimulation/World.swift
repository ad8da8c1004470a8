import SMPProtocol
import SimplexCrypto

/// Agents and relays on one virtual clock and one virtual network, in one thread. Everything that happens follows from
/// the seed.
public final class World {
  /// What is written down of a run when `SIMPLEX_TRACE` asks for it.
  public var trace: ((String) -> Void)?
  /// How bad the network is. Calm weather ends all disturbances.
  public internal(set) var weather: Weather
  /// Now, in milliseconds since 1970.
  public private(set) var now: Int64 = 1_700_000_000_000
  /// Chance: what the network does, and whatever the scenario draws.
  public var random: SimulationRandom
  /// All relays, by address.
  public private(set) var relays: [SMPServerAddress: SimulatedRelay] = [:]
  /// What was found wrong.
  public private(set) var violations: [String] = []
  /// Looks at what relays can see.
  public let wiretap = Wiretap()

  private var events = Schedule<() -> Void>()
  private var relayOrder: [SimulatedRelay] = []
  /// Who takes part, for as long as the world exists.
  var people: [Person] = []

  /// An empty world.
  public init(seed: UInt64, weather: Weather? = nil) {
    var random = SimulationRandom(seed: seed)
    self.weather = weather ?? Weather(using: &random)
    self.random = random
    wiretap.world = self
  }

  /// Adds a relay whose queues hold this number of messages.
  public func addRelay(quota: Int = 128) -> SimulatedRelay {
    let number = UInt8(truncatingIfNeeded: relayOrder.count)
    let address = SMPServerAddress(.simulated(number), keyHash: [UInt8](repeating: number, count: 32))
    let relay = SimulatedRelay(address, quota: quota, world: self)
    relays[address] = relay
    relayOrder.append(relay)
    return relay
  }

  // MARK: Time

  /// Plans something.
  public func after(_ pause: Int64, _ body: @escaping () -> Void) { events.add(body, at: now + max(0, pause)) }

  /// Plans something at a time, or at once if the time has passed.
  public func at(_ time: Int64, _ body: @escaping () -> Void) { events.add(body, at: max(now, time)) }

  /// Removes all planned events.
  func removePlans() { events = Schedule() }

  /// How many things are planned.
  public var plannedCount: Int { events.count }

  /// Lets time pass until `isDone`, or until a violation is found; false if it took longer than `limit`
  /// milliseconds.
  @discardableResult
  public func run(limit: Int64, until isDone: () -> Bool = { false }) -> Bool {
    let end = now + limit
    while violations.isEmpty {
      if isDone() { return true }
      guard let next = events.nextTime, next <= end else {
        now = end
        return isDone()
      }
      guard let (time, event) = events.takeFirst() else { return false }
      now = time
      event()
    }
    return false
  }

  /// Notes a violation of a property.
  public func violate(_ text: String) {
    violations.append(text)
    log("VIOLATION \(text)")
  }

  /// Writes a line of the trace.
  public func log(_ text: @autoclosure () -> String) { trace?("\(now - 1_700_000_000_000) \(text())") }

  // MARK: Disturbances

  /// Begins with what the weather brings to relays.
  public func startWeather() {
    for relay in relayOrder {
      planRestart(of: relay)
      planPartition(of: relay)
      planForgetting(of: relay)
    }
    // One takes new queues, or nobody could go on.
    for relay in relayOrder.dropFirst() { planRefusal(of: relay) }
  }

  /// Ends all disturbances: relays run, connections hold.
  public func calmDown() {
    weather = .calm
    for relay in relayOrder { relay.recover() }
    log("calm")
  }

  private func planRestart(of relay: SimulatedRelay) {
    guard let interval = weather.relayRestartInterval else { return }
    after(exponential(interval)) { [self] in
      guard weather.relayRestartInterval != nil else { return }
      relay.crash()
      after(Int64.random(in: weather.relayDowntime, using: &random)) { relay.start() }
      planRestart(of: relay)
    }
  }

  private func planPartition(of relay: SimulatedRelay) {
    guard let interval = weather.partitionInterval else { return }
    after(exponential(interval)) { [self] in
      guard weather.partitionInterval != nil else { return }
      relay.isReachable = false
      log("relay \(relay.name) unreachable")
      after(Int64.random(in: weather.partitionDuration, using: &random)) { relay.isReachable = true }
      planPartition(of: relay)
    }
  }

  private func planForgetting(of relay: SimulatedRelay) {
    guard let interval = weather.forgetInterval else { return }
    after(exponential(interval)) { [self] in
      guard weather.forgetInterval != nil else { return }
      relay.forgetSubscriptions()
      planForgetting(of: relay)
    }
  }

  private func planRefusal(of relay: SimulatedRelay) {
    guard let interval = weather.refusalInterval else { return }
    after(exponential(interval)) { [self] in
      guard weather.refusalInterval != nil else { return }
      relay.acceptsQueues = false
      log("relay \(relay.name) takes no new queues")
      after(Int64.random(in: weather.refusalDuration, using: &random)) { relay.acceptsQueues = true }
      planRefusal(of: relay)
    }
  }

  /// A time between independent events that are `mean` apart on average.
  func exponential(_ mean: Int64) -> Int64 {
    // A sum of uniform numbers is near enough, and has no logarithm that differs between machines.
    Int64.random(in: 0...max(1, mean), using: &random) + Int64.random(in: 0...max(1, mean), using: &random)
  }

  /// How long a packet takes.
  func latency() -> Int64 {
    var time = Int64.random(in: weather.latency, using: &random)
    if random.happens(percent: weather.slowPercent) { time += Int64.random(in: 0...20_000, using: &random) }
    return time
  }
}

extension TransportHost {
  fileprivate static func simulated(_ number: UInt8) -> TransportHost { .domain("relay\(number).example") }
}
