import ChatAPI
import SimpleXChat
import Testing

/// The methods for programs in Swift, and which reader gets which events.
@Suite struct ConvenienceTests {
  private func controller(_ name: String, in world: TestWorld) async throws -> ChatController {
    try await ChatController.open(world.options(name))
  }

  /// The next message that somebody else sent.
  private func message(_ events: inout ChatEvents.Iterator) async throws -> AChatItem {
    while let event = await events.next() {
      guard case .result(.newChatItems(_, let items)) = event,
        let item = items.first(where: { $0.receivedText != nil })
      else { continue }
      return item
    }
    throw TestWorld.Unexpected(description: "no message")
  }

  @Test(.timeLimit(.minutes(1))) func aBotAnswers() async throws {
    try await TestWorld.with { world in try await play(world) }
  }

  private func play(_ world: TestWorld) async throws {
    let bot = try await controller("bot", in: world)
    let person = try await controller("person", in: world)
    let user = try await bot.start(as: Profile(displayName: "bot", fullName: ""))
    #expect(try await bot.start(as: Profile(displayName: "other", fullName: "")).userId == user.userId)
    try await person.start(as: Profile(displayName: "person", fullName: ""))
    var heard = bot.events.makeAsyncIterator()
    // A reader that begins now; it sees the same events as the other one.
    var seen = person.events.makeAsyncIterator()
    var seenToo = person.events.makeAsyncIterator()

    let address = try await bot.address(accepting: .automatic(welcome: .text("welcome")))
    #expect(try await bot.address() == address)
    try await person.connect(to: address)
    let welcome = try await message(&seen)
    #expect(welcome.receivedText == "welcome")
    #expect(try await message(&seenToo).chatItem == welcome.chatItem)
    // The welcome message may come before the connection is ready.
    while try await !person.request(
      .apiListContacts(userId: 1),
      {
        if case .response1(.contactsList(_, let contacts)) = $0 { contacts.first?.ready == true } else { nil }
      })
    {
      try await Task.sleep(for: .milliseconds(10))
    }

    let sent = try await person.send("echo", to: try #require(welcome.chat))
    let received = try await message(&heard)
    #expect(received.receivedText == "echo")
    try await bot.react(.thumbsup, to: received)
    try await bot.reply("echo too", to: received)
    let reply = try await message(&seen)
    #expect(reply.receivedText == "echo too")
    #expect(reply.chatItem.quotedItem?.itemId == sent.chatItem.meta.itemId)
    #expect(try await message(&seenToo).chatItem.meta.itemId == reply.chatItem.meta.itemId)

    await #expect(throws: ChatError.self) { try await bot.send("nobody", to: ChatRef(chatType: .direct, chatId: 99)) }
    await bot.finish()
    await person.finish()
    while await seen.next() != nil {}
  }

  /// The first reader sees what happened before it; one that ends is not waited for.
  @Test(.timeLimit(.minutes(1))) func readersThatEndDoNotHoldUpOthers() async throws {
    try await TestWorld.with { world in try await readWithFewEvents(world) }
  }

  private func readWithFewEvents(_ world: TestWorld) async throws {
    var options = world.options("alice")
    options.eventLimit = 4
    let alice = try await ChatController.open(options)
    try await alice.start(as: Profile(displayName: "alice", fullName: ""))
    let bob = try await controller("bob", in: world)
    try await bob.start(as: Profile(displayName: "bob", fullName: ""))
    try await bob.connect(to: try await alice.invitation())

    var first = alice.events.makeAsyncIterator()
    var chat: ChatRef?
    while chat == nil, let event = await first.next() {
      if case .result(.contactConnected(_, let contact, _)) = event {
        chat = ChatRef(chatType: .direct, chatId: contact.contactId)
      }
    }
    do {
      // It reads nothing, and would be full after four events.
      let idle = alice.events.makeAsyncIterator()
      _ = idle
    }
    var bobs: ChatRef?
    for await case .result(.contactConnected(_, let contact, _)) in bob.events {
      bobs = ChatRef(chatType: .direct, chatId: contact.contactId)
      break
    }
    for number in 0..<20 { try await bob.send("message \(number)", to: try #require(bobs)) }
    for number in 0..<20 { #expect(try await message(&first).receivedText == "message \(number)") }
    #expect(chat != nil)
    await alice.finish()
    await bob.finish()
  }
}
