import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Synchronization

/// Blocks on their way in one direction: in order, each after a delay.
private struct Pipe: Sendable {
  private struct Packet: Sendable {
    var due: ContinuousClock.Instant?
    var block: [UInt8]
  }

  private let packets: AsyncStream<Packet>
  private let sink: AsyncStream<Packet>.Continuation

  init() { (packets, sink) = AsyncStream.makeStream() }

  func push(_ block: [UInt8], delay: Duration) {
    sink.yield(Packet(due: delay > .zero ? .now + delay : nil, block: block))
  }

  /// Nothing more will come; what is on its way arrives.
  func finish() { sink.finish() }

  /// Calls `body` with each block that arrives, until it returns false or nothing more comes.
  func deliver(_ body: ([UInt8]) async -> Bool) async {
    for await packet in packets {
      if let due = packet.due, due > .now { try? await Task.sleep(until: due) }
      guard await body(packet.block) else { return }
    }
  }
}

/// A link between a real client and a relay in memory, with the delays, losses and disconnects that follow from a seed.
final class MemoryLink: BlockLink {
  private struct State {
    var chance: SeededGenerator
    var isOpen = true
    /// Whether something was lost, so that nothing more arrives and the link breaks soon.
    var isLost = false
  }

  let sessionID: SessionID
  let relayKey: AnyPublicKey?
  private let network: MemoryNetwork
  private let device: String
  private let state: Mutex<State>
  private let up = Pipe()
  private let down = Pipe()
  private let session: Mutex<MemorySession?>

  init(
    _ network: MemoryNetwork, _ device: String, _ seed: UInt64,
    _ open: (SessionID, @escaping @Sendable ([UInt8]) -> Void) -> MemorySession
  )
    throws
  {
    var random = SystemRandom()
    let identifier = SessionID(random.bytes(32))
    sessionID = identifier
    relayKey = network.relayKey
    self.network = network
    self.device = device
    state = Mutex(State(chance: SeededGenerator(seed: seed)))
    session = Mutex(nil)
    let session = open(identifier) { [weak self] block in self?.push(block, into: \.down) }
    self.session.withLock { $0 = session }
    try session.begin()
    let up = up
    Task { [weak self] in
      await up.deliver { session.receive($0) }
      session.close()
      self?.close()
    }
    planBreak()
  }

  private func planBreak() {
    let pause = state.withLock { state in
      network.weather.breaks.map { Duration.milliseconds(Int.random(in: $0, using: &state.chance)) }
    }
    guard let pause else { return }
    Task { [weak self] in
      try? await Task.sleep(for: pause)
      self?.close()
    }
  }

  private func push(_ block: [UInt8], into pipe: KeyPath<MemoryLink, Pipe>) {
    if pipe == \.down, network.isUnanswered(device) { return }
    let weather = network.weather
    let (delay, breaks) = state.withLock { state -> (Duration?, Bool) in
      guard state.isOpen, !state.isLost else { return (nil, false) }
      if weather.lossPercent > 0, Double.random(in: 0..<100, using: &state.chance) < weather.lossPercent {
        state.isLost = true
        return (nil, true)
      }
      return (.milliseconds(Int.random(in: weather.delay, using: &state.chance)), false)
    }
    if let delay { self[keyPath: pipe].push(block, delay: delay) }
    guard breaks else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(50))
      self?.close()
    }
  }

  func send(_ blocks: [[UInt8]]) async throws(SMPClientError) {
    for block in blocks { push(block, into: \.up) }
  }

  func receive(_ body: ([UInt8]) async -> Bool) async throws(SMPClientError) { await down.deliver(body) }

  /// Breaks. What is on its way still arrives at the relay; the client hears nothing more than what is on its way.
  func close() {
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    guard wasOpen else { return }
    up.finish()
    down.finish()
    network.closed(self)
  }

  /// Breaks because the relay is gone: nothing that is on its way arrives.
  func drop() {
    session.withLock { $0 }?.close()
    close()
  }
}
