import AgentEngine

/// Which lanes of relays may begin steps.
///
/// Governs: how many steps run at once in a direction, and whose turn it is. Does not govern: what the steps are; a
/// lane that waits may turn out to have nothing to do.
///
/// Invariants: lanes in which nothing runs come first, in the order in which they began to wait, and then the one in
/// which the fewest steps run. A step takes from milliseconds to the time in which a connection is given up; so lanes
/// in which nothing runs begin one step each beyond the limit, up to as many again, and relays that do not answer hold
/// back their own lanes only, as long as fewer than twice the limit do not answer.
struct LaneSchedule {
  /// What lanes of one direction share.
  private struct Shared {
    /// The number of steps that run.
    var running = 0
    /// The lanes that wait.
    var waiting: Set<FileLane> = []
    /// Lanes in which nothing ran when they began to wait, from `first` on in the order of their turns. Those that do
    /// not wait any more are passed over.
    var idle: [FileLane] = []
    var first = 0
  }

  /// How many steps run at once in a direction.
  private let limit: Int
  private var counts: [FileLane: Int] = [:]
  private var shared: [FileLane.Direction: Shared] = [:]

  /// A schedule in which nothing runs.
  init(limit: Int) { self.limit = max(1, limit) }

  /// The number of steps that run in a lane.
  func count(_ lane: FileLane) -> Int { counts[lane] ?? 0 }

  /// Notes that a step began.
  mutating func began(_ lane: FileLane) {
    counts[lane, default: 0] += 1
    if let direction = lane.direction { shared[direction, default: Shared()].running += 1 }
  }

  /// Notes that a step ended.
  mutating func ended(_ lane: FileLane) {
    let left = count(lane) - 1
    counts[lane] = left > 0 ? left : nil
    guard let direction = lane.direction else { return }
    shared[direction]?.running -= 1
    if left <= 0, shared[direction]?.waiting.contains(lane) == true { shared[direction]?.idle.append(lane) }
  }

  /// Whether a step may begin in a lane in which no more than `limit` may run.
  mutating func mayBegin(_ lane: FileLane, limit: Int) -> Bool {
    let here = count(lane)
    guard here < limit else { return false }
    guard let direction = lane.direction else { return true }
    guard hasRoom(here, direction) else { return false }
    guard let next = next(direction), next != lane else { return true }
    // No lane that waits has fewer steps.
    return count(next) >= max(1, here)
  }

  private func hasRoom(_ here: Int, _ direction: FileLane.Direction) -> Bool {
    shared[direction]?.running ?? 0 < (here == 0 ? 2 * limit : limit)
  }

  // MARK: Waiting

  /// Has a lane wait for its turn. No-op for one that waits.
  mutating func wait(_ lane: FileLane) {
    guard let direction = lane.direction,
      shared[direction, default: Shared()].waiting.insert(lane).inserted, count(lane) == 0
    else { return }
    shared[direction]?.idle.append(lane)
  }

  /// Notes that a lane needs no turn: it has nothing to do, or as much as it may do.
  mutating func leave(_ lane: FileLane) {
    if let direction = lane.direction { shared[direction]?.waiting.remove(lane) }
  }

  /// Has no lane wait any more.
  mutating func clear() {
    for direction in shared.keys {
      shared[direction]?.waiting = []
      shared[direction]?.idle = []
      shared[direction]?.first = 0
    }
  }

  /// The lane whose turn it is, and which may begin a step; nil where none waits.
  mutating func next(_ direction: FileLane.Direction) -> FileLane? {
    if hasRoom(0, direction), let lane = firstIdle(direction) { return lane }
    guard hasRoom(1, direction), let waiting = shared[direction]?.waiting, !waiting.isEmpty else { return nil }
    return counts.filter { waiting.contains($0.key) }.min { $0.value < $1.value }?.key
  }

  private mutating func firstIdle(_ direction: FileLane.Direction) -> FileLane? {
    guard var lanes = shared.removeValue(forKey: direction) else { return nil }
    defer { shared[direction] = lanes }
    while lanes.idle.indices.contains(lanes.first) {
      let lane = lanes.idle[lanes.first]
      if lanes.waiting.contains(lane), count(lane) == 0 { return lane }
      lanes.first += 1
    }
    lanes.idle = []
    lanes.first = 0
    return nil
  }
}

extension FileLane {
  /// The directions in which steps of several relays share a limit.
  enum Direction: Hashable { case sending, receiving, deleting }

  /// The direction of its steps; nil where they need no relay.
  var direction: Direction? {
    switch self {
    case .sealing, .describing, .opening, .removing: nil
    case .sending: .sending
    case .receiving: .receiving
    case .deleting: .deleting
    }
  }

  /// How many steps run at once where no relay is needed: a small file does not wait until a large one is encrypted.
  var localLimit: Int {
    switch self {
    case .sealing, .opening: 2
    default: 1
    }
  }

  /// Whether its steps are needed to send files, or are short and local.
  var isOfSending: Bool {
    switch self {
    case .sealing, .sending, .describing, .removing: true
    case .opening, .receiving, .deleting: false
    }
  }
}
