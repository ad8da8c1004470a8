import COpenSSL
import FileAccess

/// Files of keys and certificates.
enum CertificateFile {
  /// More than any certificate file needs.
  static let largestSize = 1 << 20

  /// The content of the file.
  static func read(_ path: String) throws(CertificateError) -> [UInt8] {
    do { return try WholeFile.read(path, limit: largestSize) } catch { throw .file(path: path, code: error.code) }
  }

  /// Reads a file whose content is secret; the bytes are erased after `body`.
  static func withSecret<Result>(
    _ path: String, _ body: ([UInt8]) throws(CertificateError) -> Result
  ) throws(CertificateError) -> Result {
    var content = try read(path)
    defer { erase(&content) }
    return try body(content)
  }

  /// Overwrites secret bytes with zeros.
  static func erase(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }

  /// Replaces the file atomically. A secret file is readable by its owner alone from the start.
  static func write(_ content: [UInt8], to path: String, isSecret: Bool = false) throws(CertificateError) {
    do { try WholeFile.replace(path, with: content, permissions: isSecret ? 0o600 : 0o644) } catch {
      throw .file(path: path, code: error.code)
    }
  }
}
