import ChatAPI
import Foundation
import SimpleXChat

/// A controller with a user.
final class BenchChat: Sendable {
  let options: ChatOptions
  let controller: ChatController

  /// - Parameter fileRelay: the address of a file relay; nil where there is none.
  init(_ name: String, in folder: URL, relay: String, fileRelay: String? = nil) async throws {
    var options = ChatOptions(databasePrefix: folder.appending(path: name).path)
    options.smpServers = [relay]
    if let fileRelay {
      options.xftpServers = [fileRelay]
      options.autoAcceptFileSize = 1 << 20
    }
    options.addsPresetContacts = false
    self.options = options
    controller = try await ChatController.open(options)
    for command in ["/create user \(name)", "/_start"] { _ = try await run(command) }
  }

  /// Connects two controllers, alice and bob, over a relay in a process of its own.
  /// - Parameter body: gets both, the number of bob among the contacts of alice, and the relay.
  static func pair(
    _ body: (_ alice: BenchChat, _ bob: BenchChat, _ contact: Int64, _ relay: ServerProcess) async throws -> Void
  ) async throws {
    let relay = try ServerProcess("relay")
    defer { relay.stop() }
    guard let address = relay.greeting.first else { throw BenchError.noServer }
    let folder = FileManager.default.temporaryDirectory.appending(path: "chat-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let alice = try await BenchChat("alice", in: folder, relay: address)
    let bob = try await BenchChat("bob", in: folder, relay: address)
    try await body(alice, bob, try await alice.connect(to: bob), relay)
  }

  func run(_ command: String) async throws -> ChatResponse {
    guard case .result(let response) = await controller.sendText(command) else { throw BenchError.unexpected }
    return response
  }

  /// Connects to the other controller, and returns the contact's number.
  func connect(to other: BenchChat) async throws -> Int64 {
    guard case .response1(.invitation(_, let link, _)) = try await run("/connect") else { throw BenchError.unexpected }
    _ = try await other.run("/connect \(link.connShortLink ?? link.connFullLink)")
    let contact = try await connected()
    _ = try await other.connected()
    return contact
  }

  /// Waits until a contact is connected, and returns its number.
  func connected() async throws -> Int64 {
    while let event = await controller.eventQueue.next(within: .seconds(30)) {
      if case .result(.contactConnected(_, let contact, _)) = event { return contact.contactId }
    }
    throw BenchError.unexpected
  }

  func send(_ count: Int, to contact: Int64) async throws {
    let messages = [ComposedMessage](
      repeating: ComposedMessage(msgContent: .text("Shall we have tea at five?")), count: count)
    let command = ChatCommand.apiSendMessages(
      type: .direct, id: contact, scope: nil, live: false, ttl: nil, composedMessages: messages)
    guard case .result(.response1(.newChatItems(_, let items))) = await controller.send(command), items.count == count
    else { throw BenchError.unexpected }
    // Events about sent messages have to be read.
    while let event = await controller.eventQueue.next(within: .zero) { blackHole(event) }
  }

  /// Reads events until this many messages were received.
  func receive(_ count: Int) async throws {
    var left = count
    while left > 0 {
      guard let event = await controller.eventQueue.next() else { throw BenchError.unexpected }
      guard case .result(.newChatItems(_, let items)) = event else { continue }
      for item in items { if case .rcvMsgContent = item.chatItem.content { left -= 1 } }
    }
  }
}
