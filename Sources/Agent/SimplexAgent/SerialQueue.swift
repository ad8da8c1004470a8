import Dispatch

/// Runs an actor on a thread outside of Swift's pool, because a database blocks the thread that uses it.
final class SerialQueue: SerialExecutor {
  private let queue: DispatchQueue
  /// Runs tasks on the same thread: what passes between them and the actor does not wake another one.
  let tasks: any TaskExecutor

  init(label: String) {
    queue = DispatchQueue(label: label)
    tasks = QueuedTasks(queue)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs `body` there, after what was enqueued before.
  func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

private final class QueuedTasks: TaskExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
