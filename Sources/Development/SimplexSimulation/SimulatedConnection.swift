import SMPClientCore
import SMPProtocol
import SMPServerCore

/// One connection between a client and a relay: ordered in both directions, like TCP. What is on its way when it
/// breaks may have arrived or not.
final class SimulatedConnection {
  private unowned let world: World
  private let relay: SimulatedRelay
  private var number: Int?
  private var isOpen = true
  private var arrivalUp: Int64 = 0
  private var arrivalDown: Int64 = 0
  /// Packets that were sent, and how many of them may still arrive once the connection is broken.
  private var sentUp = 0
  private var arrivedUp = 0
  private var limitUp = Int.max
  private var onResponse: ((CorrelationID, EntityID, BrokerMessage) -> Void)?
  private var onBreak: ((SMPClientError) -> Void)?

  init(
    _ relay: SimulatedRelay, world: World, onResponse: @escaping (CorrelationID, EntityID, BrokerMessage) -> Void,
    onBreak: @escaping (SMPClientError) -> Void
  ) {
    self.relay = relay
    self.world = world
    self.onResponse = onResponse
    self.onBreak = onBreak
  }

  /// Connects, which takes two ways there and back.
  func open(_ completion: @escaping (SMPClientError?) -> Void) {
    var isDone = false
    let finish = { (error: SMPClientError?) in
      guard !isDone else { return }
      isDone = true
      completion(error)
    }
    world.after(25_000) { finish(.timeout) }
    let way = world.latency() + world.latency()
    world.after(way) { [self] in
      relay.whenReachable { [self] in
        guard isOpen, !isDone else { return }
        number = relay.accept(self)
        let isAccepted = number != nil
        world.after(way) { [self] in
          if isDone { return close() }
          finish(isAccepted ? (isOpen ? nil : .closed) : .network(.connectError(connectError: "connection refused")))
          if isAccepted { planBreak() }
        }
      }
    }
  }

  private func planBreak() {
    guard let interval = world.weather.disconnectInterval else { return }
    world.after(world.exponential(interval)) { [self] in
      guard world.weather.disconnectInterval != nil else { return }
      breakDown(.closed)
    }
  }

  /// Sends a command.
  func sendUp(_ request: RequestPipeline.Request, correlation: CorrelationID) {
    sendUp { [relay] in relay.receive(request, correlation: correlation, from: $0) }
  }

  /// Sends a command that the relay is to pass on to another one.
  func sendUp(
    _ request: RequestPipeline.Request, through destination: SimulatedRelay,
    _ completion: @escaping (Result<BrokerMessage, SMPClientError>) -> Void
  ) {
    sendUp { [weak self, relay] number in
      relay.forward(request, to: destination, from: number) { result in self?.sendDown { completion(result) } }
    }
  }

  private func sendUp(_ arrive: @escaping (_ connection: Int) -> Void) {
    guard isOpen else { return }
    if world.random.happens(percent: world.weather.lossPercent) { planLoss() }
    sentUp += 1
    let packet = sentUp
    arrivalUp = max(arrivalUp, world.now + world.latency())
    world.at(arrivalUp) { [self] in
      relay.whenReachable { [self] in
        guard let number, packet <= limitUp, packet > arrivedUp else { return }
        arrivedUp = packet
        arrive(number)
      }
    }
  }

  /// Sends responses and events of the relay.
  func sendDown(_ response: Response, message: BrokerMessage) {
    sendDown { [self] in onResponse?(response.correlation, response.entity, message) }
  }

  private func sendDown(_ arrive: @escaping () -> Void) {
    guard isOpen else { return }
    if world.random.happens(percent: world.weather.lossPercent) { planLoss() }
    arrivalDown = max(arrivalDown, world.now + world.latency())
    world.at(arrivalDown) { [self] in
      relay.whenReachable { [self] in if onResponse != nil { arrive() } }
    }
  }

  /// A packet is lost permanently: the connection breaks soon.
  private func planLoss() {
    world.after(Int64.random(in: 0...2_000, using: &world.random)) { [self] in breakDown(.closed) }
  }

  /// Breaks: the client learns it now, the relay sooner or later. Some of what was sent may still arrive.
  func breakDown(_ error: SMPClientError) {
    guard isOpen else { return }
    let onBreak = onBreak
    close()
    onBreak?(error)
  }

  /// Closes from the client's side.
  func close() {
    guard isOpen else { return }
    isOpen = false
    onResponse = nil
    onBreak = nil
    limitUp = Int.random(in: arrivedUp...max(arrivedUp, sentUp), using: &world.random)
    let pause = Int64.random(in: 0...(world.random.happens(percent: 20) ? 30_000 : 100), using: &world.random)
    world.after(pause) { [self] in
      if let number { relay.disconnected(number) }
      number = nil
    }
  }
}
