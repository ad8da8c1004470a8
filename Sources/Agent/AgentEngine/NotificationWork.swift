import AgentCore
import AgentStore
import SMPProtocol
import SimplexCrypto

/// The keys of a notifier that is being created. They are stored with the relay's answer; if that is lost, the next
/// attempt creates another notifier in its place.
struct NotifierMaterial {
  let key: Ed25519.PrivateKey
  let dhKey: X25519.PrivateKey

  init(random: EngineRandom) {
    var random = random
    key = Ed25519.PrivateKey(using: &random)
    dhKey = X25519.PrivateKey(using: &random)
  }

  /// What the relay gets.
  var keys: NotifierKeys { NotifierKeys(notifierKey: .ed25519(key.publicKey), recipientDHKey: dhKey.publicKey) }

  /// The notifier that the relay made.
  func credentials(_ ids: NotifierIDs) throws -> NotifierCredentials {
    NotifierCredentials(
      notifierID: ids.notifierID, key: key, boxKey: try dhKey.boxKey(with: ids.serverDHKey))
  }
}

/// The state of the work on pushes that is not stored: what is in flight, and what waits.
struct NotificationWork {
  /// A command to a notification server that is in flight.
  enum Flight {
    /// The step of the token with this number.
    case token(Int64, TokenAction)
    /// TCHK for a call, of the token with this number.
    case check(Int64, CallID)
    case deletion(TokenDeletion)
    /// The step of a queue; with the notifier and the token of a subscription.
    case queue(Int64, QueueNotificationStep, notifier: EntityID?, token: EntityID?)
  }

  /// A place that cannot be used for now: a relay by its number, or 0 for the notification server.
  struct Pause {
    var until: Int64
    var attempts: Int64
  }

  var flights: [RequestID: Flight] = [:]
  /// The places of the queues whose step is in flight, by the number of the queue.
  var queues: [Int64: Int64] = [:]
  var isTokenInFlight = false
  var deletions: Set<Int64> = []
  var pauses: [Int64: Pause] = [:]
  /// The calls that wait for the step of the token.
  var calls: [CallID] = []
  /// Whether something may be due.
  var isDue = false
  /// When the next step is due, in milliseconds.
  var wakeAt = Int64.max

  var isIdle: Bool { flights.isEmpty && queues.isEmpty }

  /// How many steps of queues are in flight at a place.
  func count(at place: Int64) -> Int { queues.values.reduce(0) { $0 + ($1 == place ? 1 : 0) } }

  /// Until when a place waits; nil where it does not.
  func pause(of place: Int64, now: Int64) -> Int64? {
    guard let pause = pauses[place], pause.until > now else { return nil }
    return pause.until
  }

  /// The calls that wait for TCHK.
  var checks: [CallID] {
    flights.values.compactMap { if case .check(_, let call) = $0 { call } else { nil } }
  }

  /// Discards what is in flight; it is done again later.
  mutating func leaveNetwork() {
    (flights, queues, isTokenInFlight, deletions) = ([:], [:], false, [])
    (pauses, isDue, wakeAt) = ([:], true, .max)
  }
}
