import RemoteControlCore
import RemoteControlProtocol

/// Asks the connected host for its events, one request after the other, until the connection is closed.
struct EventPolling: Sendable {
  let number: ConnectionNumber
  let requests: ControllerRequests
  let messages: AsyncStream<RemoteController.Message>.Continuation
  let report: @Sendable (RemoteResult) async -> Void

  /// Polls until the task is cancelled or the connection closed. After a failure there is a pause; after several ones
  /// in turn the connection is closed.
  func run() async {
    var failures = 0
    while !Task.isCancelled, requests.isOpen {
      messages.yield(.input(.polled(number)))
      do throws(RemoteRequestError) {
        let response = try await requests.poll()
        failures = 0
        messages.yield(.input(.answered(number)))
        guard case .chatEvent(let event) = response else {
          // Such as the error that the host has no active user.
          await pause()
          continue
        }
        if let event, !Task.isCancelled { await report(event) }
      } catch {
        failures += 1
        if failures >= RemoteLimits.failedPolls { return requests.close() }
        await pause()
      }
    }
  }

  private func pause() async { try? await Task.sleep(for: RemoteLimits.pollPause) }
}
