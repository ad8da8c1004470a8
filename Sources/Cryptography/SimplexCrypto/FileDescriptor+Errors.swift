import FileAccess

// Files whose failures are those of cryptographic operations.
extension FileDescriptor {
  /// Opens a file to encrypt or decrypt it.
  static func opened(_ path: String, _ access: Access) throws(CryptoError) -> FileDescriptor {
    do { return try FileDescriptor(path, access) } catch { throw .file(operation: .open, code: error.code) }
  }

  /// The size of the file in bytes.
  func byteCount() throws(CryptoError) -> Int64 {
    do { return try size() } catch { throw .file(operation: .open, code: error.code) }
  }

  /// Fills the buffer, or stops at the end of the file; returns how many bytes were read.
  func readBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) -> Int {
    do { return try read(buffer) } catch { throw .file(operation: .read, code: error.code) }
  }

  /// Writes all bytes.
  func writeBytes(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    do { try write(bytes) } catch { throw .file(operation: .write, code: error.code) }
  }
}
