import AgentCore
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto

/// A command in flight.
struct Flight {
  enum Work {
    case task(AgentTask)
    /// The keys of a queue that is being created.
    case creation(AgentTask, QueueMaterial)
    /// The test of a relay, at a step.
    case serverTest(AgentTask, QueueMaterial, ServerTestState)
    case acknowledgement(Acknowledgement)
    /// A query of the state of a queue that was silent for long.
    case silence(Int64)
    /// NKEY for a queue, with the keys of the notifier; without them NDEL.
    case notifier(Int64, NotifierMaterial?)
    /// GET for a queue.
    case getMessage(MessageFetch)
    /// The answer is ignored.
    case nothing
  }

  var work: Work
  var session: SessionKey
  var startedAt: Int64

  /// The relay whose limit the flight counts for; nil for a command of no lane, whose number has other limits.
  fileprivate var countedRelay: SMPServerAddress? {
    switch work {
    case .task, .creation, .serverTest: session.server
    case .acknowledgement, .silence, .notifier, .getMessage, .nothing: nil
    }
  }
}

extension Lane {
  /// Whether the lane belongs to a queue, and so to one relay.
  var isOfQueue: Bool { kind == .sendQueue || kind == .receiveQueue }
}

/// The commands in flight, with the numbers of those that lanes wait for: in total and by relay.
///
/// A relay that does not answer keeps its flights until their deadline. So each relay has a limit of its own, and a few
/// flights that it may have even when the others use up the limit in total.
struct FlightTable {
  private var flights: [RequestID: Flight] = [:]
  private var counts: [SMPServerAddress: Int] = [:]
  private var total = 0

  var isEmpty: Bool { flights.isEmpty }

  /// The flight of a request.
  subscript(id: RequestID) -> Flight? {
    get { flights[id] }
    set {
      count(flights[id], by: -1)
      flights[id] = newValue
      count(newValue, by: 1)
    }
  }

  private mutating func count(_ flight: Flight?, by change: Int) {
    guard let relay = flight?.countedRelay else { return }
    total += change
    let number = counts[relay, default: 0] + change
    counts[relay] = number == 0 ? nil : number
  }

  /// Whether a task of any relay may start.
  func hasRoomForAll(_ configuration: AgentConfiguration) -> Bool {
    total < min(configuration.flightLimit, configuration.flightsPerRelay)
  }

  /// Whether a task at this relay may start.
  func hasRoom(for relay: SMPServerAddress, _ configuration: AgentConfiguration) -> Bool {
    let number = counts[relay, default: 0]
    return number < configuration.flightsPerRelay
      && (total < configuration.flightLimit || number < configuration.reservedFlights)
  }
}

/// Lanes that wait until their relay has room for one more flight, each once, in order.
struct FlightBacklog {
  private var waiting: [SMPServerAddress: [Lane]] = [:]
  private var known: Set<Lane> = []

  var isEmpty: Bool { waiting.isEmpty }
  /// The relays that lanes wait for.
  var relays: [SMPServerAddress] { Array(waiting.keys) }

  mutating func add(_ lane: Lane, for relay: SMPServerAddress) {
    if known.insert(lane).inserted { waiting[relay, default: []].append(lane) }
  }

  /// Removes the first lanes of a relay, at most `limit`.
  mutating func take(for relay: SMPServerAddress, limit: Int) -> [Lane] {
    guard let lanes = waiting[relay] else { return [] }
    let first = Array(lanes.prefix(limit))
    waiting[relay] = lanes.count > first.count ? Array(lanes.dropFirst(first.count)) : nil
    known.subtract(first)
    return first
  }
}
