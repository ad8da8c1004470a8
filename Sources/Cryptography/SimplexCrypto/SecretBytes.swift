import CSodium

/// A secret of fixed size: keys, shared secrets, derived key material.
///
/// The bytes are in one allocation of their own that is never moved or copied implicitly, and are overwritten with
/// zeros when the last reference is released. Copies of the value share the allocation. The description never shows the
/// bytes, and `==` takes the same time wherever the values differ.
public struct SecretBytes: Sendable {
  let storage: SecretStorage

  init(storage: SecretStorage) {
    self.storage = storage
  }

  /// Allocates `count` bytes and lets `initialize` fill them. They are zero before it runs, and wiped if it throws.
  public init<E: Error>(
    count: Int, initializingWith initialize: (inout MutableRawSpan) throws(E) -> Void
  ) throws(E) {
    let storage = SecretStorage(count: count)
    var span = MutableRawSpan(_unsafeBytes: storage.memory)
    try initialize(&span)
    self.init(storage: storage)
  }

  /// A copy of `bytes`. The caller remains responsible for the original.
  public init(copying bytes: RawSpan) {
    storage = SecretStorage(count: bytes.byteCount)
    bytes.withUnsafeBytes { storage.memory.copyMemory(from: $0) }
  }

  /// A copy of `bytes`, typically for tests and literals.
  public init(_ bytes: [UInt8]) {
    self.init(copying: bytes.span.bytes)
  }

  /// A copy for a secret that lives as long as the process, such as the key of a database: in pages of its own between
  /// pages that cannot be accessed, which are not swapped out where the system's limit allows it (RLIMIT_MEMLOCK), and
  /// are left out of dumps (guarded memory of libsodium). It takes four pages of address space, and several system
  /// calls, so it is not for secrets of single messages. Where there is no such memory, it is an ordinary copy.
  public var guarded: SecretBytes {
    guard count > 0, let storage = GuardedStorage(copying: bytes) else { return SecretBytes(copying: bytes) }
    return SecretBytes(storage: storage)
  }

  /// The number of bytes.
  public var count: Int { storage.memory.count }

  /// The secret, for the duration of one access.
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    get { _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(storage.memory)), borrowing: self) }
  }

  /// A secret that is a copy of a part of this one. The range must lie inside.
  func slice(_ range: Range<Int>) -> SecretBytes { SecretBytes(copying: bytes.extracting(range)) }

  /// Calls `body` with the memory of the secret, for C functions. The pointer must not escape.
  public func withUnsafeBytes<Result: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> Result
  ) throws(E) -> Result {
    defer { extendLifetime(storage) }
    return try body(UnsafeRawBufferPointer(storage.memory))
  }
}

extension SecretBytes: Equatable {
  /// Compares in constant time (the length is not secret).
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    constantTimeEqual(left.bytes, right.bytes)
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Only the size.
  public var description: String { "SecretBytes(\(count) bytes)" }
  /// Only the size.
  public var debugDescription: String { description }
  /// No children: `dump` shows no memory address either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The allocation behind a secret. Immutable once shared, which makes it safe to send.
class SecretStorage: @unchecked Sendable {
  let memory: UnsafeMutableRawBufferPointer

  init(count: Int) {
    memory = .allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  init(owning memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  deinit {
    wipe(memory)
    release()
  }

  /// Releases the (already wiped) memory. Tests override it to inspect the memory that is released.
  func release() {
    memory.deallocate()
  }
}

/// An allocation in guarded memory.
private final class GuardedStorage: SecretStorage, @unchecked Sendable {
  init?(copying bytes: RawSpan) {
    prepareSodium()
    guard let start = sodium_malloc(bytes.byteCount) else { return nil }
    let memory = UnsafeMutableRawBufferPointer(start: start, count: bytes.byteCount)
    bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
    super.init(owning: memory)
  }

  override func release() { sodium_free(memory.baseAddress) }
}

/// Overwrites memory with zeros in a way the optimiser may not remove.
package func wipe(_ memory: UnsafeMutableRawBufferPointer) {
  if let base = memory.baseAddress { sodium_memzero(base, memory.count) }
}

/// Whether two byte sequences are equal, in time that depends on their lengths only.
public func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
  guard left.byteCount == right.byteCount else { return false }
  if left.isEmpty { return true }
  return left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in sodium_memcmp(left.baseAddress, right.baseAddress, left.count) == 0 }
  }
}
