import Foundation
import SimplexJSON
import SimplexTesting

/// A relay and profiles that are programs of their own: `smp-server`, and `simplex-chat` with the API for bots.
final class ProgramWorld: ScenarioWorld {
  let folder: URL
  private var relay: Program?
  private var fileRelay: Program?
  private(set) var fileServer: String?
  private(set) var server = ""
  private var profiles: [String: ProgramProfile] = [:]

  /// Runs a test, and ends all programs then.
  /// - Parameter files: whether there is a file relay.
  static func with(files: Bool = false, _ body: (ProgramWorld) async throws -> Void) async throws {
    let world = try ProgramWorld()
    do {
      if files { try world.startFileRelay() }
      try await body(world)
    } catch {
      await world.stop()
      throw error
    }
    await world.stop()
  }

  private init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let made = try Program.run(
      "smp-server", ["init", "-y", "--no-password", "--ip", "127.0.0.1", "--port", "0"], in: folder,
      environment: environment)
    guard made.status == 0 else { throw Unexpected(description: "smp-server init: \(made.output) \(made.errors)") }
    let port = try start()
    try setPort(port, in: "config/smp-server.ini")
  }

  private var environment: [String: String] {
    [
      "SMP_SERVER_CFG_PATH": folder.appending(path: "config").path,
      "SMP_SERVER_LOG_PATH": folder.appending(path: "data").path,
      "XFTP_SERVER_CFG_PATH": folder.appending(path: "file-config").path,
      "XFTP_SERVER_LOG_PATH": folder.appending(path: "file-data").path,
    ]
  }

  /// Stops all programs, in order; their files are kept until the test ends.
  func stopPrograms() async {
    for profile in profiles.values { await profile.stop() }
    profiles = [:]
    relay?.stop()
    relay = nil
    fileRelay?.stop()
    fileRelay = nil
  }

  private func stop() async {
    await stopPrograms()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts the relay; returns its port.
  private func start() throws -> String {
    let program = try Program("smp-server", ["start"], in: folder, environment: environment)
    let address = try program.line("Server address: smp://")
    guard let fingerprint = address.split(separator: "@").first,
      let port = try program.line("Listening on ").split(separator: " ").last
    else { throw Unexpected(description: "no address: \(address)") }
    server = "smp://\(fingerprint)@127.0.0.1:\(port)"
    relay = program
    return String(port)
  }

  private func startFileRelay() throws {
    let made = try Program.run(
      "xftp-server",
      ["init", "-p", folder.appending(path: "chunks").path, "-q", "1gb", "--ip", "127.0.0.1", "--port", "0"],
      in: folder, environment: environment)
    guard made.status == 0 else { throw Unexpected(description: "xftp-server init: \(made.output) \(made.errors)") }
    let port = try runFileRelay()
    try setPort(port, in: "file-config/file-server.ini")
  }

  /// Starts the file relay; returns its port.
  private func runFileRelay() throws -> String {
    let program = try Program("xftp-server", ["start"], in: folder, environment: environment)
    fileRelay = program
    let address = try program.line("Server address: xftp://")
    guard let fingerprint = address.split(separator: "@").first,
      let port = try program.line("Listening on ").split(separator: " ").last
    else { throw Unexpected(description: "no address: \(address)") }
    fileServer = "xftp://\(fingerprint)@127.0.0.1:\(port)"
    return String(port)
  }

  /// Where a relay is started again, its address is the same.
  private func setPort(_ port: String, in file: String) throws {
    let settings = folder.appending(path: file)
    let text = try String(contentsOf: settings, encoding: .utf8)
    try text.replacingOccurrences(of: "port = 0\n", with: "port = \(port)\n")
      .write(to: settings, atomically: true, encoding: .utf8)
  }

  /// Kills the file relay, and starts it again.
  func killFileRelay() throws {
    fileRelay?.endAtOnce()
    _ = try runFileRelay()
  }

  /// Kills the program of a profile, and starts it again with these arguments.
  func kill(_ name: String, _ arguments: [String]) async throws -> ProgramProfile {
    await profiles.removeValue(forKey: name)?.kill()
    return try await profile(name, arguments)
  }

  func startRelay() async throws { if relay == nil { _ = try start() } }

  func stopRelay() async throws {
    relay?.stop()
    relay = nil
  }

  func scenarioProfile(_ name: String) async throws -> ProgramProfile { try await profile(name) }

  /// A running program with a user of this name, started with these arguments besides the usual ones.
  func profile(_ name: String, _ arguments: String...) async throws -> ProgramProfile {
    try await profile(name, arguments)
  }

  /// The same with an array of arguments.
  func profile(_ name: String, _ arguments: [String]) async throws -> ProgramProfile {
    let fileServers = fileServer.map { ["--xftp-server", $0] } ?? []
    let profile = try await ProgramProfile.start(name, in: folder, server: server, fileServers + arguments)
    profiles[name] = profile
    return profile
  }

  /// A running program whose databases are in this folder.
  func profile(_ name: String, in folder: URL) async throws -> ProgramProfile {
    let profile = try await ProgramProfile.start(name, in: folder, server: server)
    profiles[name] = profile
    return profile
  }

  func leave(_ name: String) async { await profiles.removeValue(forKey: name)?.stop() }

  func restart(_ name: String) async throws -> ProgramProfile {
    await profiles[name]?.stop()
    return try await scenarioProfile(name)
  }
}

/// A `simplex-chat` with a client of its API.
final class ProgramProfile: ScenarioProfile {
  private let name: String
  private let program: Program
  private let client: WebSocketClient
  let port: Int
  private var number = 0
  private var early: [JSONValue] = []

  static func start(
    _ name: String, in folder: URL, server: String, _ arguments: [String] = []
  ) async throws -> ProgramProfile {
    let usual = [
      "-d", folder.appending(path: name).path, "--display-name", name, "--server", server, "--no-preset-contacts",
      "--log-hosts", "-p", "0",
    ]
    let program = try Program("simplex-chat", usual + arguments, in: folder)
    guard let port = Int(try program.line("WebSocket API on ws://127.0.0.1:")) else {
      throw Unexpected(description: "\(name) has no port")
    }
    return ProgramProfile(name, program, port, try await WebSocketClient.connect(port: port))
  }

  private init(_ name: String, _ program: Program, _ port: Int, _ client: WebSocketClient) {
    self.port = port
    self.name = name
    self.program = program
    self.client = client
  }

  private(set) lazy var events = UnreadEvents(name) { [unowned self] time in
    if !early.isEmpty { return early.removeFirst() }
    return try await next(within: time).map { $0.value }
  }

  func answer(_ command: String) async throws -> JSONValue {
    number += 1
    let id = String(number)
    let request = JSONValue.object([.init("corrId", .string(id)), .init("cmd", .string(command))])
    try await client.send(request.jsonText())
    while let (answered, value) = try await next(within: .seconds(30)) {
      if answered == id { return value }
      early.append(value)
    }
    throw Unexpected(description: "no answer to \(command)")
  }

  /// An answer with its number, or an event.
  private func next(within time: Duration) async throws -> (answered: String?, value: JSONValue)? {
    guard let text = try await client.next(within: time) else { return nil }
    let message = try JSONValue(jsonText: text)
    guard let value = message["resp"] else { throw Unexpected(description: "\(name) got \(text)") }
    return (message["corrId"]?.stringValue, value["chatError"] ?? value)
  }

  func stop() async {
    await client.close()
    program.stop()
  }

  func kill() async {
    program.endAtOnce()
    await client.close()
  }
}
