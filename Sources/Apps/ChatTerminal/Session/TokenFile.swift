import FileAccess
import WireCodec

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The token of the API for bots that a profile has where none is given: in a file that only its owner can read.
struct TokenFile {
  /// Bytes of randomness.
  private static let size = 32

  let path: String

  /// The token in the file. A file that is missing, damaged, or readable for others gets a new one.
  func token() throws(FileError) -> String {
    if let token = kept { return token }
    var generator = SystemRandomNumberGenerator()
    let token = Base64URL.unpadded((0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    try WholeFile.replace(path, with: (token + "\n").utf8)
    return token
  }

  private var kept: String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0, let content = try? WholeFile.read(path, limit: 1_024)
    else { return nil }
    let token = String(decoding: content, as: UTF8.self).trimmed
    return Base64URL.decode(token)?.count == Self.size ? token : nil
  }
}
