import ChatAPI
import SQLiteKit

/// A command for the agent as it is stored.
public struct StoredAgentCommand: Hashable, Sendable {
  /// Its number, which grows from command to command and is never used twice.
  public var id: Int64
  /// The agent's identifier of the connection, base64url; empty where it is about none.
  public var agentConnId: String
  /// The kind of command; the chat core defines the numbers.
  public var kind: Int
  /// Whether it follows up a command of the user that was interrupted, to continue or undo it: only the next start
  /// carries it out.
  public var isFollowUp: Bool
  /// Its parameters, encoded.
  public var payload: [UInt8]
  /// The body of a message.
  public var body: [UInt8]

  /// A command of these parts.
  public init(id: Int64, agentConnId: String, kind: Int, isFollowUp: Bool, payload: [UInt8], body: [UInt8]) {
    self.id = id
    self.agentConnId = agentConnId
    self.kind = kind
    self.isFollowUp = isFollowUp
    self.payload = payload
    self.body = body
  }
}

private let commandQuery = """
  SELECT c.command_id, c.agent_conn_id, c.kind, c.is_follow_up, c.payload, p.body FROM agent_commands c \
  LEFT JOIN packets p ON p.packet_id = c.packet_id WHERE c.command_id > ?1 AND (c.is_follow_up = 0 OR c.command_id <= ?2) \
  ORDER BY c.command_id LIMIT ?3
  """

/// Commands for the agent.
///
/// A command is stored in the transaction that stores its other effects, given to the agent when that transaction is
/// durable, and removed when the agent has taken it. After a crash it is given again, and the agent recognizes it by
/// its number or by the identifier of its connection.
extension ChatTransaction {
  /// Stores the body of a message, for one or more commands.
  public func addPacket(_ body: [UInt8]) throws(StoreError) -> Int64 {
    try insert("INSERT INTO packets (body) VALUES (?)", body)
  }

  /// Stores a command, and returns its number.
  public func addCommand(
    agentConnId: String, kind: Int, isFollowUp: Bool = false, payload: [UInt8], packet: Int64? = nil
  ) throws(StoreError) -> Int64 {
    try insert(
      """
      INSERT INTO agent_commands (agent_conn_id, kind, is_follow_up, payload, packet_id, created_at) \
      VALUES (?, ?, ?, ?, ?, ?)
      """, agentConnId, kind, isFollowUp, payload, packet, nowMicroseconds)
  }

  /// The commands after the one with this number, in order.
  /// - Parameter lastFollowUp: the number up to which follow-ups (``StoredAgentCommand/isFollowUp``) are included.
  public func commands(
    after id: Int64, lastFollowUp: Int64 = 0, limit: Int
  ) throws(StoreError) -> [StoredAgentCommand] {
    try all(commandQuery, id, lastFollowUp, limit) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return StoredAgentCommand(
        id: try row.integer(&at), agentConnId: try row.text(&at), kind: try row.int(&at), isFollowUp: try row.bool(&at),
        payload: try row.bytes(at.next()), body: try row.optionalBytes(at.next()) ?? [])
    }
  }

  /// The number of the newest follow-up; 0 for none.
  public func lastFollowUp() throws(StoreError) -> Int64 {
    try integer("SELECT max(command_id) FROM agent_commands WHERE is_follow_up = 1") ?? 0
  }

  /// Removes a command, and its body unless another command needs it.
  public func removeCommand(_ id: Int64) throws(StoreError) {
    let packet = try integer("SELECT packet_id FROM agent_commands WHERE command_id = ?", id)
    try execute("DELETE FROM agent_commands WHERE command_id = ?", id)
    if let packet { try removeUnusedPacket(packet) }
  }

  /// Removes commands, and their bodies unless other commands need them.
  public func removeCommands(_ ids: [Int64]) throws(StoreError) {
    let column = ids.column
    let packets = try integers(
      """
      SELECT DISTINCT packet_id FROM agent_commands WHERE command_id IN (SELECT value FROM json_each(?)) \
      AND packet_id IS NOT NULL
      """, column)
    try execute("DELETE FROM agent_commands WHERE command_id IN (SELECT value FROM json_each(?))", column)
    for packet in packets { try removeUnusedPacket(packet) }
  }

  /// Removes all commands about a connection.
  public func removeCommands(agentConnId: String) throws(StoreError) {
    try removeCommands(try integers("SELECT command_id FROM agent_commands WHERE agent_conn_id = ?", agentConnId))
  }

  /// The commands with bodies about the connections of a contact, or of a group's members, with the numbers of these.
  public func unsentMessages(to chat: ChatRef) throws(StoreError) -> [(command: Int64, packet: Int64)] {
    let connections =
      chat.chatType == .group
      ? "JOIN members m ON m.member_id = n.member_id WHERE m.group_id = ?" : "WHERE n.contact_id = ?"
    return try all(
      """
      SELECT c.command_id, c.packet_id FROM agent_commands c CROSS JOIN connections n \
      ON n.agent_conn_id = c.agent_conn_id \(connections) AND c.packet_id IS NOT NULL
      """, chat.chatId
    ) { (row) throws(SQLFailure) in (command: try row.integer(0), packet: try row.integer(1)) }
  }

  /// The stored body with this number.
  public func packet(_ id: Int64) throws(StoreError) -> [UInt8] {
    let body = try first("SELECT body FROM packets WHERE packet_id = ?", id) {
      (row) throws(SQLFailure) in try row.bytes(0)
    }
    return body ?? []
  }

  /// Whether a command is still stored.
  public func hasCommand(_ id: Int64) throws(StoreError) -> Bool {
    try integer("SELECT 1 FROM agent_commands WHERE command_id = ?", id) != nil
  }

  /// Whether there are commands of these kinds about a connection.
  public func hasCommands(agentConnId: String, kinds: [Int]) throws(StoreError) -> Bool {
    try !numbers(agentConnId: agentConnId, kinds: kinds).isEmpty
  }

  /// Removes the commands of these kinds about a connection; false where there are none.
  public func removeCommands(agentConnId: String, kinds: [Int]) throws(StoreError) -> Bool {
    let found = try numbers(agentConnId: agentConnId, kinds: kinds)
    for id in found { try removeCommand(id) }
    return !found.isEmpty
  }

  /// The stored commands that are about no connection, in order.
  public func commandsAboutNoConnection() throws(StoreError) -> [StoredAgentCommand] {
    try commands(agentConnId: "")
  }

  /// The stored commands of these kinds about a connection, in order, without bodies.
  public func commands(agentConnId: String, kinds: [Int]) throws(StoreError) -> [StoredAgentCommand] {
    try commands(agentConnId: agentConnId).filter { kinds.contains($0.kind) }
  }

  private func commands(agentConnId: String) throws(StoreError) -> [StoredAgentCommand] {
    try all(
      """
      SELECT command_id, agent_conn_id, kind, is_follow_up, payload FROM agent_commands WHERE agent_conn_id = ? \
      ORDER BY command_id
      """, agentConnId
    ) { (row) throws(SQLFailure) in
      var at = ColumnIndex()
      return StoredAgentCommand(
        id: try row.integer(&at), agentConnId: try row.text(&at), kind: try row.int(&at), isFollowUp: try row.bool(&at),
        payload: try row.bytes(at.next()), body: [])
    }
  }

  private func numbers(agentConnId: String, kinds: [Int]) throws(StoreError) -> [Int64] {
    var found: [Int64] = []
    for kind in kinds {
      found += try integers(
        "SELECT command_id FROM agent_commands WHERE agent_conn_id = ? AND kind = ?", agentConnId, kind)
    }
    return found
  }

  // MARK: The items of messages

  /// Stores which items the message of a command is about.
  public func addDelivery(command: Int64, items: [Int64]) throws(StoreError) {
    for item in items {
      try execute("INSERT OR IGNORE INTO deliveries (command_id, item_id) VALUES (?, ?)", command, item)
    }
  }

  /// The items that the message of a command is about.
  public func items(ofCommand id: Int64) throws(StoreError) -> [Int64] {
    try integers("SELECT item_id FROM deliveries WHERE command_id = ? ORDER BY item_id", id)
  }
}
