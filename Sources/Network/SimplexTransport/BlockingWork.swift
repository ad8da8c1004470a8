import NIOPosix
import Synchronization

/// Threads for blocking work: reading and writing files, and digests of them. Swift's pool has as many threads as
/// processors, so a slow disk would stop all tasks of the process.
///
/// File relays and clients share it.
package final class BlockingWork: Sendable {
  /// For steps of a transfer: a part of a file is read, or hashed and written.
  package static let parts = BlockingWork(threads: 16)
  /// For flushes of what was written. Separate threads, so that slow ones do not stop those who read.
  package static let flushes = BlockingWork(threads: 16)
  /// For whole files, such as encryption. Separate threads, because it takes long.
  package static let files = BlockingWork(threads: 8)

  private let pool: NIOThreadPool

  /// Threads that run until the process ends.
  private init(threads: Int) {
    pool = NIOThreadPool(numberOfThreads: threads)
    pool.start()
  }

  /// Runs `body` when a thread is free.
  package func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
      // The pool is never shut down, so no work is cancelled.
      pool.submit { _ in
        do throws(Failure) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Runs `body` with a flag that is set when the task is cancelled.
  package func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (StopFlag) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let flag = StopFlag()
    let result = await withTaskCancellationHandler {
      await run { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try body(flag)) } catch { return .failure(error) }
      }
    } onCancel: {
      flag.set()
    }
    return try result.get()
  }
}

/// A flag that asks blocking work to stop.
package final class StopFlag: Sendable {
  private let value = Mutex(false)

  /// Whether the work is to stop.
  package var isSet: Bool { value.withLock { $0 } }

  fileprivate func set() { value.withLock { $0 = true } }

  /// Runs a short step unless the work is to stop; false if it is. Cancelling the task waits for this step at most, and
  /// no step begins afterwards.
  package func unlessSet<Failure: Error>(_ step: () throws(Failure) -> Void) throws(Failure) -> Bool {
    try value.withLock { (isSet) throws(Failure) in
      if !isSet { try step() }
      return !isSet
    }
  }
}
