import QueueStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Makes a relay's database from what the reference server keeps. The database appears when all is in it and on the
/// disk, or not at all.
public struct ImportedDatabase {
  /// The database to make.
  public let path: String

  /// The database at `path`, which must not exist yet, or have no queues.
  public init(path: String) { self.path = path }

  private var temporary: String { path + ".import" }

  /// Reads the log of queues, and the file of messages if there is one. Where lines cannot be taken over, and that is
  /// not accepted, nothing is made; the report says which.
  public func make(
    queues: String, messages: String, acceptsProblems: Bool
  ) async throws -> (report: StoreImport.Report, isMade: Bool) {
    try await refuseToReplaceQueues()
    try remove(temporary)
    // It is synced as a whole.
    let store = try SQLiteQueueStore(path: temporary, synchronous: .off)
    let report: StoreImport.Report
    do {
      report = try await StoreImport(into: store, today: currentDay()).run(queues: queues, messages: messages)
    } catch {
      await store.close()
      try? remove(temporary)
      throw error
    }
    await store.close()
    guard report.problems == 0 || acceptsProblems else {
      try remove(temporary)
      return (report, false)
    }
    try sync(temporary)
    try remove(path)
    guard rename(temporary, path) == 0 else { throw failure(path) }
    try remove(temporary)
    try sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    return (report, true)
  }

  private func refuseToReplaceQueues() async throws {
    guard access(path, F_OK) == 0 else { return }
    let store = try SQLiteQueueStore(path: path)
    let count = Result { try store.counts().queues }
    await store.close()
    guard try count.get() == 0 else { throw SMPServerError.configuration("\(path) has queues already") }
  }

  /// Removes a database with the files beside it.
  private func remove(_ path: String) throws {
    for file in ["", "-wal", "-shm", "-messages"].map({ path + $0 }) where unlink(file) != 0 && errno != ENOENT {
      throw failure(file)
    }
  }

  private func sync(_ path: String) throws {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure(path) }
  }

  private func failure(_ path: String) -> SMPServerError { .file("\(path): \(String(cString: strerror(errno)))") }
}
