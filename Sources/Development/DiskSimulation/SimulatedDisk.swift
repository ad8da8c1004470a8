import SimplexTesting
import Synchronization

/// A disk in memory that can lose its power and refuse what it is asked. Used by one thread at a time.
///
/// Governs: what is durable, and which calls fail. Names of files are durable at once; SQLite and the store flush them
/// before they rely on them.
package final class SimulatedDisk {
  /// Why a call fails.
  package enum Fault: CaseIterable {
    /// `ENOSPC`: nothing is written.
    case noSpace
    /// `ENOSPC` after a part was written.
    case shortWrite
    /// `EIO`: anything may have been written.
    case inputOutput
  }

  /// Something a program asks of a disk.
  package enum Call { case open, read, write, resize, flush, remove }

  /// The calls that fail: `count` calls from the one with number `first` on.
  package struct FaultPlan {
    package var first: Int
    package var count: Int
    package var fault: Fault

    package init(first: Int, count: Int, fault: Fault) {
      (self.first, self.count, self.fault) = (first, count, fault)
    }
  }

  /// The folder of its files.
  package let folder: String
  package private(set) var files: [String: SimulatedFile] = [:]
  /// The memory that connections share, by the name of the database; gone with the power.
  private var sharedMemory: [String: [UnsafeMutableRawPointer]] = [:]

  /// The number of calls so far.
  package private(set) var callCount = 0
  /// The calls that fail.
  package var plan: FaultPlan?
  /// Whether a call failed since this was set to false.
  package var hasFailed = false
  /// Called after every write, flush and change of a size.
  package var afterChange: (() -> Void)?
  /// Whether nothing reaches the disk any more.
  private var isOff = false
  /// Whether flushes are answered without being done: to see that tests notice it.
  package var ignoresFlushes = false

  private static let numbers = Atomic<Int>(0)
  /// The disks in use by their folders: SQLite knows names only.
  private static let disks = Mutex<[String: Reference]>([:])

  /// Safe to send: the registry only finds it; it is used by the thread that made it.
  private struct Reference: @unchecked Sendable {
    unowned let disk: SimulatedDisk
  }

  package init() {
    folder = "/\(Self.numbers.add(1, ordering: .relaxed).newValue)/"
    let reference = Reference(disk: self)
    Self.disks.withLock { [folder] in $0[folder] = reference }
  }

  /// A disk with these files, all durable.
  package convenience init(files: [String: [UInt8]]) {
    self.init()
    self.files = files.mapValues { SimulatedFile(content: $0) }
  }

  /// The disk of a program that is killed: the next one finds what it had written, flushed or not.
  package func killed() -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.files = files
    disk.ignoresFlushes = ignoresFlushes
    isOff = true
    return disk
  }

  deinit {
    for regions in sharedMemory.values { for region in regions { region.deallocate() } }
    Self.disks.withLock { [folder] in $0[folder] = nil }
  }

  /// The disk that has a file of this path, and the file's name on it.
  package static func find(_ path: String) -> (disk: SimulatedDisk, name: String)? {
    guard let end = path.dropFirst().firstIndex(of: "/") else { return nil }
    let reference = disks.withLock { $0[String(path[...end])] }
    return reference.map { ($0.disk, String(path[path.index(after: end)...])) }
  }

  /// The content of each file that a power failure now leaves; sectors of this size may be torn.
  package func contentAfterPowerFailure(
    _ random: inout SeededGenerator, sectorSize: Int = 512
  ) -> [String: [UInt8]] {
    let loss = SimulatedFile.Loss.allCases.randomElement(using: &random) ?? .everything
    var content: [String: [UInt8]] = [:]
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      content[name] = file.contentAfterPowerFailure(loss, &random, sectorSize: sectorSize)
    }
    return content
  }

  /// The size of a file; 0 where there is none.
  package func size(of name: String) -> Int { files[name]?.content.count ?? 0 }

  // MARK: Calls

  package func open(_ name: String) -> Result<SimulatedFile, DiskError> {
    if let fault = next(.open) { return .failure(DiskError(fault: fault)) }
    let file = files[name] ?? SimulatedFile()
    files[name] = file
    return .success(file)
  }

  package func exists(_ name: String) -> Bool { files[name].map { !$0.content.isEmpty } ?? false }

  /// Why a read fails; nil where it does not.
  package func read() -> DiskError? { next(.read).map { DiskError(fault: $0) } }

  package func write(_ bytes: UnsafeRawBufferPointer, to file: SimulatedFile, at offset: Int) -> DiskError? {
    let fault = next(.write)
    switch fault {
    case nil: file.write(bytes, at: offset)
    case .noSpace: break
    case .shortWrite, .inputOutput:
      file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count * (callCount % 4) / 4)]), at: offset)
    }
    afterChange?()
    return fault.map { DiskError(fault: $0) }
  }

  package func resize(_ file: SimulatedFile, to size: Int) -> DiskError? {
    let fault = next(.resize)
    if fault == nil { file.resize(to: size) }
    afterChange?()
    return fault.map { DiskError(fault: $0) }
  }

  package func flush(_ file: SimulatedFile) -> DiskError? {
    let fault = next(.flush)
    if isOff { return fault.map { DiskError(fault: $0) } }
    if fault != nil { file.failToFlush() } else if !ignoresFlushes { file.flush() }
    afterChange?()
    return fault.map { DiskError(fault: $0) }
  }

  package func remove(_ name: String) -> DiskError? {
    if let fault = next(.remove) { return DiskError(fault: fault) }
    files[name] = nil
    return nil
  }

  /// Counts a call; returns why it fails.
  private func next(_ call: Call) -> Fault? {
    if isOff { return .noSpace }
    callCount += 1
    guard let plan, callCount >= plan.first, callCount < plan.first + plan.count else { return nil }
    // A full disk can still be read.
    if plan.fault != .inputOutput, call == .read || call == .remove { return nil }
    hasFailed = true
    return plan.fault
  }

  // MARK: Shared memory

  package func sharedMemory(of name: String, region: Int, size: Int, extends: Bool) -> UnsafeMutableRawPointer? {
    while sharedMemory[name, default: []].count <= region {
      guard extends else { return nil }
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      sharedMemory[name, default: []].append(memory)
    }
    return sharedMemory[name]?[region]
  }

  package func releaseSharedMemory(of name: String) {
    for region in sharedMemory.removeValue(forKey: name) ?? [] { region.deallocate() }
  }
}

/// A call that a ``SimulatedDisk`` refused.
package struct DiskError: Error {
  package let fault: SimulatedDisk.Fault
}
