import AgentCore
import ChatAPI
import ChatProtocol
import ChatStore
import Foundation
import SMPProtocol
import SQLiteKit
import SimpleXChat
import SimplexAgent
import SimplexCrypto
import WireCodec

/// A profile with one or more groups whose members are connections of another agent. The connections are made by the
/// agents alone and put into the chat database, because a group that introduces 1,000 members to each other sends
/// 500,000 messages before it can be measured.
final class BenchGroup: Sendable {
  /// Beginning of the names of the databases.
  let prefix: String
  /// The database id of the group, or of the first one.
  let id: Int64
  /// The number of members besides the user, in each group.
  let members: Int
  /// The agent's database of the members.
  let peers: URL
  /// A file with a line for each member of the first group: its agent's connection and its member id.
  let roster: URL
  private let connections: [ConnectionID]

  init(members: Int, groups: Int = 1, pq: Bool = false, in folder: URL, relay: String) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    prefix = folder.appending(path: "alice").path
    peers = folder.appending(path: "peers.db")
    roster = folder.appending(path: "roster")
    self.members = members
    var options = ChatOptions(databasePrefix: prefix)
    options.smpServers = [relay]
    options.addsPresetContacts = false
    let controller = try await ChatController.open(options)
    _ = await controller.sendText("/create user alice")
    _ = await controller.sendText("/_start")
    var made: [GroupInfo] = []
    for number in 0..<groups {
      guard case .result(.response2(.groupCreated(_, let group))) = await controller.sendText("/group bench\(number)")
      else { throw BenchError.unexpected }
      made.append(group)
    }
    guard let first = made.first else { throw BenchError.unexpected }
    id = first.groupId
    await controller.finish()
    let pairs = try await Self.connect(
      members * groups, pq: pq, own: options.agentDatabase, peers: peers.path, relay: relay)
    connections = pairs.map(\.peer)
    for (number, group) in made.enumerated() {
      let part = pairs[(number * members)..<((number + 1) * members)]
      let ids = try Self.store(part.map(\.own), pq: pq, in: group, options.chatDatabase)
      guard number == 0 else { continue }
      let lines = zip(part, ids).map { "\(Base64URL.string($0.peer.bytes)) \($1)" }
      try lines.joined(separator: "\n").write(to: roster, atomically: true, encoding: .utf8)
    }
  }

  /// The bytes of the write-ahead logs of both databases.
  var logBytes: Int {
    ["_chat.db-wal", "_agent.db-wal"].reduce(0) { sum, name in
      sum + (((try? FileManager.default.attributesOfItem(atPath: prefix + name))?[.size] as? Int) ?? 0)
    }
  }

  /// - Parameter times: measures the transactions.
  func open(times: TransactionTimes? = nil) async throws -> ChatController { try await Self.open(prefix, times: times) }

  static func open(_ prefix: String, times: TransactionTimes? = nil) async throws -> ChatController {
    var options = ChatOptions(databasePrefix: prefix)
    options.transactionTimes = times
    options.addsPresetContacts = false
    let controller = try await ChatController.open(options)
    guard case .result = await controller.sendText("/_start") else { throw BenchError.unexpected }
    return controller
  }

  /// Sends a message to the group, and returns its item.
  func post(_ text: String, with controller: ChatController) async throws -> Int64 {
    let command = ChatCommand.apiSendMessages(
      type: .group, id: id, scope: nil, live: false, ttl: nil,
      composedMessages: [ComposedMessage(msgContent: .text(text))])
    guard case .result(.response1(.newChatItems(_, let items))) = await controller.send(command),
      let item = items.first
    else { throw BenchError.unexpected }
    return item.chatItem.meta.itemId
  }

  /// Waits until the relay has the message for every member.
  func delivered(_ item: Int64, by controller: ChatController) async throws {
    while let event = await controller.eventQueue.next(within: .seconds(60)) {
      guard case .result(.chatItemsStatusesUpdated(_, let items)) = event else { continue }
      for changed in items where changed.chatItem.meta.itemId == item {
        if case .sndSent(.complete) = changed.chatItem.meta.itemStatus { return }
      }
    }
    throw BenchError.unexpected
  }

  /// Sends messages of the members, the same number of each, and returns when the relay has them.
  func sendFromMembers(_ count: Int) async throws {
    let agent = try await Agent.open(path: peers.path)
    try await agent.subscribeAll()
    let round = count / connections.count
    for _ in 0..<round {
      var random = SystemRandom()
      var bodies: [[UInt8]] = []
      for _ in connections {
        let message = ChatMessage(
          msgId: SharedMsgId(random: random.bytes(12)),
          event: .msgNew(MsgContainer(content: .text("Yes, let us have tea at five."))))
        bodies.append(try MessageBody.encode(message))
      }
      let messages = connections.enumerated().map { index, connection in
        OutgoingMessage(to: connection, bodyIndex: index)
      }
      for result in try await agent.send(messages, bodies: bodies) { _ = try result.get() }
    }
    var left = round * connections.count
    for await event in agent.events {
      if let id = event.id { try await agent.confirmEvents(through: id) }
      switch event.kind {
      case .sent: left -= 1
      case .message(let metadata, _, _):
        if let connection = event.connection { try await agent.ack(connection, metadata.id) }
      default: break
      }
      if left == 0 { break }
    }
    await agent.close()
  }

  /// Adds items and members that the database only shows.
  func fill(items: Int, members: Int) throws {
    let store = try ChatDatabase(path: ChatOptions(databasePrefix: prefix).chatDatabase)
    defer { store.close() }
    let user = try store.read { try $0.users()[0] }
    let known = try store.read { try $0.members(ofGroup: self.id) }
    for start in stride(from: 0, to: items, by: 1_000) {
      try store.transaction { rows in
        for number in start..<min(items, start + 1_000) {
          var new = NewItem(
            chat: ChatRef(chatType: .group, chatId: id),
            content: .rcvMsgContent(msgContent: .text("Shall we have tea \(number) times?")),
            sharedMsgId: "c2hhcmVk\(number)")
          new.memberId = known[number % known.count].groupMemberId
          new.status = .rcvRead
          _ = try rows.createItem(new, of: user)
        }
      }
    }
    try store.transaction { rows in
      for number in 0..<members { _ = try Self.member("extra\(number)", of: id, user, in: rows) }
    }
  }

  // MARK: Making

  private static func connect(
    _ count: Int, pq: Bool, own: String, peers: String, relay: String
  ) async throws -> [(own: ConnectionID, peer: ConnectionID)] {
    let address = try SMPServerAddress.textCodec.decode(text: relay)
    let servers = [AgentUserServer(ServerWithAuth(server: address, basicAuth: nil))]
    let (alice, members) = (try await Agent.open(path: own), try await Agent.open(path: peers))
    let memberUser = try await members.createUser(servers: servers)
    let user = UserID(rawValue: 1)
    try await alice.setServers(servers, for: user)
    async let connected: Void = allowAll(count, by: alice)
    async let joined: Void = readUntilConnected(count, by: members)
    var pairs: [(own: ConnectionID, peer: ConnectionID)] = []
    let options = ConnectionOptions(pq: pq)
    for _ in 0..<count {
      let (id, link) = try await alice.createConnection(user, mode: .invitation, options: options)
      let (other, _) = try await members.join(memberUser, link.full, info: [], options: options)
      pairs.append((id, other))
    }
    try await connected
    try await joined
    await alice.close()
    await members.close()
    return pairs
  }

  private static func allowAll(_ count: Int, by agent: Agent) async throws {
    var left = count
    for await event in agent.events {
      if let id = event.id { try await agent.confirmEvents(through: id) }
      guard let connection = event.connection else { continue }
      if case .confirmation(let id, _, _, _) = event.kind { try await agent.allow(connection, id, info: []) }
      if case .connected = event.kind { left -= 1 }
      if left == 0 { return }
    }
  }

  private static func readUntilConnected(_ count: Int, by agent: Agent) async throws {
    var left = count
    for await event in agent.events {
      if let id = event.id { try await agent.confirmEvents(through: id) }
      if case .connected = event.kind { left -= 1 }
      if left == 0 { return }
    }
  }

  /// Stores connections as those of members, and returns the member ids.
  private static func store(
    _ connections: [ConnectionID], pq: Bool, in group: GroupInfo, _ path: String
  ) throws -> [String] {
    let store = try ChatDatabase(path: path)
    defer { store.close() }
    let user = try store.read { try $0.users()[0] }
    return try store.transaction { rows in
      try connections.enumerated().map { number, connection in
        let member = try Self.member("member\(number)", of: group.groupId, user, in: rows)
        var new = NewConnection(
          agentConnId: Base64URL.string(connection.bytes), entity: .member(member), chatVersion: 16,
          peerVersions: VersionRange(1, 16))
        new.pqSupport = pq
        try rows.setStatus(.ready, ofConnection: try rows.createConnection(new, of: user).connId)
        return try rows.member(member, of: user).memberId
      }
    }
  }

  private static func member(
    _ name: String, of group: Int64, _ user: User, in rows: ChatTransaction
  ) throws -> Int64 {
    var random = SystemRandom()
    return try rows.createMember(
      NewMember(
        groupId: group, identity: .profile(Profile(displayName: name, fullName: "")),
        memberId: MemberId(random: random.bytes(12)).text, role: .member, category: .inviteeMember,
        status: .memConnected, versions: VersionRange(1, 16)), of: user)
  }
}
