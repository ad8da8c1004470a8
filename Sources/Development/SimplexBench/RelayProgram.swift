import Foundation
import ProgramSupport

/// `smp-server` in a separate process and folder, configured as by operators; loaded by `smp-bench`. Both programs have
/// to be beside this one.
final class RelayProgram {
  /// The address for clients on this machine.
  let address: String
  /// The time from the start of the process until it listened, in seconds.
  let startSeconds: Double
  private let process = Process()
  private let cores: Int?

  /// Creates the identity and settings of a relay in a folder.
  static func initialize(in folder: URL) throws {
    _ = try run("smp-server", ["init", "--yes", "--no-password", "--ip", "127.0.0.1", "--port", "0"], folder: folder)
  }

  /// Starts the relay of a folder and waits until it listens.
  /// - Parameter cores: the number of cores that the relay and its load are bound to, with the command `taskset`; nil
  ///   for all.
  init(in folder: URL, store: String = "database", cores: Int? = nil) throws {
    self.cores = cores
    let output = Pipe()
    Self.configure(process, as: "smp-server", arguments: ["start", "--store", store], cores: cores)
    process.environment = Self.environment(folder)
    process.standardOutput = output
    let start = ContinuousClock.now
    do { try process.run() } catch { throw BenchError.program("smp-server cannot be started") }
    var text = ""
    var found: (address: Substring, port: Substring)?
    repeat {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw BenchError.program("smp-server ended") }
      text += String(decoding: data, as: UTF8.self)
      found = Self.greeting(text)
    } while found == nil
    startSeconds = (ContinuousClock.now - start).inSeconds
    address = found.map { "\($0.address):\($0.port)" } ?? ""
  }

  /// The address and the port in the output of the relay; nil while it is incomplete.
  private static func greeting(_ text: String) -> (Substring, Substring)? {
    guard text.hasSuffix("\n"), let address = text.firstMatch(of: /(smp:\S+@127\.0\.0\.1)\S*\s/)?.1,
      let port = text.firstMatch(of: /port ([0-9]+)\s/)?.1
    else { return nil }
    return (address, port)
  }

  /// Resident memory in bytes.
  var residentBytes: Double { ProcessUsage(of: process.processIdentifier)?.residentBytes ?? 0 }

  /// The most resident memory since its start, in bytes; what is resident now on systems without `/proc`.
  var peakBytes: Double { peakResidentBytes(of: process.processIdentifier) }

  /// Processor time since its start, in seconds.
  var processorSeconds: Double { ProcessUsage(of: process.processIdentifier)?.processorSeconds ?? 0 }

  /// Loads the relay, and returns the figures of `smp-bench` by name.
  func load(_ options: String) throws -> [String: Double] {
    let arguments = options.split(separator: " ").map(String.init)
    let output = try Self.run(
      "smp-bench",
      ["--server", address, "--server-pid", "\(process.processIdentifier)", "--size", "16000", "--json"] + arguments,
      cores: cores)
    guard let figures = try JSONSerialization.jsonObject(with: output) as? [String: Double] else {
      throw BenchError.program("smp-bench answers in another way")
    }
    return figures
  }

  /// Stops the relay gracefully.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// A program beside this one.
  static func program(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }

  private static func configure(_ process: Process, as name: String, arguments: [String], cores: Int?) {
    guard let cores else {
      process.executableURL = program(name)
      process.arguments = arguments
      return
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
    process.arguments = ["--cpu-list", "0-\(max(1, cores) - 1)", program(name).path] + arguments
  }

  private static func environment(_ folder: URL) -> [String: String] {
    [
      "SMP_SERVER_CFG_PATH": folder.appending(path: "cfg").path,
      "SMP_SERVER_LOG_PATH": folder.appending(path: "log").path,
    ]
  }

  /// The file of the relay's database.
  static func database(in folder: URL) -> URL { folder.appending(path: "log/smp-server.db") }

  @discardableResult
  private static func run(_ name: String, _ arguments: [String], folder: URL? = nil, cores: Int? = nil) throws -> Data {
    let process = Process()
    let output = Pipe()
    configure(process, as: name, arguments: arguments, cores: cores)
    if let folder { process.environment = environment(folder) }
    process.standardOutput = output
    do { try process.run() } catch { throw BenchError.program("\(name) cannot be started") }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError.program("\(name) failed") }
    return data
  }
}
