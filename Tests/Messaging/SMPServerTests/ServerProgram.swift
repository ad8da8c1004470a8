import Foundation
import SMPProtocol
import SimplexCrypto
import WireCodec

/// The built `smp-server`, with folders of its own.
final class ServerProgram: Sendable {
  struct Failed: Error {
    let output: String
  }

  let folder: URL
  private let executable: URL
  /// The socket of a service manager.
  private let notifySocket: String?

  init(notifySocket: String? = nil) throws {
    self.notifySocket = notifySocket
    folder = FileManager.default.temporaryDirectory.appending(path: "smp-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    executable = Self.program("smp-server")
  }

  /// A program of the package: beside the tests, or in the folder `SIMPLEX_PROGRAMS`, for measurements.
  private static func program(_ name: String) -> URL {
    if let folder = ProcessInfo.processInfo.environment["SIMPLEX_PROGRAMS"] {
      return URL(filePath: folder).appending(path: name)
    }
    let products = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
    return (products ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()).appending(path: name)
  }

  /// Runs `smp-bench` with these arguments, and returns the figures that it prints. `started` is called when it runs.
  static func load(
    _ arguments: [String], started: @escaping @Sendable () -> Void = {}
  ) async throws -> [String: Double] {
    let process = Process()
    let output = Pipe()
    process.executableURL = program("smp-bench")
    process.arguments = arguments + ["--json"]
    process.standardOutput = output
    process.standardError = output
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do {
        try process.run()
        started()
      } catch {
        continuation.resume(throwing: error)
      }
    }
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    guard let figures = try? JSONSerialization.jsonObject(with: printed) as? [String: Double] else {
      throw Failed(output: String(decoding: printed, as: UTF8.self))
    }
    return figures
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  var database: String { folder.appending(path: "data/smp-server.db").path }

  private func process(_ arguments: [String], _ output: Pipe) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = [
      "SMP_SERVER_CFG_PATH": folder.appending(path: "config").path,
      "SMP_SERVER_LOG_PATH": folder.appending(path: "data").path,
    ]
    process.environment?["NOTIFY_SOCKET"] = notifySocket
    process.standardOutput = output
    process.standardError = output
    return process
  }

  /// Runs to the end; returns the output. `input` is what it reads.
  @discardableResult
  func run(_ arguments: [String], input: String = "") throws -> String {
    let output = Pipe()
    let process = process(arguments, output)
    let answers = Pipe()
    process.standardInput = answers
    try process.run()
    try answers.fileHandleForWriting.write(contentsOf: Array(input.utf8))
    try answers.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(output: text) }
    return text
  }

  /// Whether a program can be run by a user to whom the permissions of files apply.
  static var canBeAnotherUser: Bool { getuid() != 0 || access("/usr/bin/setpriv", X_OK) == 0 }

  /// The output of a command that has to fail, run by an unprivileged user.
  func runAsAnotherUser(_ arguments: [String]) throws -> String {
    let output = Pipe()
    let process = process(arguments, output)
    if getuid() == 0 {
      process.executableURL = URL(filePath: "/usr/bin/setpriv")
      process.arguments = ["--reuid", "65534", "--regid", "65534", "--clear-groups", executable.path] + arguments
    }
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus != 0 else { throw Failed(output: text) }
    return text
  }

  /// Starts the server and waits until it says where it listens. `files` limits the number of open files.
  func start(_ options: [String] = [], files: Int? = nil) async throws -> Running {
    let output = Pipe()
    let process = process(["start"] + options, output)
    if let files {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "ulimit -n \(files) && exec \"$0\" \"$@\"", executable.path, "start"] + options
    }
    try process.run()
    var text = ""
    while !text.contains("Listening on") || !text.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw Failed(output: text) }
      text += String(decoding: data, as: UTF8.self)
    }
    guard let address = text.firstMatch(of: /smp:\/\/([^@:\n]+)/), let port = text.firstMatch(of: /port (\d+)/),
      let number = Int(port.1), let fingerprint = Base64URL.decode(Array(address.1.utf8))
    else { throw Failed(output: text) }
    return Running(process: process, output: output, greeting: text, port: number, fingerprint: fingerprint)
  }

  /// A server that was started. Unchecked: `Process` may be used from several threads for what is done here.
  final class Running: @unchecked Sendable {
    private let process: Process
    private let output: Pipe
    /// What it printed when it started.
    let greeting: String
    let port: Int
    let fingerprint: [UInt8]

    init(process: Process, output: Pipe, greeting: String, port: Int, fingerprint: [UInt8]) {
      self.greeting = greeting
      self.process = process
      self.output = output
      self.port = port
      self.fingerprint = fingerprint
    }

    /// The address for clients on this machine.
    var address: String { "smp://\(String(decoding: Base64URL.encode(fingerprint), as: UTF8.self))@127.0.0.1:\(port)" }

    /// The number of the process.
    var identifier: Int32 { process.processIdentifier }

    /// The most memory that it has had so far, in megabytes; nil where the system does not tell.
    var peakMemory: Double? {
      guard let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8),
        let peak = status.firstMatch(of: /VmHWM:\s+(\d+) kB/), let kilobytes = Double(peak.1)
      else { return nil }
      return kilobytes / 1_000
    }

    func client() async throws -> TestClient { try await TestClient.connect(port: port, fingerprint: fingerprint) }

    /// Leaves no process behind when a test fails before it ends the server.
    deinit { if process.isRunning { kill() } }

    /// As `kill -9` does, and waits for the end.
    func kill() {
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    func terminate() { process.terminate() }

    /// Asks it to read its settings again, and returns what it prints until a line contains `text`.
    func reload(until text: String) throws -> String {
      Foundation.kill(process.processIdentifier, SIGHUP)
      var printed = ""
      while !printed.contains(text) || !printed.hasSuffix("\n") {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { throw Failed(output: printed) }
        printed += String(decoding: data, as: UTF8.self)
      }
      return printed
    }

    /// What it printed since it started, after it has ended.
    func rest() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    func waitForExit() async throws {
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Failed(output: "exit code \(process.terminationStatus)") }
    }
  }
}
