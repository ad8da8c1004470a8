import AgentCore
import Foundation
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import XFTPProtocol

@testable import SimplexAgent

/// An agent that sends and receives files, in a folder of its own.
final class FileAgent {
  struct Ended: Error {}
  struct Failed: Error { let error: AgentError }

  private(set) var folder: String
  private(set) var agent: Agent
  let user: UserID
  private let options: Agent.Options
  private var events: AgentEvents.AsyncIterator
  private var waiting: [AgentEvent] = []

  init(_ servers: [AgentFileServer], _ change: (inout Agent.Options) -> Void = { _ in }) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "file-agent-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var options = Agent.Options()
    options.configuration.fileRetry = Backoff.Policy(initial: 50, limit: 200)
    change(&options)
    self.options = options
    agent = try await Agent.open(path: folder + "/agent.db", options)
    user = try await agent.createUser(servers: [])
    events = agent.events.makeAsyncIterator()
    try await agent.setFileServers(servers, for: user)
    try await agent.startFiles(in: work, files: folder)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The folder of temporary files.
  var work: String { folder + "/work" }
  /// What is in it.
  var leftovers: [String] { (try? FileManager.default.contentsOfDirectory(atPath: work).sorted()) ?? [] }

  /// Waits until no temporary files are left; they are removed after the event that says that they are not needed.
  func settle() async throws {
    while !leftovers.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Ends the agent, as if its process were killed unless `closes`, and opens another one.
  /// - Parameter moves: whether all its files are at another place afterwards.
  func restart(
    closes: Bool = false, moves: Bool = false, _ change: (inout Agent.Options) -> Void = { _ in }
  ) async throws {
    closes ? await agent.close() : await agent.kill()
    if moves {
      try FileManager.default.moveItem(atPath: folder, toPath: folder + "-moved")
      folder += "-moved"
    }
    var options = options
    change(&options)
    agent = try await Agent.open(path: folder + "/agent.db", options)
    events = agent.events.makeAsyncIterator()
    waiting = []
    try await agent.startFiles(in: work, files: folder)
  }

  /// Writes a file to send.
  func write(_ content: [UInt8], _ name: String = "source", encrypted: Bool = false) throws -> LocalFile {
    var random = SystemRandom()
    let file = LocalFile(
      path: "\(folder)/\(name)", encryption: encrypted ? LocalFile.Encryption(using: &random) : nil)
    try file.write(content)
    return file
  }

  /// A place for a received file.
  func destination(_ name: String = "destination", encrypted: Bool = false) -> LocalFile {
    var random = SystemRandom()
    return LocalFile(path: "\(folder)/\(name)", encryption: encrypted ? LocalFile.Encryption(using: &random) : nil)
  }

  /// The first event, of those that were not given yet, that `select` takes; others stay.
  func next<Value>(_ select: (AgentEvent.Kind) -> Value?) async throws -> Value {
    for (index, event) in waiting.enumerated() {
      if let value = select(event.kind) {
        waiting.remove(at: index)
        return value
      }
    }
    while let event = await events.next() {
      if let value = select(event.kind) { return value }
      waiting.append(event)
    }
    throw Ended()
  }

  /// What became of a file that was sent.
  func sent(_ file: AgentFileID) async throws -> (sender: FileDescription, recipients: [FileDescription]) {
    let result = try await next { kind -> Result<(FileDescription, [FileDescription]), Failed>? in
      switch kind {
      case .fileSent(file, _, let sender, let recipients):
        .success((sender, (0..<recipients.count).compactMap { recipients.description(at: $0) }))
      case .fileSendFailed(file, let error): .failure(Failed(error: error))
      default: nil
      }
    }
    return try result.get()
  }

  /// What became of a file that was received: the size of its content.
  func received(_ file: AgentFileID) async throws -> Int64 {
    let result = try await next { kind -> Result<Int64, Failed>? in
      switch kind {
      case .fileReceived(file, let size): .success(size)
      case .fileReceiveFailed(file, let error): .failure(Failed(error: error))
      default: nil
      }
    }
    return try result.get()
  }

  /// Sends a file of this content.
  func send(
    _ content: [UInt8], encrypted: Bool = false, recipients: Int = 1
  ) async throws -> (sender: FileDescription, recipients: [FileDescription]) {
    let file = newFileID()
    try await agent.sendFile(
      file, user: user, source: try write(content, file.text, encrypted: encrypted), name: "file.bin",
      recipients: recipients)
    return try await sent(file)
  }

  /// Receives a file, and returns its content.
  func receive(
    _ description: FileDescription, encrypted: Bool = false, approved: Bool = true
  ) async throws -> [UInt8] {
    let file = newFileID()
    let destination = destination(file.text, encrypted: encrypted)
    try await agent.receiveFile(
      file, user: user, description, to: destination, approvedRelays: approved)
    let size = try await received(file)
    let content = try destination.contents()
    guard content.count == size else { throw Ended() }
    return content
  }
}

func newFileID() -> AgentFileID {
  var random = SystemRandom()
  return AgentFileID.random(using: &random)
}

func randomBytes(_ count: Int) -> [UInt8] {
  var random = SystemRandom()
  return random.bytes(count)
}
