import AgentCore
import AgentProtocol
import Foundation
import SMPClientCore
import SMPProtocol
import SimplexAgent
import Testing

/// An agent on a database file, with a reader of its events.
final class TestAgent {
  struct Ended: Error {}

  let path: String
  private let options: Agent.Options
  private(set) var agent: Agent
  let user: UserID
  private var events: AgentEvents.AsyncIterator
  /// Events that no test has waited for yet.
  private var waiting: [AgentEvent] = []

  init(_ relays: LoopbackRelay..., options: Agent.Options = TestAgent.options) async throws {
    self.options = options
    path = FileManager.default.temporaryDirectory.appending(path: "agent-\(UUID().uuidString).db").path
    agent = try await Agent.open(path: path, options)
    user = try await agent.createUser(servers: relays.map(\.userServer))
    events = agent.events.makeAsyncIterator()
  }

  deinit {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  /// Short pauses, so that tests of outages are short.
  static var options: Agent.Options {
    var options = Agent.Options()
    options.network.backoff = Backoff.Policy(initial: 50, limit: 200)
    options.configuration.retry = Backoff.Policy(initial: 50, limit: 200)
    return options
  }

  /// Closes the agent and opens another one on its database.
  func restart(suspended: Bool = false, subscribing: Bool = true) async throws {
    await agent.close()
    agent = try await Agent.open(path: path, suspended: suspended, options)
    events = agent.events.makeAsyncIterator()
    waiting = []
    if subscribing { try await agent.subscribeAll() }
  }

  /// The first event, of those that were not given yet, that `select` takes; others stay.
  func next<Value>(_ select: (AgentEvent) -> Value?) async throws -> Value {
    for (index, event) in waiting.enumerated() {
      if let value = select(event) {
        waiting.remove(at: index)
        return value
      }
    }
    while let event = await events.next() {
      if let value = select(event) { return value }
      waiting.append(event)
    }
    throw Ended()
  }

  func connected(_ connection: ConnectionID) async throws -> Bool {
    try await next { event in
      if event.connection == connection, case .connected(let pq) = event.kind { pq } else { nil }
    }
  }

  func confirmation(_ connection: ConnectionID) async throws -> (ConfirmationID, info: [UInt8]) {
    try await next { event in
      guard event.connection == connection, case .confirmation(let id, _, _, let info) = event.kind else { return nil }
      return (id, info)
    }
  }

  func request() async throws -> (InvitationID, info: [UInt8]) {
    try await next { event in
      if case .request(let id, _, _, let info) = event.kind { (id, info) } else { nil }
    }
  }

  /// The next message, which is acknowledged.
  func message(_ connection: ConnectionID, receipt: [UInt8]? = nil) async throws -> (MessageMetadata, text: String) {
    let (metadata, text) = try await next { event -> (MessageMetadata, String)? in
      guard event.connection == connection, case .message(let metadata, _, let body) = event.kind else { return nil }
      return (metadata, String(decoding: body, as: UTF8.self))
    }
    try await agent.ack(connection, metadata.id, receipt: receipt)
    return (metadata, text)
  }

  @discardableResult
  func send(_ connection: ConnectionID, _ text: String) async throws -> AcceptedMessage {
    try await agent.send(connection, body: Array(text.utf8))
  }
}

/// Connects two agents by an invitation of the first.
func connect(
  _ alice: TestAgent, _ bob: TestAgent, isShort: Bool = false, pq: Bool = true
) async throws -> (alice: ConnectionID, bob: ConnectionID) {
  let options = ConnectionOptions(pq: pq)
  let data =
    isShort
    ? UserLinkData(agentVersions: AgentVersion.supported, kind: .invitation, content: Array("alice".utf8)) : nil
  let (inviting, link) = try await alice.agent.createConnection(
    alice.user, mode: .invitation, linkData: data, options: options)
  let request: ConnectionRequest
  if let short = link.short {
    request = try await bob.agent.getLinkData(bob.user, short).request
  } else {
    request = link.full
  }
  let (joining, _) = try await bob.agent.join(bob.user, request, info: Array("bob".utf8), options: options)
  let (confirmation, info) = try await alice.confirmation(inviting)
  #expect(info == Array("bob".utf8))
  try await alice.agent.allow(inviting, confirmation, info: Array("alice".utf8))
  _ = try await alice.connected(inviting)
  _ = try await bob.connected(joining)
  return (inviting, joining)
}
