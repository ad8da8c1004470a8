#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory and processor time that a process of this machine has used so far, as the system reports them (Linux:
/// proc(5)).
public struct ProcessUsage: Sendable {
  /// Resident memory in bytes.
  public let residentBytes: Double
  /// The part of it in bytes that is no page of a file, such as the program: what a limit of an app on a phone counts.
  public let privateBytes: Double
  /// Processor time of all threads, in seconds, with a resolution of 10 ms.
  public let processorSeconds: Double

  /// Nil where there is no such process, and on systems without this report.
  public init?(of process: Int32) {
    guard let memory = Self.text("/proc/\(process)/statm"), let status = Self.text("/proc/\(process)/stat"),
      // The name of the program, in parentheses, may contain spaces.
      let end = status.lastIndex(of: ")")
    else { return nil }
    // User and system time are the 14th and 15th field; the name was the second.
    let ticks = status[end...].split(separator: " ").dropFirst(12).prefix(2).compactMap { Double($0) }
    // All resident pages, and those of files.
    let pages = memory.split(separator: " ").dropFirst().prefix(2).compactMap { Double($0) }
    guard ticks.count == 2, pages.count == 2 else { return nil }
    let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
    residentBytes = pages[0] * pageSize
    privateBytes = (pages[0] - pages[1]) * pageSize
    processorSeconds = (ticks[0] + ticks[1]) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = fread(&bytes, 1, bytes.count, file)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
