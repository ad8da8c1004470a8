#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The process that holds the lock of a file (``FileDescriptor/tryLock()``).
public enum LockHolder {
  /// The number of the process; nil where no process that this one can see holds the lock, or the system does not tell.
  public static func process(of path: String) -> Int32? {
    #if os(Linux)
      var found = stat()
      guard stat(path, &found) == 0, let table = try? WholeFile.text("/proc/locks") else { return nil }
      let (number, device) = (UInt64(found.st_ino), UInt64(found.st_dev))
      let major = device >> 8 & 0xfff | device >> 32 & ~0xfff
      let minor = device & 0xff | device >> 12 & ~0xff
      var other: Int32?
      // As "1: FLOCK  ADVISORY  WRITE 4711 fe:01:1234 0 EOF".
      for line in table.split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count >= 6, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0 else { continue }
        let file = fields[5].split(separator: ":")
        guard file.count == 3, UInt64(file[2]) == number else { continue }
        if UInt64(file[0], radix: 16) == major, UInt64(file[1], radix: 16) == minor { return process }
        // Some file systems have another device here than in the status of their files.
        other = other ?? process
      }
      return other
    #else
      return nil
    #endif
  }

  /// The holder in parentheses with a space before them, for the end of a sentence; empty where it is not known.
  public static func note(of path: String) -> String {
    process(of: path).map { $0 == getpid() ? " (this process)" : " (process \($0))" } ?? ""
  }
}
