#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension WholeFile {
  /// Copies a file to a new one, whose content is durable when this returns; its name is when the folder is flushed
  /// (``FileDescriptor/syncFolder(of:)``). Where it fails, no part of a copy stays.
  /// - Throws: Also where there is a file at `target` already, with the code `EEXIST`.
  public static func copy(_ path: String, to target: String, permissions: UInt16 = 0o600) throws(FileError) {
    let source = try FileDescriptor(path, .reading)
    let copy = try FileDescriptor(target, .creating, permissions: permissions)
    do throws(FileError) {
      try copy.setPermissions(permissions)
      while true {
        let part = try source.readPart(1 << 20)
        guard !part.isEmpty else { break }
        try part.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try copy.write(bytes) }
      }
      try copy.sync()
    } catch {
      unlink(target)
      throw error
    }
  }

  /// Gives the content of a file that nobody changes a second name, or copies it where the file system cannot do that.
  /// - Throws: Also where there is a file at `target` already, with the code `EEXIST`.
  public static func linkOrCopy(_ path: String, to target: String) throws(FileError) {
    if link(path, target) == 0 { return }
    // Between file systems, on those without links, with too many of them, and where the system protects the files of
    // other users.
    guard [EXDEV, EPERM, EMLINK, ENOTSUP, ENOSYS, EACCES].contains(errno) else {
      throw FileError(.open, errno == EEXIST ? target : path, code: errno)
    }
    try copy(path, to: target)
  }
}
