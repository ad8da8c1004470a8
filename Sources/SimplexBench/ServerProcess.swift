import Foundation

/// A server that runs in a process of its own, so that its memory and its processor time can be told from ours.
///
/// The process is this tool again with `--serve NAME`; it prints one line when it is ready, and ends with its input.
final class ServerProcess {
  /// What the process printed when it was ready.
  let greeting: [String]
  private let process = Process()
  private let input = Pipe()

  /// Starts the server and waits until it is ready.
  init(_ name: String) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--serve", name]
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Ends the process.
  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Resident memory in bytes; 0 where the system does not tell.
  var residentBytes: Double {
    let pages = fields("statm").dropFirst().first.flatMap(Double.init) ?? 0
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Processor time in seconds; 0 where the system does not tell.
  var processorSeconds: Double {
    let ticks = fields("stat").dropFirst(13).prefix(2).compactMap(Double.init)
    return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func fields(_ file: String) -> [Substring] {
    let path = "/proc/\(process.processIdentifier)/\(file)"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    // The command's name, in parentheses, may contain spaces.
    guard file == "stat", let end = text.lastIndex(of: ")") else { return text.split(separator: " ") }
    return ["pid", "name"] + text[text.index(after: end)...].split(separator: " ")
  }

  /// Tells the parent that we are ready.
  static func announce(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Waits until the parent closes our input.
  static func waitForParent() async {
    await Task.detached { _ = readLine() }.value
  }
}

/// Allows as many open files as the system lets us.
func raiseFileLimit() {
  var limit = rlimit()
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  guard getrlimit(resource, &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  setrlimit(resource, &limit)
}
