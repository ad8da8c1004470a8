import Foundation
import SQLiteKit
import SimplexTesting
import Synchronization

/// The databases on the disk of one device. It counts synchronizations, and its power may fail: each file then loses
/// any part of what was written to it since its last synchronization.
///
/// SQLite uses it through ``VolatileFileSystem`` for all files whose paths begin with a prefix.
final class VolatileDisk: Sendable {
  /// One write that was not synchronized yet, with what it replaced.
  private struct Write {
    var offset: Int
    /// What was written; nil if the file was truncated at the offset.
    var bytes: [UInt8]?
    var replaced: [UInt8]
    var sizeBefore: Int
    /// Whether a synchronization failed: the system has dropped it, and says nothing of it the next time.
    var isDropped = false

    func apply(to content: inout [UInt8]) {
      guard let bytes else { return content.removeLast(max(0, content.count - offset)) }
      let end = offset + bytes.count
      if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
    }

    /// Whether other writes together overwrite every byte of this one.
    func isCovered(by others: [Write]) -> Bool {
      guard let bytes else { return false }
      var end = offset
      for other in others.sorted(by: { $0.offset < $1.offset }) where other.offset <= end {
        end = max(end, other.offset + (other.bytes?.count ?? 0))
      }
      return end >= offset + bytes.count
    }

    func undo(in content: inout [UInt8]) {
      content.removeLast(max(0, content.count - sizeBefore))
      if content.count < sizeBefore { content += [UInt8](repeating: 0, count: sizeBefore - content.count) }
      content.replaceSubrange(offset..<offset + replaced.count, with: replaced)
    }
  }

  private struct File {
    var writes: [Write] = []
    var synchronizations = 0
    var openCount = 0
    /// The number of the file (its inode) that the writes went to.
    var identity: UInt64?
  }

  private struct State {
    var isOn = true
    var failure: CrashPoint?
    var hasPower: Bool { isOn && failure?.isReached != true }
    var failsToSynchronize = false
    var files: [String: File] = [:]
  }

  /// Whether disks report synchronizations and lose what was synchronized nevertheless. Tests with power failures have
  /// to fail then, which shows that they can.
  private static let isLying = ProcessInfo.processInfo.environment["SIMPLEX_LYING_DISK"] != nil

  private let prefix: String
  private let state = Mutex(State())

  /// The disks that are in use, by their prefixes.
  private static let disks = Mutex<[String: VolatileDisk]>([:])

  /// A disk for files whose paths begin with this, until ``remove()``.
  init(prefix: String) {
    let url = URL(filePath: prefix)
    self.prefix =
      url.deletingLastPathComponent().resolvingSymlinksInPath().appending(path: url.lastPathComponent).path
    VolatileFileSystem.register()
    Self.disks.withLock { $0[self.prefix] = self }
  }

  /// Stops simulating: files that are opened later are ordinary ones.
  func remove() { Self.disks.withLock { $0[prefix] = nil } }

  /// The disk that a file is on.
  static func of(_ path: String) -> VolatileDisk? {
    disks.withLock { disks in disks.first { path.hasPrefix($0.key + "_") }?.value }
  }

  // MARK: Tests

  /// The number of synchronizations of the files of a database.
  func synchronizations(of database: CrashPoint.Database) -> Int {
    state.withLock { state in
      state.files.filter { $0.key.hasPrefix("\(prefix)_\(database).db") }.values.map(\.synchronizations).reduce(0, +)
    }
  }

  /// The power fails: nothing is written any more, and nothing is synchronized.
  func losePower() { state.withLock { $0.isOn = false } }

  /// The power will fail right after a commit.
  func losePower(after commit: CrashPoint) { state.withLock { $0.failure = commit } }

  /// The next synchronization fails, and what it was for stays unwritten whatever later ones say.
  func failToSynchronize() { state.withLock { $0.failsToSynchronize = true } }

  /// Waits until all files are closed, and removes from each a random part of what was not synchronized.
  /// - Returns: the number of lost writes.
  func restorePower(using chance: inout SeededGenerator) async throws -> Int {
    let end = ContinuousClock.now + .seconds(10)
    while state.withLock({ $0.files.values.contains { $0.openCount > 0 } }) {
      guard .now < end else { throw Unexpected(description: "databases are not closed") }
      try await Task.sleep(for: .milliseconds(1))
    }
    var lost = 0
    for (path, file) in state.withLock({ $0.files }).sorted(by: { $0.key < $1.key })
    where !file.writes.isEmpty && file.identity == Self.identity(path) {
      lost += try Self.setBack(path, file.writes, &chance)
    }
    state.withLock { state in
      for path in state.files.keys { state.files[path]?.writes = [] }
      (state.isOn, state.failure) = (true, nil)
    }
    return lost
  }

  private static func setBack(_ path: String, _ writes: [Write], _ chance: inout SeededGenerator) throws -> Int {
    let url = URL(filePath: path)
    var content = [UInt8](try Data(contentsOf: url))
    for write in writes.reversed() { write.undo(in: &content) }
    let kept: [Write]
    switch Int.random(in: 0..<4, using: &chance) {
    case 0: kept = []
    case 1: kept = writes.filter { _ in Bool.random(using: &chance) }
    default: kept = Array(writes.prefix(Int.random(in: 0...writes.count, using: &chance)))
    }
    for write in kept { write.apply(to: &content) }
    try Data(content).write(to: url)
    return writes.count - kept.count
  }

  // MARK: SQLite

  /// Counts a file as open; false without power.
  func opened(_ path: String) -> Bool {
    state.withLock { state in
      guard state.hasPower else { return false }
      var file = state.files[path, default: File()]
      // SQLite knows nothing of files that are removed or replaced as a whole.
      if file.identity != Self.identity(path) { file.writes = [] }
      file.openCount += 1
      state.files[path] = file
      return true
    }
  }

  /// The number of the file at a path, which another file there does not have; nil if there is none.
  private static func identity(_ path: String) -> UInt64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
  }

  func closed(_ path: String) { state.withLock { $0.files[path]?.openCount -= 1 } }

  /// Deletes a file with `body`; this is durable at once. Nil without power.
  func delete(_ path: String, _ body: () -> Int32) -> Int32? {
    state.withLock { state in
      guard state.hasPower else { return nil }
      state.files[path]?.writes = []
      return body()
    }
  }

  /// Writes with `body`, or truncates if `bytes` is nil; nil without power.
  func write(
    _ path: String, at offset: Int, _ bytes: [UInt8]?, replacing replaced: [UInt8], size: Int, _ body: () -> Int32
  ) -> Int32? {
    state.withLock { state in
      guard state.hasPower else { return nil }
      var file = state.files[path, default: File()]
      state.files[path] = nil
      if file.writes.isEmpty { file.identity = Self.identity(path) }
      file.writes.append(Write(offset: offset, bytes: bytes, replaced: replaced, sizeBefore: size))
      state.files[path] = file
      return body()
    }
  }

  /// Makes everything that was written to a file durable, but for what was dropped; false without power, and where it
  /// is to fail.
  func synchronized(_ path: String) -> Bool {
    state.withLock { state in
      guard state.hasPower else { return false }
      var file = state.files[path, default: File()]
      defer { state.files[path] = file }
      file.synchronizations += 1
      if Self.isLying { return true }
      if state.failsToSynchronize {
        state.failsToSynchronize = false
        for index in file.writes.indices { file.writes[index].isDropped = true }
        return false
      }
      // What is cut off need not have been written.
      let end = file.writes.filter { $0.bytes == nil && !$0.isDropped }.map(\.offset).min() ?? .max
      // Nor what was dropped, if all of it was written again.
      let written = file.writes
      file.writes = written.indices.filter { index in
        written[index].isDropped && written[index].offset < end
          && !written[index].isCovered(by: written[(index + 1)...].filter { !$0.isDropped })
      }.map { written[$0] }
      return true
    }
  }
}
