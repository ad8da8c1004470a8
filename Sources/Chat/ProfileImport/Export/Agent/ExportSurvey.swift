import AgentCore
import AgentStore
import SQLiteKit
import WireCodec

/// Decides about every connection of an agent of ours, with what the chat core knows of it; see `ConnectionSurvey`.
struct ExportSurvey {
  /// Connections as the chat core sees them, by the agent's identifier as base64url.
  private var facts: [String: ChatFacts] = [:]

  private struct ChatFacts {
    let status: String
    /// Whether it belongs to a group that is not taken.
    let isOfGroup: Bool
  }

  init(_ chat: SQLiteConnection) throws(ProfileImportError) {
    var facts: [String: ChatFacts] = [:]
    do throws(SQLFailure) {
      try chat.forEach(
        """
        SELECT n.agent_conn_id, n.status, EXISTS (SELECT 1 FROM groups g \
        WHERE NOT (\(ChatExport.takenGroups)) AND g.group_id IN ((SELECT a.group_id FROM addresses a \
        WHERE a.address_id = n.address_id), (SELECT m.group_id FROM members m WHERE m.member_id = n.member_id))) \
        FROM connections n
        """
      ) { (row) throws(SQLFailure) in
        facts[try row.text(0)] = ChatFacts(
          status: try row.text(1), isOfGroup: try row.bool(2))
      }
    } catch {
      throw .database(file: "chat", error)
    }
    self.facts = facts
  }

  /// How many connections the chat core has that are not deleted, and the agent does not have.
  func missing(_ agent: AgentDatabase) throws(SQLFailure) -> Int {
    var known: Set<String> = []
    try agent.database.forEach("SELECT id FROM connections") { (row) throws(SQLFailure) in
      known.insert(Base64URL.string(try row.bytes(0)))
    }
    return facts.filter { !known.contains($0.key) && $0.value.status != "deleted" && !$0.value.isOfGroup }.count
  }

  /// What can be done with a connection.
  func fate(
    of connection: StoredConnection, named name: String, in agent: AgentDatabase
  ) throws(ProfileImportError) -> ConnectionFate {
    do throws(SQLFailure) {
      return try knownFate(of: connection, named: name, in: agent)
    } catch {
      switch error.kind {
      case .damaged, .unexpectedColumn:
        throw .value(table: "connections", column: "number", row: "\(connection.number)", reason: error.message)
      default: throw .database(file: "agent", error)
      }
    }
  }

  private func knownFate(
    of connection: StoredConnection, named name: String, in agent: AgentDatabase
  ) throws(SQLFailure) -> ConnectionFate {
    guard connection.deletion == .no, let chat = facts[name], chat.status != "deleted" else {
      return .left(.deletedConnections)
    }
    if chat.isOfGroup { return .ofGroup }
    let number = connection.number
    let receiveQueues = try agent.receiveQueues(of: number)
    let tasks = try agent.tasks(of: number)
    if connection.mode == .contact {
      if tasks.contains(where: { Self.isWork($0.kind) }) { return .left(.agentCommands) }
      return receiveQueues.isEmpty ? .left(.damagedConnections) : .address
    }
    if tasks.contains(where: { Self.isWork($0.kind) }) || receiveQueues.contains(where: { $0.switchStatus == .started })
    {
      return .left(.agentCommands)
    }
    let sendQueues = try agent.sendQueues(of: number)
    let hasRatchet = try agent.ratchet(of: number) != nil
    if hasRatchet, try isConfirmed(number, in: agent) { return .left(.handshakes) }
    if sendQueues.isEmpty, !hasRatchet {
      guard receiveQueues.count == 1, try agent.ratchetKeys(of: number) != nil else {
        return .left(.damagedConnections)
      }
      return .invitation
    }
    guard hasRatchet, !receiveQueues.isEmpty, !sendQueues.isEmpty else { return .left(.damagedConnections) }
    return tasks.allSatisfy(Self.isReadable) ? .established : .left(.outgoingMessages)
  }

  /// Whether a task is a step of connecting or a change of link data, which an export cannot hand over.
  private static func isWork(_ kind: AgentTask.Kind) -> Bool {
    switch kind {
    case .createQueue, .secureReceiveQueue, .secureSendQueue, .sendRequest, .setLink, .deleteLink: true
    // Messages are looked at; the others ask only, or only clean up at a relay, which forgets by itself.
    case .sendMessage, .sendEnvelope, .getLink, .suspendQueue, .deleteQueue, .queueInfo,
      .testServer,
      .drainQueue:
      false
    }
  }

  /// Whether the peer of a connection has confirmed, and waits for an answer.
  private func isConfirmed(_ connection: Int64, in agent: AgentDatabase) throws(SQLFailure) -> Bool {
    try agent.database.first("SELECT 1 FROM confirmations WHERE connection = ?", connection) { _ in true } ?? false
  }

  /// Whether the payload of a task can be decoded, if the task is a message; true for all other tasks.
  private static func isReadable(_ task: AgentTask) -> Bool {
    switch task.kind {
    case .sendMessage: task.lane.kind == .sendQueue && (try? SealedPayload.codec.decode(task.payload)) != nil
    case .sendEnvelope: task.lane.kind == .sendQueue && (try? EnvelopePayload.codec.decode(task.payload)) != nil
    default: true
    }
  }
}
