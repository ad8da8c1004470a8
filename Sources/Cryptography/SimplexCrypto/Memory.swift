import CSodium

/// libsodium chooses its fastest implementations for this processor once, on first use.
private let sodiumInitialization: Int32 = sodium_init()

/// Must precede every call of a libsodium function that has more than one implementation, or that draws randomness.
@inline(__always)
func prepareSodium() {
  precondition(sodiumInitialization >= 0, "libsodium cannot initialise")
}

/// An address for empty buffers. Nothing is read or written there.
private let emptyAddress = 16

extension UnsafeRawBufferPointer {
  /// The form C functions want: never null, also for an empty buffer.
  @inline(__always)
  var octets: UnsafePointer<UInt8> {
    baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(bitPattern: emptyAddress).unsafelyUnwrapped
  }

  /// The part of the buffer in `range`, which must lie inside.
  @inline(__always)
  package func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}

extension UnsafeMutableRawBufferPointer {
  /// The form C functions want: never null, also for an empty buffer.
  @inline(__always)
  var octets: UnsafeMutablePointer<UInt8> {
    baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafeMutablePointer(bitPattern: emptyAddress).unsafelyUnwrapped
  }

  /// The part of the buffer in `range`, which must lie inside.
  @inline(__always)
  package func slice(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[range])
  }
}

extension [UInt8] {
  /// An array of `count` bytes whose memory `body` fills completely, without writing zeros first.
  @inline(__always)
  package init<E: Error>(
    filling count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    self = try [UInt8](unsafeUninitializedCapacity: count) { (buffer, initialized) throws(E) in
      try body(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      initialized = count
    }
  }

  /// The bytes of the array for one access that writes them in place.
  package var mutableBytes: MutableRawSpan {
    @_lifetime(&self)
    mutating get {
      let memory = withUnsafeMutableBytes { $0 }
      return _overrideLifetime(MutableRawSpan(_unsafeBytes: memory), mutating: &self)
    }
  }
}

/// Runs `body` with `count` bytes of scratch memory that are wiped afterwards. Meant for a few hundred bytes.
@inline(__always)
func withWipedScratch<Result, E: Error>(
  count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Result
) throws(E) -> Result {
  try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { (scratch) throws(E) in
    defer { wipe(scratch) }
    return try body(scratch)
  }
}
