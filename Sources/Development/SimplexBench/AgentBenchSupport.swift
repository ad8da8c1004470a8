import AgentCore
import Foundation
import QueueStore
import SMPProtocol
import SMPServer
import SimplexAgent
import SimplexTransport

/// A relay in this process, with a durable store.
struct BenchRelay: Sendable {
  let server: RelayServer
  let address: SMPServerAddress

  /// - Parameter quota: the number of messages that a queue holds.
  static func start(in folder: URL, quota: Int = 2_000) async throws -> BenchRelay {
    let certificates = RelayCertificates(folder: folder.path)
    try certificates.create(commonName: "localhost", algorithm: .ed25519)
    var configuration = SMPServerConfiguration(host: "127.0.0.1", ports: [0], credential: try certificates.credential())
    configuration.queueQuota = quota
    configuration.proxy?.allowsPrivateAddresses = true
    let store = try SQLiteQueueStore(path: folder.appending(path: "queues.db").path)
    let server = try await RelayServer.start(configuration, store: store)
    let host = try TransportHost.textCodec.decode(text: "127.0.0.1")
    let address = SMPServerAddress(host, port: server.ports.first.flatMap(UInt16.init), keyHash: server.fingerprint)
    return BenchRelay(server: server, address: address)
  }
}

/// An agent with a reader that passes each kind of event to its waiter.
final class BenchAgent: Sendable {
  let agent: Agent
  let user: UserID
  private let confirmations: Mailbox<(ConnectionID, ConfirmationID)>
  private let connections: Mailbox<ConnectionID>
  private let messages: Mailbox<(ConnectionID, AgentMessageID)>

  init(_ database: URL, _ relay: BenchRelay) async throws {
    let agent = try await Agent.open(path: database.path)
    self.agent = agent
    let servers = [AgentUserServer(ServerWithAuth(server: relay.address, basicAuth: nil))]
    do {
      user = UserID(rawValue: 1)
      try await agent.setServers(servers, for: user)
    } catch AgentError.noUser {
      _ = try await agent.createUser(servers: servers)
    }
    let confirmations = Mailbox<(ConnectionID, ConfirmationID)>()
    let connections = Mailbox<ConnectionID>()
    let messages = Mailbox<(ConnectionID, AgentMessageID)>()
    self.confirmations = confirmations
    self.connections = connections
    self.messages = messages
    try await agent.subscribeAll()
    Task {
      for await event in agent.events {
        if let id = event.id { try? await agent.confirmEvents(through: id) }
        guard let connection = event.connection else { continue }
        switch event.kind {
        case .confirmation(let id, _, _, _): confirmations.put((connection, id))
        case .connected: connections.put(connection)
        case .message(let metadata, _, _): messages.put((connection, metadata.id))
        default: break
        }
      }
    }
  }

  func allowAndConnect(_ connection: ConnectionID) async throws {
    let (_, confirmation) = try await confirmations.take { $0.0 == connection }
    try await agent.allow(connection, confirmation, info: [])
    try await connected(connection)
  }

  func connected(_ connection: ConnectionID) async throws { _ = try await connections.take { $0 == connection } }

  /// Reads and acknowledges the next message; of any connection for nil.
  func receive(_ connection: ConnectionID?) async throws {
    let (from, id) = try await messages.take { connection == nil || $0.0 == connection }
    try await agent.ack(from, id)
  }
}

/// Values for one reader at a time.
private final class Mailbox<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let sink: AsyncStream<Value>.Continuation

  init() { (stream, sink) = AsyncStream.makeStream() }

  func put(_ value: Value) { sink.yield(value) }

  /// The next value that satisfies the condition; others are dropped.
  func take(_ fits: (Value) -> Bool) async throws -> Value {
    for await value in stream where fits(value) { return value }
    throw BenchError.noServer
  }
}

/// `agent-peer` in a separate process; the program has to be beside this one.
final class PeerProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var text = ""

  init(_ database: URL, _ relay: BenchRelay) throws {
    process.executableURL = RelayProgram.program("agent-peer")
    process.arguments = [database.path, relay.address.description]
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch { throw BenchError.peer("agent-peer cannot be started") }
  }

  /// The rest of the next line that begins with a word.
  func read(_ word: String) throws -> String {
    while true {
      while let end = text.firstIndex(of: "\n") {
        let line = text[..<end]
        text = String(text[text.index(after: end)...])
        if line.hasPrefix("failed ") { throw BenchError.peer("agent-peer \(line)") }
        if line.hasPrefix(word + " ") { return String(line.dropFirst(word.count + 1)) }
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw BenchError.peer("agent-peer has ended") }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  /// Resident memory in KiB.
  func memory() throws -> (now: Int, peak: Int) {
    try input.fileHandleForWriting.write(contentsOf: Data("memory\n".utf8))
    let words = try read("memory").split(separator: " ").compactMap { Int($0) }
    guard words.count == 2 else { throw BenchError.peer("agent-peer answers in another way") }
    return (words[0], words[1])
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
