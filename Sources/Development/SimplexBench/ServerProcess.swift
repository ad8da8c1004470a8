import Foundation
import ProgramSupport

/// A server in a separate process, so that its memory and processor time can be measured separately.
///
/// The process is this tool again with `--serve NAME`; it prints one line when it is ready, and exits when its input is
/// closed.
final class ServerProcess {
  /// The line that the process printed when it was ready.
  let greeting: [String]
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the server and waits until it is ready.
  ///
  /// `isYielding`: whether all other programs have the processor first.
  init(_ name: String, arguments: [String] = [], isYielding: Bool = false) throws {
    let program = CommandLine.arguments[0]
    // Not `nice`: the threads of Dispatch set that for themselves.
    process.executableURL = URL(fileURLWithPath: isYielding ? "/usr/bin/env" : program)
    process.arguments = (isYielding ? Self.yielding + [program] : []) + ["--serve", name] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map(String.init)
  }

  #if os(Linux)
    /// Starts a program that runs when nothing else does.
    private static let yielding = ["chrt", "--idle", "0"]
  #else
    private static let yielding = ["nice", "-n", "19"]
  #endif

  /// Ends the process, unless it has ended; returns the words that it printed after its greeting.
  @discardableResult
  func stop() -> [String] {
    guard process.isRunning else { return [] }
    setPaused(false)
    try? input.fileHandleForWriting.close()
    let rest = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: rest, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Has the process do nothing at all, not even close its connections, or go on.
  func setPaused(_ isPaused: Bool) { kill(process.processIdentifier, isPaused ? SIGSTOP : SIGCONT) }

  /// The most resident memory since its start, in bytes; what is resident now on systems without `/proc`.
  var peakBytes: Double { peakResidentBytes(of: process.processIdentifier) }

  /// Resident memory in bytes; 0 where it is unknown.
  var residentBytes: Double { ProcessUsage(of: process.processIdentifier)?.residentBytes ?? 0 }

  /// The part of it that is no page of a file, in bytes; 0 where it is unknown.
  var privateBytes: Double { ProcessUsage(of: process.processIdentifier)?.privateBytes ?? 0 }

  /// Processor time in seconds; 0 where it is unknown.
  var processorSeconds: Double { ProcessUsage(of: process.processIdentifier)?.processorSeconds ?? 0 }

  /// Reports to the parent that this process is ready.
  static func announce(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Waits until the parent closes our input.
  static func waitForParent() async {
    await Task.detached { _ = readLine() }.value
  }
}

/// The most resident memory of a process since its start, in bytes; what is resident now on systems without `/proc`,
/// and 0 where the process is unknown.
func peakResidentBytes(of process: Int32) -> Double {
  guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
    let peak = status.firstMatch(of: /VmHWM:\s+(\d+) kB/), let kilobytes = Double(peak.1)
  else { return ProcessUsage(of: process)?.residentBytes ?? 0 }
  return kilobytes * 1_024
}

/// Raises the limit of open files as far as the system allows.
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
