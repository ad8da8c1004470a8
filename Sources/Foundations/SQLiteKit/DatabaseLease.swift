import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The right to use the databases of one prefix, for one holder at a time in all processes.
///
/// It is an exclusive `flock` on a file of its own. The system releases it when the process ends, however it ends. Two
/// leases on the same path exclude each other within one process too.
public final class DatabaseLease: Sendable {
  /// The path of the lock file, which stays when the lease is released.
  public let path: String

  private struct State {
    var descriptor: Int32 = -1
    var holds = 0
  }

  private let state = Mutex(State())

  /// A lease that is not held yet.
  public init(path: String) { self.path = path }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Takes the lease, or takes it once more; each hold has to be released.
  /// - Throws: ``SQLiteError/Kind/busy`` where another holder has it.
  public func take() throws(SQLiteError) {
    try state.withLock { (state) throws(SQLiteError) in
      if state.holds == 0 { state.descriptor = try lock() }
      state.holds += 1
    }
  }

  /// Takes the lease as ``take()`` does, and tries for a second: a program that is exiting, or a child between fork and
  /// exec, may still hold it briefly.
  public func takeSoon() throws(SQLiteError) {
    for _ in 0..<100 {
      do throws(SQLiteError) { return try take() } catch { if error.kind != .busy { throw error } }
      usleep(10_000)
    }
    try take()
  }

  /// Gives one hold back.
  public func release() {
    state.withLock { state in
      guard state.holds > 0 else { return }
      state.holds -= 1
      guard state.holds == 0 else { return }
      close(state.descriptor)
      state.descriptor = -1
    }
  }

  /// Whether this lease is held.
  public var isHeld: Bool { state.withLock { $0.holds > 0 } }

  private func lock() throws(SQLiteError) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw SQLiteError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))")
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let error = errno
        close(descriptor)
        if error == EINTR { continue }
        guard error == EWOULDBLOCK else {
          throw SQLiteError(.inputOutput, "\(path): \(String(cString: strerror(error)))")
        }
        throw SQLiteError(.busy, "the database is open in another process or controller")
      }
      // The file may have been removed after it was opened; a lock on a removed file excludes no other process.
      var locked = stat()
      var named = stat()
      if fstat(descriptor, &locked) == 0, stat(path, &named) == 0, locked.st_ino == named.st_ino,
        locked.st_dev == named.st_dev
      {
        fchmod(descriptor, 0o600)
        return descriptor
      }
      close(descriptor)
    }
  }
}
