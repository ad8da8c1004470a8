import SimplexTesting
import Synchronization

/// A disk in memory that can lose its power and refuse what it is asked. Used by one thread at a time.
///
/// Governs: what is durable, and which calls fail. Names of files are durable at once; SQLite and the store flush them
/// before they rely on them.
final class SimulatedDisk {
  /// Why a call fails.
  enum Fault: CaseIterable {
    /// `ENOSPC`: nothing is written.
    case noSpace
    /// `ENOSPC` after a part was written.
    case shortWrite
    /// `EIO`: anything may have been written.
    case inputOutput
  }

  /// Something a program asks of a disk.
  enum Call { case open, read, write, resize, flush, remove }

  /// The calls that fail: `count` calls from the one with number `first` on.
  struct FaultPlan {
    var first: Int
    var count: Int
    var fault: Fault
  }

  /// The folder of its files.
  let folder: String
  private(set) var files: [String: SimulatedFile] = [:]
  /// The memory that connections share, by the name of the database; gone with the power.
  private var sharedMemory: [String: [UnsafeMutableRawPointer]] = [:]

  /// The number of calls so far.
  private(set) var callCount = 0
  /// The calls that fail.
  var plan: FaultPlan?
  /// Whether a call failed since this was set to false.
  var hasFailed = false
  /// Called after every write, flush and change of a size.
  var afterChange: (() -> Void)?
  /// Whether nothing reaches the disk any more.
  private var isOff = false
  /// Whether flushes are answered without being done: to see that tests notice it.
  var ignoresFlushes = false

  private static let numbers = Atomic<Int>(0)
  /// The disks in use by their folders: SQLite knows names only.
  private static let disks = Mutex<[String: Reference]>([:])

  /// Safe to send: the registry only finds it; it is used by the thread that made it.
  private struct Reference: @unchecked Sendable {
    unowned let disk: SimulatedDisk
  }

  init() {
    folder = "/\(Self.numbers.add(1, ordering: .relaxed).newValue)/"
    let reference = Reference(disk: self)
    Self.disks.withLock { [folder] in $0[folder] = reference }
  }

  /// A disk with these files, all durable.
  convenience init(files: [String: [UInt8]]) {
    self.init()
    self.files = files.mapValues { SimulatedFile(content: $0) }
  }

  /// The disk of a program that is killed: the next one finds what it had written, flushed or not.
  func killed() -> SimulatedDisk {
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
  static func find(_ path: String) -> (disk: SimulatedDisk, name: String)? {
    guard let end = path.dropFirst().firstIndex(of: "/") else { return nil }
    let reference = disks.withLock { $0[String(path[...end])] }
    return reference.map { ($0.disk, String(path[path.index(after: end)...])) }
  }

  /// What a power failure now leaves of each file.
  func contentAfterPowerFailure(_ random: inout SeededGenerator) -> [String: [UInt8]] {
    let loss = SimulatedFile.Loss.allCases.randomElement(using: &random) ?? .everything
    var content: [String: [UInt8]] = [:]
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      content[name] = file.contentAfterPowerFailure(loss, &random)
    }
    return content
  }

  /// The size of a file; 0 where there is none.
  func size(of name: String) -> Int { files[name]?.content.count ?? 0 }

  // MARK: Calls

  func open(_ name: String) -> Result<SimulatedFile, DiskError> {
    if let fault = next(.open) { return .failure(DiskError(fault: fault)) }
    let file = files[name] ?? SimulatedFile()
    files[name] = file
    return .success(file)
  }

  func exists(_ name: String) -> Bool { files[name].map { !$0.content.isEmpty } ?? false }

  /// Why a read fails; nil where it does not.
  func read() -> DiskError? { next(.read).map { DiskError(fault: $0) } }

  func write(_ bytes: UnsafeRawBufferPointer, to file: SimulatedFile, at offset: Int) -> DiskError? {
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

  func resize(_ file: SimulatedFile, to size: Int) -> DiskError? {
    let fault = next(.resize)
    if fault == nil { file.resize(to: size) }
    afterChange?()
    return fault.map { DiskError(fault: $0) }
  }

  func flush(_ file: SimulatedFile) -> DiskError? {
    let fault = next(.flush)
    if isOff { return fault.map { DiskError(fault: $0) } }
    if fault != nil { file.failToFlush() } else if !ignoresFlushes { file.flush() }
    afterChange?()
    return fault.map { DiskError(fault: $0) }
  }

  func remove(_ name: String) -> DiskError? {
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

  func sharedMemory(of name: String, region: Int, size: Int, extends: Bool) -> UnsafeMutableRawPointer? {
    while sharedMemory[name, default: []].count <= region {
      guard extends else { return nil }
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      sharedMemory[name, default: []].append(memory)
    }
    return sharedMemory[name]?[region]
  }

  func releaseSharedMemory(of name: String) {
    for region in sharedMemory.removeValue(forKey: name) ?? [] { region.deallocate() }
  }
}

/// A call that a ``SimulatedDisk`` refused.
struct DiskError: Error {
  let fault: SimulatedDisk.Fault
}
