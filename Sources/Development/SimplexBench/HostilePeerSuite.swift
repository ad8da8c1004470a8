import ChatAPI
import Foundation
import SimpleXChat

/// A chat core in a process of its own that answers the messages of a good contact, beside a hostile contact in another
/// process; then `xftp recv` from a hostile file relay.
///
/// Each ``HostileAction`` has databases, processes and a relay of its own. `SIMPLEX_BENCH_KIND` selects one of them.
/// The hostile process has the lowest priority: in reality its work is done elsewhere.
@Sendable func hostilePeerSuite(_ bench: Bench) async throws {
  let only = ProcessInfo.processInfo.environment["SIMPLEX_BENCH_KIND"]
  var peak = 0.0
  for action in HostileAction.allCases where only == nil || action.rawValue == only {
    peak = max(peak, try await measure(bench, action))
  }
  bench.record("the most memory of the chat core", peak / 1e6, unit: "MB", goal: 60, lessIsBetter: true)
  if only == nil { try await measureHostileFileRelay(bench) }
}

/// A kind of attack by the hostile contact.
enum HostileAction: String, CaseIterable {
  /// Sends reactions to messages that do not exist, as many in a batch as are read.
  case reactions
  /// Sends files in messages, all of one name.
  case files
  /// Changes its profile, with pictures.
  case profiles
  /// Skips as many keys of its ratchet with each message as it may.
  case keys
  /// Has 80 connections whose relay stops to answer when messages are sent to them.
  case relay

  var text: String {
    switch self {
    case .reactions: "reactions to unknown messages"
    case .files: "files of one name in messages"
    case .profiles: "changes of a profile"
    case .keys: "skipped message keys"
    case .relay: "messages to a relay that hangs"
    }
  }

  /// How long round trips are measured: where a relay hangs, beyond the time limits of commands.
  var duration: Duration { self == .relay ? .seconds(20) : .seconds(6) }
}

/// Measures the round trips of a good contact alone and beside the action; returns the most memory of the chat core.
private func measure(_ bench: Bench, _ action: HostileAction) async throws -> Double {
  let folder = try BenchFolder("hostile-peer", in: NSTemporaryDirectory())
  defer { withExtendedLifetime(folder) {} }
  // As many messages wait in a queue as at a relay with the usual settings.
  let relay = try ServerProcess("relay", arguments: ["128"])
  defer { relay.stop() }
  guard let address = relay.greeting.first else { throw BenchError.noServer }
  let alice = try ServerProcess("answering-chat", arguments: [folder.path, address])
  defer { alice.stop() }
  guard let link = alice.greeting.first else { throw BenchError.noServer }
  let bob = try await GoodContact(in: folder, relay: address, link: link)
  // The logs of the databases reach their size.
  _ = try await bob.roundTrips(for: .seconds(1))
  let alone = try await bob.roundTrips(for: .seconds(3))
  let before = alice.processorSeconds
  let (beside, count) = try await bob.roundTrips(beside: action, of: link, folder: folder, relay: address)
  let peak = alice.peakBytes
  let time = alice.processorSeconds - before
  await bob.chat.controller.finish()

  let (p50, p99) = (alone.percentile(0.5), alone.percentile(0.99))
  bench.record(
    "alone, before \(action.text), p50", p50, unit: "ms", lessIsBetter: true, note: "p99 \(Table.format(p99)) ms")
  bench.record(
    "beside \(action.text), p50", beside.percentile(0.5) / p50, unit: "times", goal: 5, lessIsBetter: true,
    note: "\(Table.format(beside.percentile(0.5))) ms; \(count) hostile messages or connections, "
      + "\(time.rounded(to: 1)) s of processor time, at most \(Int(peak / 1e6)) MB")
  bench.record(
    "beside \(action.text), p99", beside.percentile(0.99) / p99, unit: "times", lessIsBetter: true,
    note: "\(Table.format(beside.percentile(0.99))) ms")
  return peak
}

/// A contact in this process that waits for the answer to each of its messages.
private final class GoodContact {
  let chat: BenchChat
  private let contact: Int64
  private var count = 0

  init(in folder: BenchFolder, relay: String, link: String) async throws {
    chat = try await BenchChat(AnsweringChat.goodName, in: URL(filePath: folder.path), relay: relay)
    _ = try await chat.run("/connect \(link)")
    contact = try await chat.connected()
  }

  /// Starts the hostile process, and measures round trips during what it does. The second result is how much it did.
  func roundTrips(
    beside action: HostileAction, of link: String, folder: BenchFolder, relay: String
  ) async throws -> ([Double], count: Int) {
    guard action == .relay else {
      let hostile = try ServerProcess(
        "hostile-contact", arguments: [action.rawValue, link, relay, folder.path], isYielding: true)
      defer { hostile.stop() }
      let samples = try await roundTrips(for: action.duration)
      guard let count = hostile.stop().first.flatMap({ Int($0) }), count > 0 else {
        throw BenchError.idlePeer("a contact")
      }
      return (samples, count)
    }
    let second = try ServerProcess("relay")
    defer { second.stop() }
    guard let address = second.greeting.first else { throw BenchError.noServer }
    let hostile = try ServerProcess("hostile-contact", arguments: [action.rawValue, link, address, folder.path])
    defer { hostile.stop() }
    second.setPaused(true)
    try await ask(AnsweringChat.writesToAll)
    let samples = try await roundTrips(for: action.duration)
    return (samples, HostileContact.connections)
  }

  /// The times in milliseconds until messages are answered, one after the other.
  func roundTrips(for duration: Duration) async throws -> [Double] {
    var samples: [Double] = []
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end || samples.count < 10 {
      let start = ContinuousClock.now
      count += 1
      try await ask("Shall we have tea at five? \(count)")
      samples.append((ContinuousClock.now - start).inSeconds * 1_000)
    }
    return samples
  }

  /// Sends a text, and waits until it comes back.
  private func ask(_ text: String) async throws {
    try await chat.controller.send(text, to: ChatRef(chatType: .direct, chatId: contact))
    while let event = await chat.controller.eventQueue.next(within: .seconds(60)) {
      guard case .result(.newChatItems(_, let items)) = event else { continue }
      if items.contains(where: { $0.receivedText == text }) { return }
    }
    throw BenchError.unexpected
  }
}

/// The process under test: a chat core that accepts all who ask at its address, and answers one of them.
enum AnsweringChat {
  /// The name of the contact whose texts are sent back to it.
  static let goodName = "bob"
  /// The text on which it first writes to all other contacts.
  static let writesToAll = "Please invite all of them."

  static func answer(_ item: AChatItem, in chat: BenchChat) async throws {
    guard case .direct(let contact) = item.chatInfo, contact.localDisplayName == goodName,
      let text = item.receivedText, let place = item.chat
    else { return }
    if text == writesToAll {
      guard case .response1(.contactsList(_, let contacts)) = try await chat.run("/_contacts 1") else {
        throw BenchError.unexpected
      }
      for other in contacts where other.contactId != contact.contactId {
        try await chat.controller.send(text, to: ChatRef(chatType: .direct, chatId: other.contactId))
      }
    }
    try await chat.controller.send(text, to: place)
  }
}

/// Serves an ``AnsweringChat`` with databases in a folder to the process that started this one; announces its address.
@Sendable func serveAnsweringChat() async throws {
  let arguments = CommandLine.arguments
  guard arguments.count == 5 else { throw BenchError.noServer }
  let folder = URL(filePath: arguments[3])
  let chat = try await BenchChat("alice", in: folder, relay: arguments[4])
  let files = folder.appending(path: "alice-files")
  try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
  _ = try await chat.run("/_files_folder \(files.path)")
  guard case .response1(.userContactLinkCreated(_, let link)) = try await chat.run("/_address 1") else {
    throw BenchError.unexpected
  }
  _ = try await chat.controller.address(accepting: .automatic())
  let answers = Task {
    while let event = await chat.controller.eventQueue.next() {
      guard case .result(.newChatItems(_, let items)) = event else { continue }
      for item in items { try await AnsweringChat.answer(item, in: chat) }
    }
  }
  ServerProcess.announce(link.connFullLink)
  await ServerProcess.waitForParent()
  answers.cancel()
  await chat.controller.finish()
}
