import SimplexCrypto

/// Scratch memory for secrets: one allocation, initially zero, wiped when its only owner is destroyed.
struct WipedBuffer<Element: FixedWidthInteger>: ~Copyable {
  let elements: UnsafeMutableBufferPointer<Element>

  init(count: Int) {
    elements = .allocate(capacity: count)
    elements.initialize(repeating: 0)
  }

  deinit {
    wipe(memory)
    elements.deallocate()
  }

  /// The same memory as bytes.
  var memory: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(elements) }

  /// The same memory as bytes, for reading.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(elements) }

  /// The address of the first element, for C functions.
  var address: UnsafeMutablePointer<Element> { elements.baseAddress.unsafelyUnwrapped }

  subscript(index: Int) -> Element {
    get { elements[index] }
    nonmutating set { elements[index] = newValue }
  }
}
