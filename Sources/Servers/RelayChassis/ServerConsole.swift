#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the programs of relays print and ask.
public enum ServerConsole {
  /// Prompts on the terminal and reads a line; an empty one selects the default.
  public static func ask(_ question: String, _ usual: String = "") throws(CommandFailure) -> String {
    print(usual.isEmpty ? question : "\(question) [\(usual)]:", terminator: " ")
    flushOutput()
    guard let answer = readLine() else {
      throw CommandFailure(description: "the input ended without an answer; with -y no questions are asked")
    }
    return answer.isEmpty ? usual : answer
  }

  /// Whether the operator agrees, with y or yes in upper or lower case; no by default.
  public static func isConfirmed(_ question: String) throws(CommandFailure) -> Bool {
    ["y", "yes"].contains(try ask("\(question) (y/N)").lowercased())
  }

  /// The time in the form of ISO 8601, in UTC.
  public static func timeStamp() -> String {
    var now = time(nil)
    var fields = tm()
    gmtime_r(&now, &fields)
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, "%Y-%m-%dT%H:%M:%SZ", &fields) }
    }
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  /// Prints a line with the time.
  public static func log(_ text: String, isError: Bool = false) {
    let line = Array("\(timeStamp()) \(text)\n".utf8)
    _ = write(isError ? STDERR_FILENO : STDOUT_FILENO, line, line.count)
  }

  /// Flushes what was printed to the reader of the output.
  public static func flushOutput() { fflush(nil) }

  /// Files among these that others than their owner can read, a sentence each.
  public static func readableKeys(_ files: [String]) -> [String] {
    files.compactMap { file in
      var status = stat()
      guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
      return "\(file) can be read by others; chmod 600 corrects that"
    }
  }
}

/// Why a command failed; printed after "Error:".
public struct CommandFailure: Error, CustomStringConvertible {
  /// A phrase.
  public let description: String

  public init(description: String) { self.description = description }
}
