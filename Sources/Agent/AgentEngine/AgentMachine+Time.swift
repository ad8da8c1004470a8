import AgentCore
import AgentStore

// The time of an input does not jump while an agent is open. From one process to the next it may: the clock may have
// been wrong, or be wrong now. So the agent notes from time to time that it is alive, and a start compares.

extension AgentMachine {
  /// Moves the stored times where the wall clock was set back since the last note, or is further ahead of it than
  /// ``AgentConfiguration/longestAbsence``, so that the intervals that they stand for stay the same.
  func correctTimes(_ transaction: AgentTransaction) throws {
    if let last = try store.setting(Self.aliveSetting) {
      let shift = Self.shift(from: last, to: transaction.now, longestAbsence: configuration.longestAbsence)
      if shift != 0 { try store.shiftTimes(by: shift) }
    }
    try noteAlive(transaction)
  }

  /// Notes the time at which the agent was alive last.
  /// - Parameter interval: the note is left as it is where it is not older than this, in milliseconds.
  func noteAlive(_ transaction: AgentTransaction, interval: Int64 = 0) throws {
    guard transaction.now - aliveAt >= interval else { return }
    try store.setSetting(Self.aliveSetting, transaction.now)
    transaction.change { self.aliveAt = transaction.now }
  }

  /// The milliseconds to add to stored times at a start; 0 where the clock is plausible.
  static func shift(from last: Int64, to now: Int64, longestAbsence: Int64) -> Int64 {
    let (passed, overflow) = now.subtractingReportingOverflow(last)
    if overflow { return 0 }
    // The note may be a little ahead, because clocks are adjusted all the time.
    if passed < -60_000 { return passed }
    return passed > longestAbsence ? passed - longestAbsence : 0
  }

  private static let aliveSetting = "alive_at"
}
