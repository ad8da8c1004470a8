import Foundation
import SMPProtocol
import Testing
import WireCodec

/// A built program of a server, with folders of its own.
final class TestProgram: Sendable {
  struct Failed: Error {
    let output: String
  }

  let name: String
  let folder: URL
  private let variables: String
  private let environment: [String: String]

  /// `variables` is the prefix of the variables that name the folders.
  init(_ name: String, variables: String, environment: [String: String] = [:]) throws {
    self.name = name
    self.variables = variables
    self.environment = environment
    folder = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  private func process(_ arguments: [String], _ output: Pipe) -> Process {
    let process = Process()
    let products = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
    process.executableURL = (products ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent())
      .appending(path: name)
    process.arguments = arguments
    process.environment = environment.merging([
      "\(variables)_CFG_PATH": path("config"), "\(variables)_LOG_PATH": path("data"), "HOME": folder.path,
    ]) { $1 }
    process.standardOutput = output
    process.standardError = output
    return process
  }

  /// Runs to the end; returns the output.
  @discardableResult
  func run(_ arguments: String..., fails: Bool = false) throws -> String {
    let output = Pipe()
    let process = process(arguments, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard (process.terminationStatus != 0) == fails else { throw Failed(output: text) }
    return text
  }

  /// Changes lines of the settings: each of them replaces the line, commented or not, that sets the same.
  func set(_ file: String, _ settings: [String: String]) throws {
    var lines = try String(contentsOfFile: path(file), encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    for (key, value) in settings {
      guard
        let index = lines.firstIndex(where: {
          $0.hasPrefix("\(key) =") || $0.hasPrefix("# \(key) =")
        })
      else { throw Failed(output: "no setting \(key)") }
      lines[index] = "\(key) = \(value)"
    }
    try lines.joined(separator: "\n").write(toFile: path(file), atomically: true, encoding: .utf8)
  }

  /// Starts the server and waits until it says where it listens.
  func start() throws -> RunningProgram {
    let output = Pipe()
    let process = process(["start"], output)
    try process.run()
    let running = RunningProgram(process, output)
    let text = try running.read(until: "Listening on")
    guard let address = text.firstMatch(of: /(smp|ntf):\/\/([^@:\n]+)@/), let port = text.firstMatch(of: /port (\d+)/),
      let number = Int(port.1), let fingerprint = Base64URL.decode(String(address.2))
    else { throw Failed(output: text) }
    running.port = number
    running.fingerprint = fingerprint
    return running
  }
}

/// A server that was started. Unchecked: `Process` may be used from several threads for what is done here, and the rest
/// is set once.
final class RunningProgram: @unchecked Sendable {
  private let process: Process
  private let output: Pipe
  fileprivate(set) var port = 0
  fileprivate(set) var fingerprint: [UInt8] = []
  private(set) var log = ""

  init(_ process: Process, _ output: Pipe) {
    self.process = process
    self.output = output
  }

  /// Leaves no process behind when a test fails before it ends the server.
  deinit { if process.isRunning { kill() } }

  /// What it prints until a line contains a text.
  func read(until text: String) throws -> String {
    while !log.contains(text) || !log.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw TestProgram.Failed(output: log) }
      log += String(decoding: data, as: UTF8.self)
    }
    return log
  }

  /// As `kill -9` does, and waits for the end.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Stops it in order.
  func stop() throws {
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  func hangUp() { Foundation.kill(process.processIdentifier, SIGHUP) }

  var smpAddress: SMPServerAddress {
    guard let address = IPv4Address("127.0.0.1") else { preconditionFailure("no address") }
    return SMPServerAddress(.ipv4(address), port: UInt16(port), keyHash: fingerprint)
  }

  func client() async throws -> NotificationTestClient {
    try await NotificationTestClient.connect(port: port, fingerprint: fingerprint)
  }
}
