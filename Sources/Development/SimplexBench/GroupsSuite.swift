import ChatAPI
import Foundation
import SimpleXChat

/// A group of 1,000 members: one chat controller in this process, and a relay in a separate one, over TLS on loopback.
/// The members are connections of one agent, which is away while the controller sends. All databases are files, and
/// every commit is durable.
@Sendable func groupsSuite(_ bench: Bench) async throws {
  try await withGroups(members: 1_000) { group, _ in
    try await measureStorage(bench, group)
    try await measureSending(bench, group)
    try await measureReceiving(bench, group)
    try await measureReading(bench, group)
  }
}

/// The same with post-quantum encryption, whose keys and ciphertexts make headers and ratchets larger.
@Sendable func postQuantumGroupsSuite(_ bench: Bench) async throws {
  try await withGroups(members: 1_000, pq: true) { group, _ in
    try await measureStorage(bench, group, goal: nil)
    try await measureSending(bench, group)
    try await measureReceiving(bench, group)
  }
}

/// Somebody joins a group of 1,000 members.
@Sendable func groupJoiningSuite(_ bench: Bench) async throws {
  try await withGroups(members: 1_000) { group, relay in try await measureJoining(bench, group, relay: relay) }
}

/// 20 groups of 200 members where nothing happens.
@Sendable func idleGroupsSuite(_ bench: Bench) async throws {
  try await withGroups(members: 200, groups: 20) { group, _ in try await measureIdling(bench, group) }
}

/// Makes groups in a folder of their own, with a relay, and removes all of it afterwards.
private func withGroups(
  members: Int, groups: Int = 1, pq: Bool = false, _ body: (BenchGroup, _ relay: String) async throws -> Void
) async throws {
  let relay = try ServerProcess("relay")
  defer { relay.stop() }
  guard let address = relay.greeting.first else { throw BenchError.noServer }
  let folder = FileManager.default.temporaryDirectory.appending(path: "groups-bench-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(try await BenchGroup(members: members, groups: groups, pq: pq, in: folder, relay: address), address)
}

private func measureSending(_ bench: Bench, _ group: BenchGroup) async throws {
  let controller = try await group.open()
  let clock = ContinuousClock()
  for _ in 0..<3 {
    try await group.delivered(try await group.post("The logs grow to their size.", with: controller), by: controller)
  }
  var (commands, all): ([Double], [Double]) = ([], [])
  let logs = group.logBytes
  let processor = processorSeconds()
  let count = 15
  for _ in 0..<count {
    let start = clock.now
    let item = try await group.post("Shall we have tea at five?", with: controller)
    commands.append((clock.now - start).inSeconds * 1_000)
    try await group.delivered(item, by: controller)
    all.append((clock.now - start).inSeconds)
  }
  let members = Double(count * group.members)
  bench.record(
    "a message to \(group.members) members: the command, median", commands.median, unit: "ms", goal: 30,
    lessIsBetter: true)
  bench.record("until the relay has the last copy, median", all.median, unit: "s", goal: 1.5, lessIsBetter: true)
  bench.record(
    "processor time of the client for each member", (processorSeconds() - processor) / members * 1_000, unit: "ms",
    goal: 0.4, lessIsBetter: true)
  // Logs are reused, so this is what they grew by, not all that was written.
  bench.record("growth of both logs meanwhile", Double(group.logBytes - logs) / 1e6, unit: "MB", lessIsBetter: true)
  await controller.finish()
}

private func measureReceiving(_ bench: Bench, _ group: BenchGroup) async throws {
  let count = 10_000
  try await group.sendFromMembers(count)
  let reader = try ServerProcess("group-member", arguments: [group.prefix, String(count)])
  defer { reader.stop() }
  guard let seconds = reader.greeting.first.flatMap(Double.init) else { throw BenchError.noServer }
  bench.record("messages of \(group.members) members, received", Double(count) / seconds, unit: "/s", goal: 400)
  bench.record(
    "resident memory of the process afterwards", reader.residentBytes / 1e6, unit: "MB", goal: 40, lessIsBetter: true)
  bench.record("of it without pages of files", reader.privateBytes / 1e6, unit: "MB", lessIsBetter: true)
}

/// Opens the controller of the prefix in the arguments, receives as many messages as they say, and reports the seconds.
@Sendable func serveGroupMember() async throws {
  guard CommandLine.arguments.count == 5, let count = Int(CommandLine.arguments[4]) else { throw BenchError.noServer }
  let clock = ContinuousClock()
  let start = clock.now
  let controller = try await BenchGroup.open(CommandLine.arguments[3])
  var left = count
  while left > 0 {
    guard let event = await controller.eventQueue.next() else { throw BenchError.unexpected }
    guard case .result(.newChatItems(_, let items)) = event else { continue }
    for item in items { if case .rcvMsgContent = item.chatItem.content { left -= 1 } }
  }
  ServerProcess.announce("\((clock.now - start).inSeconds)")
  await ServerProcess.waitForParent()
  await controller.finish()
}

private func measureReading(_ bench: Bench, _ group: BenchGroup) async throws {
  try group.fill(items: 90_000, members: 4_000)
  let controller = try await group.open()
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<50 {
    let start = clock.now
    let command = ChatCommand.apiGetChat(
      chatId: "#\(group.id)", scope: nil, contentTag: nil, pagination: .last(count: 50), search: "")
    guard case .result(.response0(.apiChat(_, let chat, _))) = await controller.send(command),
      chat.chatItems.count == 50
    else { throw BenchError.unexpected }
    times.append((clock.now - start).inSeconds * 1_000)
  }
  bench.record(
    "last 50 of 100,000 items, typed, median", times.median, unit: "ms", goal: 3, lessIsBetter: true)
  times = []
  for _ in 0..<20 {
    let start = clock.now
    guard
      case .result(.response2(.groupMembers(_, let found))) = await controller.send(.apiListMembers(groupId: group.id))
    else { throw BenchError.unexpected }
    times.append((clock.now - start).inSeconds * 1_000)
    guard found.members.count == group.members + 4_000 else { throw BenchError.unexpected }
  }
  bench.record("list of 5,000 members, typed, median", times.median, unit: "ms", goal: 20, lessIsBetter: true)
  times = []
  for _ in 0..<20 {
    let start = clock.now
    blackHole(await controller.sendText("/_members #\(group.id)").jsonBytes())
    times.append((clock.now - start).inSeconds * 1_000)
  }
  bench.record("the same as text and JSON, median", times.median, unit: "ms", lessIsBetter: true)
  await controller.finish()
}

extension [Double] {
  fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
