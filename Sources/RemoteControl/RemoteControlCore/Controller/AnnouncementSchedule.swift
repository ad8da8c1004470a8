/// The times at which a controller announces itself: bursts of 60 announcements, one each second. A session that the
/// user started has one burst; while a lost host is looked for, pauses between bursts grow from 10 seconds to 10
/// minutes. Times are in milliseconds.
struct AnnouncementSchedule: Hashable, Sendable {
  /// The number of announcements of a burst.
  static let burst = 60
  /// The time from one announcement to the next.
  static let interval: Int64 = 1_000
  /// The first pause after a burst.
  static let firstPause: Int64 = 10_000
  /// The longest pause.
  static let pauseLimit: Int64 = 600_000

  /// What is due.
  enum Step: Hashable, Sendable {
    /// One announcement.
    case announce
    /// The first announcement of another burst, with an invitation of its own.
    case announceAnew
  }

  private let repeats: Bool
  private var remaining = burst
  private var pause = firstPause
  /// Whether the next announcement begins another burst.
  private(set) var isNewBurst = false
  /// The time of the next announcement; nil if there is none.
  private(set) var next: Int64?

  /// Begins a burst now; `repeats` is whether others follow.
  init(at now: Int64, repeats: Bool) {
    self.repeats = repeats
    next = now
  }

  /// Takes what is due at a time; nil if nothing is.
  mutating func step(at now: Int64) -> Step? {
    guard let due = next, due <= now else { return nil }
    let step = isNewBurst ? Step.announceAnew : .announce
    isNewBurst = false
    remaining -= 1
    if remaining > 0 {
      next = now + Self.interval
    } else if repeats {
      beginPause(at: now)
    } else {
      next = nil
    }
    return step
  }

  /// Ends the burst early, because nothing can be announced.
  mutating func beginPause(at now: Int64) {
    next = now + Self.interval + pause
    pause = min(2 * pause, Self.pauseLimit)
    remaining = Self.burst
    isNewBurst = true
  }
}
