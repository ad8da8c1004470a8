import Dispatch

/// Runs an actor on a thread outside of Swift's pool, because a database blocks the thread that uses it.
final class SerialQueue: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs `body` there, after what was enqueued before.
  func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
