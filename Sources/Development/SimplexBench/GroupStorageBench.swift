import ChatAPI
import Foundation
import SimpleXChat

// What a message to a group takes in the databases until it is sent, and what groups take where nothing happens.

/// Measures what a message takes in both databases while there is no network.
func measureStorage(_ bench: Bench, _ group: BenchGroup, goal: Double? = 1_000) async throws {
  let controller = try await group.open()
  // The databases grow by whole pages, so several messages are measured together.
  for _ in 0..<2 {
    try await group.delivered(try await group.post("The tables get their pages.", with: controller), by: controller)
  }
  try await setNetwork(online: false, controller)
  let before = try await usedBytes(controller)
  let count = 5
  var last: Int64 = 0
  for _ in 0..<count { last = try await group.post("Shall we have tea at five?", with: controller) }
  let isTaken = { try await query("SELECT count(*) FROM agent_commands", of: "chat", by: controller) == 0 }
  while try await !isTaken() { try await Task.sleep(for: .milliseconds(50)) }
  let after = try await usedBytes(controller)
  let members = Double(count * group.members)
  bench.record(
    "stored for each member until it is sent", Double(after.chat + after.agent - before.chat - before.agent) / members,
    unit: "B", goal: goal, lessIsBetter: true)
  bench.record(
    "of it in the database of chats", Double(after.chat - before.chat) / members, unit: "B", lessIsBetter: true)
  try await setNetwork(online: true, controller)
  try await group.delivered(last, by: controller)
  await controller.finish()
}

/// Measures subscribing to many connections, and the memory of a process that only keeps them.
func measureIdling(_ bench: Bench, _ group: BenchGroup) async throws {
  let process = try ServerProcess("group-idle", arguments: [group.prefix, "4000"])
  defer { process.stop() }
  guard let seconds = process.greeting.first.flatMap(Double.init) else { throw BenchError.noServer }
  bench.record("20 groups of 200 members: opened and subscribed", seconds, unit: "s", goal: 1, lessIsBetter: true)
  // Memory is released after some idle seconds.
  try await Task.sleep(for: .seconds(6))
  bench.record("resident memory when idle", process.residentBytes / 1e6, unit: "MB", goal: 40, lessIsBetter: true)
  bench.record("of it without pages of files", process.privateBytes / 1e6, unit: "MB", lessIsBetter: true)
}

/// Opens the controller of the prefix in the arguments, reports the seconds until as many connections are subscribed as
/// they say, and keeps them.
@Sendable func serveIdleGroups() async throws {
  guard CommandLine.arguments.count == 5, let count = Int(CommandLine.arguments[4]) else { throw BenchError.noServer }
  let clock = ContinuousClock()
  let start = clock.now
  let controller = try await BenchGroup.open(CommandLine.arguments[3])
  var left = count
  while left > 0, let event = await controller.eventQueue.next() {
    if case .result(.subscriptionStatus(_, .active, let connections)) = event { left -= connections.count }
  }
  ServerProcess.announce("\((clock.now - start).inSeconds)")
  let reading = Task { for await _ in controller.events {} }
  await ServerProcess.waitForParent()
  reading.cancel()
  await controller.finish()
}

/// Switches the network of a controller.
private func setNetwork(online: Bool, _ controller: ChatController) async throws {
  let command = ChatCommand.apiSetNetworkInfo(
    networkInfo: UserNetworkInfo(networkType: online ? .ethernet : .none, online: online))
  guard case .result = await controller.send(command) else { throw BenchError.unexpected }
}

/// The bytes of the used pages of both databases.
private func usedBytes(_ controller: ChatController) async throws -> (chat: Int, agent: Int) {
  func used(_ database: String) async throws -> Int {
    let pages = try await query("PRAGMA page_count", of: database, by: controller)
    let free = try await query("PRAGMA freelist_count", of: database, by: controller)
    return (pages - free) * (try await query("PRAGMA page_size", of: database, by: controller))
  }
  return (try await used("chat"), try await used("agent"))
}

/// The number that a query of one of the databases returns.
func query(_ sql: String, of database: String, by controller: ChatController) async throws -> Int {
  guard case .result(.response3(.sQLResult(let rows))) = await controller.sendText("/sql \(database) \(sql)"),
    let value = rows.first.flatMap(Int.init)
  else { throw BenchError.unexpected }
  return value
}
