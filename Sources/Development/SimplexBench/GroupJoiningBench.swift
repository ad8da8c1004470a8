import AgentCore
import AgentProtocol
import ChatAPI
import ChatProtocol
import Foundation
import SMPProtocol
import SQLiteKit
import SimpleXChat
import SimplexAgent
import WireCodec

// Somebody joins a large group by its link: the host in this process, the newcomer in another one. The members are one
// agent in a third, which answers for each of them as a chat client does.

/// Measures what the host does until all members are introduced, and until all are connected with the newcomer.
func measureJoining(_ bench: Bench, _ group: BenchGroup, relay: String) async throws {
  let times = TransactionTimes()
  let controller = try await group.open(times: times)
  guard
    case .result(.response2(.groupLinkCreated(_, _, let link))) = await controller.send(
      .apiCreateGroupLink(groupId: group.id, memberRole: .member))
  else { throw BenchError.unexpected }
  let peers = try ServerProcess("group-peers", arguments: [group.peers.path, group.roster.path])
  defer { peers.stop() }
  let result = group.prefix + ".newcomer"
  let newcomer = try ServerProcess(
    "group-newcomer", arguments: [result, relay, link.connLinkContact.connFullLink, String(group.members)])
  defer { newcomer.stop() }
  let responses = Task { try await longestResponse(controller) }
  let start = processorSeconds()
  var isJoined = false
  while !isJoined, let event = await controller.eventQueue.next() {
    if case .result(.joinedGroupMember) = event { isJoined = true }
  }
  let events = Task { while await controller.eventQueue.next() != nil {} }
  while try await query("SELECT count(*) FROM jobs", of: "chat", by: controller) > 0 {
    try await Task.sleep(for: .milliseconds(5))
  }
  bench.record(
    "a newcomer: processor time of the host until introductions are stored", processorSeconds() - start, unit: "s",
    goal: 1, lessIsBetter: true)
  // Seconds, the longest response and the longest transactions of the newcomer.
  var measured: [Double] = []
  while measured.count < 4 {
    try await Task.sleep(for: .milliseconds(100))
    measured = ((try? String(contentsOfFile: result, encoding: .utf8)) ?? "").split(separator: " ").compactMap {
      Double($0)
    }
  }
  bench.record("until the newcomer is connected with all", measured.first ?? 0, unit: "s", goal: 20, lessIsBetter: true)
  bench.record(
    "processor time of the host in all", processorSeconds() - start, unit: "s", goal: 5, lessIsBetter: true)
  responses.cancel()
  let response = try await responses.value
  for (who, values) in [("host", [response] + times.milliseconds), ("newcomer", Array(measured.dropFirst()))] {
    for (what, value) in zip(["response to a command", "transaction of the chats", "transaction of the agent"], values)
    {
      bench.record("longest \(what) meanwhile, \(who)", value, unit: "ms", goal: 100, lessIsBetter: true)
    }
  }
  await controller.finish()
  await events.value
}

/// Reads the list of users again and again until the task is cancelled; the milliseconds of the slowest response, which
/// waits for the turn of something else.
private func longestResponse(_ controller: ChatController) async throws -> Double {
  let clock = ContinuousClock()
  var longest = 0.0
  while !Task.isCancelled {
    let start = clock.now
    guard case .result = await controller.send(.listUsers) else { throw BenchError.unexpected }
    longest = max(longest, (clock.now - start).inSeconds * 1_000)
    try? await Task.sleep(for: .milliseconds(25))
  }
  return longest
}

extension TransactionTimes {
  /// The longest transactions of the chat database and of the agent's.
  fileprivate var milliseconds: [Double] { [.chat, .agent].map { longest(of: $0).inSeconds * 1_000 } }
}

/// Joins by the link in the arguments, and writes the seconds to a file, when as many members are connected as they
/// say, with the milliseconds of the longest response to a command and of the longest transactions.
@Sendable func serveGroupNewcomer() async throws {
  guard CommandLine.arguments.count == 7, let count = Int(CommandLine.arguments[6]) else { throw BenchError.noServer }
  let result = CommandLine.arguments[3]
  var options = ChatOptions(databasePrefix: result + ".db")
  options.smpServers = [CommandLine.arguments[4]]
  options.addsPresetContacts = false
  let times = TransactionTimes()
  options.transactionTimes = times
  let controller = try await ChatController.open(options)
  _ = await controller.sendText("/create user bob")
  _ = await controller.sendText("/_start")
  ServerProcess.announce("ready")
  let clock = ContinuousClock()
  let start = clock.now
  guard case .result = await controller.sendText("/_connect 1 \(CommandLine.arguments[5])") else {
    throw BenchError.unexpected
  }
  let responses = Task { try await longestResponse(controller) }
  var left = count
  while left > 0, let event = await controller.eventQueue.next() {
    if case .result(.connectedToGroupMember) = event { left -= 1 }
  }
  let seconds = (clock.now - start).inSeconds
  responses.cancel()
  let measured = [seconds, try await responses.value] + times.milliseconds
  try measured.map { "\($0)" }.joined(separator: " ").write(toFile: result, atomically: true, encoding: .utf8)
  let reading = Task { for await _ in controller.events {} }
  await ServerProcess.waitForParent()
  reading.cancel()
  await controller.finish()
}

/// Answers for members: joins the links of newcomers that the host forwards, and tells the host when they are
/// connected. The arguments are the agent's database and the file with the members' ids.
@Sendable func serveGroupPeers() async throws {
  guard CommandLine.arguments.count == 5 else { throw BenchError.noServer }
  let agent = try await Agent.open(path: CommandLine.arguments[3])
  var members: [ConnectionID: String] = [:]
  for line in try String(contentsOfFile: CommandLine.arguments[4], encoding: .utf8).split(separator: "\n") {
    let parts = line.split(separator: " ").map(String.init)
    guard parts.count == 2, let id = Base64URL.decode(parts[0]) else { throw BenchError.unexpected }
    members[ConnectionID(id)] = parts[1]
  }
  guard let user = try await agent.users().first else { throw BenchError.unexpected }
  try await agent.subscribeAll()
  ServerProcess.announce("ready")
  let answering = Task { try await answer(for: members, of: user, by: agent) }
  await ServerProcess.waitForParent()
  answering.cancel()
  await agent.close()
}

private func answer(for members: [ConnectionID: String], of user: UserID, by agent: Agent) async throws {
  // The connection of a member with the host, and the newcomer, for each connection that is being made.
  var joining: [ConnectionID: (host: ConnectionID, newcomer: MemberId)] = [:]
  for await event in agent.events {
    if let id = event.id { try await agent.confirmEvents(through: id) }
    guard let connection = event.connection else { continue }
    switch event.kind {
    case .message(let metadata, _, let body):
      try await agent.ack(connection, metadata.id)
      guard let id = members[connection].flatMap({ MemberId(text: $0) }) else { continue }
      for case .success(let element) in MessageBody.parse(body) {
        guard case .message(let message) = element.content, case .grpMemFwd(let info, let intro) = message.event else {
          continue
        }
        let own = ChatMessage(
          event: .grpMemInfo(memberId: id, profile: Profile(displayName: "member\(joining.count)", fullName: "")))
        let new = try await agent.joinAsync(
          user, intro.groupConnReq, info: try MessageBody.encode(own), options: ConnectionOptions(pq: false))
        joining[new] = (connection, info.memberId)
      }
    case .connected:
      guard let made = joining[connection] else { continue }
      let message = ChatMessage(event: .grpMemCon(memberId: made.newcomer))
      _ = try await agent.send(made.host, body: try MessageBody.encode(message))
    default: break
    }
  }
}
