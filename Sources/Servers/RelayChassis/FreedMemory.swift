import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// When a relay gives freed memory back to the system.
///
/// A handshake takes several times the memory that its connection keeps. The C library's allocator keeps what was freed
/// in between, which is about a quarter of the memory of a relay with many idle clients. It is given back when many
/// connections were opened or closed, and few of them lately, or after ten calls.
public struct FreedMemory: Sendable {
  /// The changes after which memory is given back.
  static let threshold = 256
  /// The changes between two calls up to which connections are quiet.
  static let quiet = 32
  /// The number of calls after which it is given back while they are not.
  static let patience = 10

  private var released = 0
  private var last = 0
  private var waited = 0

  public init() {}

  /// Whether memory has to be given back now. Called about once a second with the number of connections that were
  /// opened and closed since the start.
  public mutating func isDue(changes: Int) -> Bool {
    let recent = changes - last
    last = changes
    guard changes - released >= Self.threshold else { return false }
    waited += 1
    guard recent <= Self.quiet || waited >= Self.patience else { return false }
    released = changes
    waited = 0
    return true
  }

  /// Gives freed memory back. Threads that allocate meanwhile may wait for some milliseconds.
  public static func release() {
    #if canImport(Glibc)
      // Other allocators do so by themselves. The module of the C library does not have the function.
      typealias Trim = @convention(c) (Int) -> Int32
      if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    #endif
  }
}

extension UpkeepJob {
  /// Gives freed memory back when it is due. `changes` is the number of connections that were opened and closed since
  /// the start.
  public static func releasingMemory(changes: @escaping @Sendable () -> Int) -> UpkeepJob {
    let memory = Mutex(FreedMemory())
    return UpkeepJob(every: .seconds(1)) {
      if memory.withLock({ $0.isDue(changes: changes()) }) { FreedMemory.release() }
    }
  }
}
