#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An operation on a file that the system refused.
public struct FileError: Error, Hashable, Sendable {
  /// What was being done.
  public enum Operation: Hashable, Sendable { case open, read, write, sync, rename, remove }

  /// What was being done.
  public let operation: Operation
  /// The file.
  public let path: String
  /// The system's `errno`.
  public let code: Int32

  /// An error with the system's `code`.
  public init(_ operation: Operation, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Whether there is no such file.
  public var isMissing: Bool { code == ENOENT }

  /// Whether the disk, or what the user may use of it, is full.
  public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}

extension FileError: CustomStringConvertible {
  /// The path and the system's text, such as `/etc/relay.ini: Permission denied`.
  public var description: String { "\(path): \(String(cString: strerror(code)))" }
}
