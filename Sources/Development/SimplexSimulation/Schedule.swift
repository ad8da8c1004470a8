/// The events of a simulation, ordered by virtual time; those of the same time in the order in which they were added.
struct Schedule<Event> {
  private struct Entry {
    var time: Int64
    var sequence: UInt64
    var event: Event

    func isBefore(_ other: Entry) -> Bool { (time, sequence) < (other.time, other.sequence) }
  }

  /// A binary heap.
  private var entries: [Entry] = []
  private var nextSequence: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// When the first event is due.
  var nextTime: Int64? { entries.first?.time }

  mutating func add(_ event: Event, at time: Int64) {
    entries.append(Entry(time: time, sequence: nextSequence, event: event))
    nextSequence += 1
    var child = entries.count - 1
    while child > 0, entries[child].isBefore(entries[(child - 1) / 2]) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func takeFirst() -> (time: Int64, event: Event)? {
    guard let last = entries.popLast() else { return nil }
    guard let first = entries.first else { return (last.time, last.event) }
    entries[0] = last
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < entries.count else { break }
      let right = left + 1
      let child = right < entries.count && entries[right].isBefore(entries[left]) ? right : left
      guard entries[child].isBefore(entries[parent]) else { break }
      entries.swapAt(parent, child)
      parent = child
    }
    return (first.time, first.event)
  }
}
