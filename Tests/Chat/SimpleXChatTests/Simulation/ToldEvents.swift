import SimplexJSON

/// Events that a program told before a power failure. What was lost is told again; a person knows it, and each event is
/// skipped once. So is a new event that differs from one of them in nothing but its times; rows, not events, show what
/// happened twice. What tells of the network, or of time, is always new, since nothing of it is stored.
struct ToldEvents {
  private static let ofNetwork: Set = ["hostConnected", "hostDisconnected", "subscriptionStatus", "timedAction"]

  private var counts: [String: Int] = [:]

  mutating func add(_ event: JSONValue) {
    guard let type = event["type"]?.stringValue, !Self.ofNetwork.contains(type) else { return }
    counts[Self.timeless(event), default: 0] += 1
  }

  /// Removes an event that is told again; false if it is new.
  mutating func remove(_ event: JSONValue) -> Bool {
    let key = Self.timeless(event)
    guard let count = counts[key], count > 0 else { return false }
    counts[key] = count - 1
    return true
  }

  private static func timeless(_ event: JSONValue) -> String {
    event.jsonText().replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "")
  }
}
