import Dispatch
import Synchronization

/// Runs what reads and writes files for long on threads of its own, so that it blocks neither the agent nor Swift's
/// pool.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "SimplexAgent.files", attributes: .concurrent)

  /// Runs `body`, which is told to stop when the task is cancelled.
  static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (StopFlag) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let flag = StopFlag()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
        queue.async {
          do throws(Failure) {
            continuation.resume(returning: .success(try body(flag)))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
    } onCancel: {
      flag.set()
    }
    return try result.get()
  }
}

/// Tells work to stop.
final class StopFlag: Sendable {
  private let value = Mutex(false)

  /// Whether the work is to stop.
  var isSet: Bool { value.withLock { $0 } }

  fileprivate func set() { value.withLock { $0 = true } }

  /// Runs a short step unless the work is to stop; false if it is. Whoever cancels the task waits for no more than this
  /// step, and knows afterwards that it will not be done any more.
  func unlessSet<Failure: Error>(_ step: () throws(Failure) -> Void) throws(Failure) -> Bool {
    try value.withLock { (isSet) throws(Failure) in
      if !isSet { try step() }
      return !isSet
    }
  }
}
