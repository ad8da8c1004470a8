import Dispatch
import Synchronization

/// Runs what reads and writes files for long on threads of its own, so that it blocks neither the agent nor Swift's
/// pool.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "SimplexAgent.files", attributes: .concurrent)

  /// Runs `body`, which is told to stop when the task is cancelled.
  static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (_ isStopped: @escaping @Sendable () -> Bool) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let flag = StopFlag()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
        queue.async {
          do throws(Failure) {
            continuation.resume(returning: .success(try body { flag.isSet }))
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

private final class StopFlag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
