import FileAccess
import QueueStore
import SMPServerCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Imports the queues, services, messages and waiting notifications of a stopped reference server from its files:
/// `smp-server-store.log`, `smp-server-messages.log`, `smp-server-ntfs.log`.
///
/// An interrupted import can be repeated (``RelayChassis/ReferenceLog``).
public struct ReferenceImport: Sendable {
  /// The result of an import.
  public struct Report: Hashable, Sendable {
    /// The totals of the database.
    public var stored = StoreCounts()
    /// The number of waiting notifications.
    public var notifications = 0
    /// Lines that were malformed or did not fit what came before.
    public var problems = ImportProblems()
  }

  private let folders: ServerFolders

  /// An import into the folder of the files.
  public init(_ folders: ServerFolders) { self.folders = folders }

  private var log: ReferenceLog {
    ReferenceLog(folders.data + "/smp-server-store.log", databaseFile: folders.databaseFile)
  }
  private var messageLog: String { folders.data + "/smp-server-messages.log" }
  private var notificationLog: String { folders.data + "/smp-server-ntfs.log" }
  private var draft: String { log.draft }

  /// Whether the folder has queues of the reference server and no database.
  public var isNeeded: Bool { log.isNeeded }

  /// Imports everything.
  public func run() async throws(SMPServerError) -> Report {
    try log.requireImportable()
    guard !exists(folders.data + "/messages") else {
      throw .file("\(folders.data)/messages: run `journal export` of the reference server first")
    }
    // The files of an interrupted import.
    for file in [draft, draft + "-messages", draft + "-wal", draft + "-shm"] { unlink(file) }
    for suffix in ["-messages", "-wal", "-shm"] { unlink(folders.databaseFile + suffix) }
    var report = Report()
    try await fill(&report)
    if exists(notificationLog) { try importNotifications(&report) }
    // The database itself last: without it the others are ignored.
    unlink(draft + "-shm")
    for suffix in ["-wal", "-messages", ""] where exists(draft + suffix) {
      try move(draft + suffix, to: folders.databaseFile + suffix)
    }
    for file in [log.path, messageLog, notificationLog] where exists(file) { try move(file, to: file + ".bak") }
    return report
  }

  private func fill(_ report: inout Report) async throws(SMPServerError) {
    let store: SQLiteQueueStore
    do { store = try SQLiteQueueStore(path: draft) } catch { throw .file("\(draft): \(error)") }
    let filling = Filling(store)
    do throws(SMPServerError) {
      let today = currentDay()
      try await eachLine(of: log.path, &report) { (line) async throws(SMPServerError) in
        guard let line = StoreLogLine(line, today: today) else { return false }
        return try await filling.add(line)
      }
      try await filling.finish()
      if exists(messageLog) {
        try await eachLine(of: messageLog, &report) { (line) async throws(SMPServerError) in
          guard let line = MessageLogLine(line) else { return false }
          return try await filling.add(line)
        }
      }
      try await filling.finish()
      for (kind, count) in filling.refused { report.problems.note("\(count) × \(kind)", count: count) }
      do {
        report.stored = try await store.counts()
        // A start whose clock is days ahead of it deletes nothing at once.
        _ = try await store.perform(.noteTime(currentSeconds()))
      } catch { throw .file("\(draft): \(error)") }
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  /// Writes the file from which the relay restores them when it starts.
  private func importNotifications(_ report: inout Report) throws(SMPServerError) {
    var text = ""
    let lines = try ReferenceLines(notificationLog)
    while let line = try lines.next() {
      if line.isEmpty { continue }
      let words = line.split(separator: " ")
      guard words.count == 6, words[0] == "v1", identifier(words[1]) != nil, identifier(words[2]) != nil,
        Int64(words[3]) != nil
      else {
        report.problems.note(lines.position)
        continue
      }
      text += "\(words[1]),\(words[2]),\(words[3])\n"
      report.notifications += 1
    }
    do { try WholeFile.replace(folders.notificationsFile, with: text.utf8) } catch { throw SMPServerError(error) }
  }

  /// Passes each line to `body`, and counts those that it could not use.
  private func eachLine(
    of path: String, _ report: inout Report, _ body: (String) async throws(SMPServerError) -> Bool
  ) async throws(SMPServerError) {
    let lines = try ReferenceLines(path)
    while let line = try lines.next() {
      if try await !body(line) { report.problems.note(lines.position) }
    }
  }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private func move(_ path: String, to other: String) throws(SMPServerError) {
    // Durably, one after the other: a database whose messages still have the draft's name would have none.
    do throws(FileError) { try WholeFile.move(path, to: other) } catch { throw SMPServerError(error) }
  }
}

/// A stream of changes into a store. Used by one task.
private final class Filling {
  /// The maximum number of changes in flight: one flush of the disk serves many of them.
  private static let window = 2_000

  private struct State {
    var failure: StoreFailure?
    var refused: [String: Int] = [:]
    /// The number of changes that are not answered, and who waits until all are.
    var inFlight = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let store: SQLiteQueueStore
  private let state = SharedState(State())
  private var submitted = 0
  /// The queue of the last message.
  private var last: (id: [UInt8], number: QueueNumber)?

  private final class SharedState: Sendable {
    let value: Mutex<State>
    init(_ value: State) { self.value = Mutex(value) }
  }

  init(_ store: SQLiteQueueStore) { self.store = store }

  /// The changes that the store refused, by kind.
  var refused: [String: Int] { state.value.withLock { $0.refused } }

  /// Adds the change of a line; false where its queue does not exist.
  func add(_ line: StoreLogLine) async throws(SMPServerError) -> Bool {
    switch line {
    case .create(let record, let link): try await submit(.createQueue(record, link))
    case .service(let service): try await submit(.registerService(service))
    case .change(let id, let operation):
      guard let number = try await number(of: id) else { return false }
      try await submit(operation(number))
    }
    return true
  }

  /// Adds a message; false where its queue does not exist.
  func add(_ line: MessageLogLine) async throws(SMPServerError) -> Bool {
    if last?.id != line.queue { last = try await number(of: line.queue).map { (line.queue, $0) } }
    guard let number = last?.number else { return false }
    // A message finds room; if there is none, the store adds the quota mark.
    try await submit(.addMessage(number, line.message, quota: line.isMark ? 0 : .max))
    return true
  }

  private func number(of id: [UInt8]) async throws(SMPServerError) -> QueueNumber? {
    if let known = try await stored(id) { return known }
    // Its queue may be in flight.
    guard submitted > 0 else { return nil }
    try await finish()
    return try await stored(id)
  }

  private func stored(_ id: [UInt8]) async throws(SMPServerError) -> QueueNumber? {
    do { return try await store.queue(.recipient(id))?.number } catch { throw .file("the store: \(error)") }
  }

  private func submit(_ operation: StoreOperation) async throws(SMPServerError) {
    if submitted >= Self.window { try await finish() }
    submitted += 1
    state.value.withLock { $0.inFlight += 1 }
    store.submit(operation) { [state] result in
      let waiting = state.value.withLock { state in
        state.inFlight -= 1
        switch result {
        case .success(.refused), .success(.duplicate): state.refused["not taken: \(operation.name)", default: 0] += 1
        case .success(.quotaExceeded) where operation.isMessage:
          state.refused["a message after a full queue", default: 0] += 1
        case .failure(let failure): state.failure = state.failure ?? failure
        default: break
        }
        return state.inFlight == 0 ? state.waiting.take() : nil
      }
      waiting?.resume()
    }
  }

  /// Waits for the changes in flight. Recorded uses would not be stored at once without a change that somebody awaits.
  func finish() async throws(SMPServerError) {
    submitted = 0
    do { _ = try await store.perform(.setStatus(QueueNumber(0), .active)) } catch { throw .file("the store: \(error)") }
    await withCheckedContinuation { continuation in
      let isDone = state.value.withLock { state in
        if state.inFlight > 0 { state.waiting = continuation }
        return state.inFlight == 0
      }
      if isDone { continuation.resume() }
    }
    if let failure = state.value.withLock({ $0.failure }) { throw .file("the store: \(failure)") }
  }
}

extension StoreOperation {
  /// Whether it adds a message other than a quota mark.
  fileprivate var isMessage: Bool {
    if case .addMessage(_, let message, _, _) = self { message.content != .quotaExceeded } else { false }
  }

  /// Its kind, without its parameters.
  fileprivate var name: Substring { "\(self)".prefix { $0 != "(" } }
}
