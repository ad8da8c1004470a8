import COpenSSL

/// A BIO whose two ends are the buffers of a ``TLSEngine``. The library's memory BIO has buffers of its own, which cost
/// each idle connection another 25 kilobytes.
func makeBufferBIO() -> OpaquePointer? {
  guard let method = bufferMethod.pointer, let bio = BIO_new(method) else { return nil }
  BIO_set_init(bio, 1)
  return bio
}

/// The table of functions that all these BIOs share; never released.
///
/// Unchecked: it is immutable once created.
private struct BufferMethod: @unchecked Sendable {
  let pointer: OpaquePointer?
}

private let bufferMethod: BufferMethod = {
  guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffer") else {
    return BufferMethod(pointer: nil)
  }
  BIO_meth_set_read(method) { bio, space, count in
    guard let bio, let space, count > 0, let data = BIO_get_data(bio) else { return -1 }
    simplex_BIO_clear_retry(bio)
    let engine = Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    let taken = engine.takeInbound(UnsafeMutableRawBufferPointer(start: space, count: Int(count)))
    if taken == 0 {
      simplex_BIO_retry_read(bio)
      return -1
    }
    return Int32(clamping: taken)
  }
  BIO_meth_set_write(method) { bio, bytes, count in
    guard let bio, let bytes, count >= 0, let data = BIO_get_data(bio) else { return -1 }
    let engine = Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    engine.addOutbound(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    return count
  }
  // The library asks the BIO to flush and expects 1; no other request matters here.
  BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
  return BufferMethod(pointer: method)
}()
