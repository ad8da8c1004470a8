#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files that are read and replaced as a whole: settings, keys, certificates, statistics.
public enum WholeFile {
  /// The content of the file.
  /// - Parameter limit: the largest size; the error of larger files has the code `EFBIG`.
  public static func read(_ path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
    let file = try FileDescriptor(path, .reading)
    // One byte more than the file has shows its end. The content of pipes, which have no size, comes in several parts.
    var partSize = Int(clamping: min(try file.size(), Int64(clamping: limit)).addingReportingOverflow(1).partialValue)
    var content: [UInt8] = []
    while true {
      let part = try file.readPart(partSize)
      // In the ordinary case there are no other copies of the content, which may be secret.
      content = content.isEmpty ? part : content + part
      guard content.count <= limit else { throw FileError(.read, path, code: EFBIG) }
      if part.count < partSize { return content }
      partSize = 1 << 16
    }
  }

  /// The content of the file as text, with invalid UTF-8 repaired; nil if there is no such file.
  public static func text(_ path: String) throws(FileError) -> String? {
    do { return String(decoding: try read(path), as: UTF8.self) } catch {
      if error.operation == .open, error.isMissing { return nil }
      throw error
    }
  }

  /// Replaces the file atomically: readers and crashes see the old content or the new one, never a part, and the new
  /// one is durable when this returns.
  /// - Parameter permissions: those of the new file, whatever the process masks (umask); by default only its owner can
  ///   read it.
  public static func replace(
    _ path: String, with content: some Sequence<UInt8>, permissions: UInt16 = 0o600
  ) throws(FileError) {
    let draft = path + ".new"
    unlink(draft)
    do throws(FileError) {
      let file = try FileDescriptor(draft, .creating, permissions: permissions)
      // The system takes away what the process masks.
      if permissions != 0o600 { try file.setPermissions(permissions) }
      try write(Array(content), to: file)
      try move(draft, to: path)
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Gives a file another name, durably; what had that name is replaced.
  public static func move(_ file: String, to path: String) throws(FileError) {
    guard rename(file, path) == 0 else { throw FileError(.rename, path, code: errno) }
    try FileDescriptor.syncFolder(of: path)
  }

  private static func write(_ content: [UInt8], to file: consuming FileDescriptor) throws(FileError) {
    try content.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file.write(bytes) }
    try file.sync()
  }

  /// Adds the text at the end of the file, which is created if there is none.
  public static func append(_ text: String, to path: String) throws(FileError) {
    let file = try FileDescriptor(path, .appending)
    try Array(text.utf8).span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file.write(bytes) }
  }

  /// Removes the file.
  public static func remove(_ path: String) throws(FileError) {
    guard unlink(path) == 0 else { throw FileError(.remove, path, code: errno) }
  }
}
