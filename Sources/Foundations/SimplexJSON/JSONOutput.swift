/// The buffer that a text is written into.
///
/// Bytes and words are appended without a check for room: callers call `reserve` before.
struct JSONOutput: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var count = 0

  /// The maximum number of bytes of an integer.
  static let longestInteger = 20

  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// A copy of what was written.
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

  /// A copy of what was written, as text.
  var text: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

  /// Makes room for this many more bytes.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity - count < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
  }

  // MARK: - Appending into reserved room

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    assert(count < capacity)
    (base + count).initialize(to: byte)
    count += 1
  }

  @inline(__always)
  mutating func append(_ word: StaticString) {
    assert(capacity - count >= word.utf8CodeUnitCount)
    copyShort(UnsafeRawPointer(word.utf8Start), to: UnsafeMutableRawPointer(base + count), word.utf8CodeUnitCount)
    count += word.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func appendQuoted(_ word: StaticString) {
    append(UInt8(ascii: "\""))
    append(word)
    append(UInt8(ascii: "\""))
  }

  /// Removes the last bytes as long as they are `byte`.
  mutating func removeTrailing(_ byte: UInt8) {
    while count > 0, base[count - 1] == byte { count -= 1 }
  }

  /// Appends a number of up to ``longestInteger`` bytes.
  mutating func append(decimal value: Int64) {
    assert(capacity - count >= Self.longestInteger)
    var rest = value.magnitude
    if value < 0 { append(UInt8(ascii: "-")) }
    var digits = 1
    var limit: UInt64 = 10
    // The largest magnitude has 19 digits, the largest limit 20.
    while digits < 19, rest >= limit {
      digits += 1
      limit &*= 10
    }
    var at = count + digits
    count = at
    repeat {
      at -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      (base + at).initialize(to: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
      rest = quotient
    } while rest > 0
  }

  // MARK: - Texts

  /// Appends a text as it is.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      guard let start = utf8.baseAddress else { return }
      reserve(utf8.count)
      (base + count).initialize(from: start, count: utf8.count)
      count += utf8.count
    }
  }

  /// Appends a text as a JSON string.
  mutating func appendQuoted(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      reserve(utf8.count + 2)
      append(UInt8(ascii: "\""))
      appendEscaped(utf8)
      reserve(1)
      append(UInt8(ascii: "\""))
    }
  }

  /// Appends the bytes of a text, for which there is room if nothing has to be escaped.
  @inline(__always)
  private mutating func appendEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard let start = utf8.baseAddress else { return }
    var at = 0
    while at + 8 <= utf8.count {
      let word = JSONText.word(UnsafeRawPointer(start + at))
      guard JSONText.mustEscape(word) == 0 else { return appendEscaping(utf8, from: at) }
      UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
      count += 8
      at += 8
    }
    while at < utf8.count {
      guard !JSONText.mustEscape(utf8[at]) else { return appendEscaping(utf8, from: at) }
      append(utf8[at])
      at += 1
    }
  }

  /// Appends a text that has something to escape at or after `start`.
  @inline(never)
  private mutating func appendEscaping(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) {
    var at = start
    while at < utf8.count {
      // A byte becomes at most six.
      let end = min(at + 8, utf8.count)
      reserve(utf8.count - end + 6 * (end - at))
      while at < end {
        if JSONText.mustEscape(utf8[at]) { appendEscape(utf8[at]) } else { append(utf8[at]) }
        at += 1
      }
      while at + 8 <= utf8.count {
        let word = JSONText.word(UnsafeRawPointer(utf8.baseAddress.unsafelyUnwrapped + at))
        guard JSONText.mustEscape(word) == 0 else { break }
        UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count += 8
        at += 8
      }
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0..<0x20:
      append("u00")
      append(hexDigit(byte >> 4))
      append(hexDigit(byte & 15))
    default: append(byte)
    }
  }
}

private func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// Copies a few bytes as words that may overlap, which is cheaper than a call to copy them.
@inline(__always)
private func copyShort(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ count: Int) {
  func copy<Word: BitwiseCopyable>(_: Word.Type, at offset: Int) {
    target.storeBytes(
      of: source.loadUnaligned(fromByteOffset: offset, as: Word.self), toByteOffset: offset, as: Word.self)
  }
  switch count {
  case 8...16:
    copy(UInt64.self, at: 0)
    copy(UInt64.self, at: count - 8)
  case 4..<8:
    copy(UInt32.self, at: 0)
    copy(UInt32.self, at: count - 4)
  case 1..<4:
    copy(UInt8.self, at: 0)
    copy(UInt8.self, at: count / 2)
    copy(UInt8.self, at: count - 1)
  case 0: break
  default: target.copyMemory(from: source, byteCount: count)
  }
}
