import COpenSSL

/// The library's description of the last failure on this thread; also empties its list of errors.
func takeOpenSSLError() -> String {
  let code = ERR_get_error()
  ERR_clear_error()
  guard code != 0, let text = ERR_reason_error_string(code) else { return "unknown" }
  return String(cString: text)
}

/// Parses the DER of one certificate, with nothing after it, for the duration of `body`.
func withX509<Result>(
  _ der: [UInt8], _ body: (OpaquePointer) throws(CertificateError) -> Result
) throws(CertificateError) -> Result {
  let certificate = try parseX509(der)
  defer { X509_free(certificate) }
  return try body(certificate)
}

/// The caller owns the result.
func parseX509(_ der: [UInt8]) throws(CertificateError) -> OpaquePointer {
  let parsed: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
    guard let start = bytes.baseAddress else { return nil }
    var cursor: UnsafePointer<UInt8>? = start
    guard let certificate = d2i_X509(nil, &cursor, bytes.count) else { return nil }
    if cursor == start + bytes.count { return certificate }
    X509_free(certificate)
    return nil
  }
  guard let parsed else {
    ERR_clear_error()
    throw .malformedCertificate
  }
  return parsed
}

/// The DER form of an X.509 object.
func certificateDER(_ certificate: OpaquePointer) -> [UInt8] {
  encodedDER { i2d_X509(certificate, $0) }
}

/// Runs one of the library's `i2d` functions twice: for the length, then for the bytes.
func encodedDER(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
  let length = Int(encode(nil))
  guard length > 0 else { return [] }
  return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
    var cursor = buffer.baseAddress
    initialized = max(0, Int(encode(&cursor)))
  }
}

/// Calls `body` with a memory BIO to read `bytes` from.
func withInput<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
  bytes.withUnsafeBytes { bytes in
    guard let base = bytes.baseAddress, let length = Int32(exactly: bytes.count),
      let bio = BIO_new_mem_buf(base, length)
    else { return nil }
    defer { BIO_free(bio) }
    return body(bio)
  }
}

/// The output of `body` to a memory BIO; nil where it reports failure.
func collectOutput(_ body: (OpaquePointer) -> Bool) -> [UInt8]? {
  guard let bio = BIO_new(BIO_s_secmem()) else { return nil }
  defer { BIO_free(bio) }
  guard body(bio) else { return nil }
  let length = BIO_ctrl_pending(bio)
  return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
    initialized = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(clamping: length))))
  }
}
