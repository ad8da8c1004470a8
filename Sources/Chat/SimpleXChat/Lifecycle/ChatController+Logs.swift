import AgentCore
import ChatAPI
import SimplexAgent

// The write-ahead logs of both databases have copies of what was deleted until they are emptied: after a cleaning, but
// not more than once a minute, and whenever the databases are closed.

/// The schedule by which the logs of both databases are emptied.
struct LogEmptying {
  /// The time at which the logs were emptied last, by a clock that counts the sleep of the device.
  private var last: ContinuousClock.Instant?
  /// Empties the logs as soon as they may be again.
  var waiting: Task<Void, Never>?
  /// Whether the last attempt failed, which is reported once.
  var hasFailed = false

  /// The time until the logs may be emptied again; zero where they may be now.
  func pause(at now: ContinuousClock.Instant, interval: Duration) -> Duration {
    guard let last, now >= last else { return .zero }
    return max(.zero, last + interval - now)
  }

  /// Notes that the logs are being emptied.
  mutating func began(at now: ContinuousClock.Instant) { last = now }
}

extension ChatController {
  /// Empties the logs of both databases, so that what was deleted before is in no file of the profile: at once, or,
  /// where that was done less than ``ChatOptions/logInterval`` ago, when that time has passed.
  func emptyLogs() async {
    guard logs.waiting == nil else { return }
    let pause = logs.pause(at: .now, interval: .milliseconds(options.logInterval))
    guard pause > .zero else { return await emptyLogsInCleaning() }
    logs.waiting = Task { [weak self] in
      try? await Task.sleep(for: pause)
      guard !Task.isCancelled else { return }
      await self?.emptyWaitingLogs()
    }
  }

  /// Cancels an emptying that waits for its time: closing the databases empties their logs.
  func stopEmptyingLogs() {
    logs.waiting?.cancel()
    logs.waiting = nil
  }

  /// Empties the logs of both databases now, whatever was done before.
  /// - Throws: the first error; the other log is emptied nevertheless.
  package func emptyLogsNow() async throws(ChatError) {
    logs.began(at: .now)
    var failure: ChatError?
    do throws(ChatError) { try store.emptyLog() } catch { failure = error }
    do throws(AgentError) { try await agent?.emptyLog() } catch {
      failure = failure ?? .errorAgent(agentError: AgentErrorType(error), agentConnId: "")
    }
    if let failure { throw failure }
  }

  private func emptyWaitingLogs() async {
    logs.waiting = nil
    await emptyLogsInCleaning()
  }

  private func emptyLogsInCleaning() async {
    do throws(ChatError) {
      try await emptyLogsNow()
      logs.hasFailed = false
    } catch {
      // Databases that were closed meanwhile are no error: their logs are empty.
      guard isRunning, session.isActivated, store.isOpen else { return }
      if !logs.hasFailed { emit(error) }
      logs.hasFailed = true
    }
  }
}
