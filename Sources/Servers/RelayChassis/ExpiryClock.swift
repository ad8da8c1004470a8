import CivilTime
import Synchronization

/// The wall clock as far as it may decide that content is old enough to be deleted, which cannot be undone.
///
/// One reading of the wall clock is one unverified input: after a start with a clock that is weeks ahead everything
/// undelivered would be deleted at once. So a reading is compared with the last one that was trusted, which the store
/// keeps over restarts (``noteInterval``), and the time that has passed since then, as far as this process knows it. A
/// reading more than ``largestGap`` beyond is doubted: nothing expires until it has been doubted for ``doubtTime`` of
/// running, until the clock is set back, or until the operator trusts it. Nothing else depends on it: the service goes
/// on. The chat core has `ClockTrust` for it.
public final class ExpiryClock: Sendable {
  /// The seconds that a relay may have been stopped, or a clock be set forward, without doubt.
  public static let largestGap: Int64 = 86_400
  /// The seconds of running after which a doubted reading is trusted that was not corrected.
  public static let doubtTime: Int64 = 3_600
  /// The seconds between notes of the time in the store.
  public static let noteInterval: Int64 = 3_600

  fileprivate struct State {
    /// The last trusted reading, and when it was made; nil before ``begin(lastAlive:)``.
    var trusted: (wall: Int64, running: Int64)?
    /// The running time since which readings are doubted; nil while they are trusted.
    var doubtedSince: Int64?
  }

  private let state = Mutex(State())
  private let wall: @Sendable () -> Int64
  private let running: @Sendable () -> Int64
  private let report: @Sendable (String) -> Void

  /// A clock that is not trusted before ``begin(lastAlive:)``.
  /// - Parameter report: called with a sentence for the operator when doubt begins and ends.
  public convenience init(report: @escaping @Sendable (String) -> Void) {
    self.init(wall: currentSeconds, running: steadySeconds, report: report)
  }

  /// A clock of tests.
  package init(
    wall: @escaping @Sendable () -> Int64, running: @escaping @Sendable () -> Int64,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.wall = wall
    self.running = running
    self.report = report
  }

  /// Begins with the last time that the store has noted, in seconds since 1970; nil where it holds nothing that the
  /// clock could delete.
  public func begin(lastAlive: Int64?) {
    state.withLock { $0.trusted = (lastAlive ?? wall(), running()) }
    _ = now
  }

  /// The time in seconds since 1970, by which content may be deleted; nil while it is doubted.
  public var now: Int64? {
    let (wall, running) = (self.wall(), self.running())
    let (isTrusted, text) = state.withLock { $0.read(wall, running) }
    if let text { report(text) }
    return isTrusted ? wall : nil
  }

  /// Trusts the present time. Returns whether it was doubted.
  @discardableResult
  public func trust() -> Bool {
    let (wall, running) = (self.wall(), self.running())
    let wasDoubted = state.withLock { state in
      defer { state = State(trusted: (wall, running)) }
      return state.doubtedSince != nil
    }
    if wasDoubted { report("The operator trusts the clock: what is too old is deleted from now on") }
    return wasDoubted
  }
}

extension ExpiryClock.State {
  /// Decides about a reading; the text is for the operator.
  fileprivate mutating func read(_ wall: Int64, _ running: Int64) -> (isTrusted: Bool, text: String?) {
    guard let trusted else { return (false, nil) }
    let expected = trusted.wall.addingReportingOverflow(max(0, running - trusted.running))
    let (gap, isFar) = wall.subtractingReportingOverflow(expected.partialValue)
    let wasDoubted = doubtedSince != nil
    if !expected.overflow, !isFar, gap <= ExpiryClock.largestGap {
      self = ExpiryClock.State(trusted: (wall, running))
      return (true, wasDoubted ? "The clock was corrected: what is too old is deleted again" : nil)
    }
    let since = doubtedSince ?? running
    if running - since >= ExpiryClock.doubtTime {
      self = ExpiryClock.State(trusted: (wall, running))
      return (true, "The clock was not corrected for an hour: what is too old by it is deleted from now on")
    }
    doubtedSince = since
    if wasDoubted { return (false, nil) }
    return (
      false,
      "Warning: the clock is \(max(1, gap / 86_400)) days ahead of the last time at which the server ran, so nothing is"
        + " deleted for its age until it has run for an hour; if the clock is right, trust-clock on the control port or"
        + " start --trust-clock ends that"
    )
  }
}
