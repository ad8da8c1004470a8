import ChatAPI
import Foundation
import Testing

@testable import SimpleXChat

/// Contacts, messages, groups and files, as programs in Swift handle them.
@Suite struct ConveniencesOfChatsTests {
  /// A person of the story, and what happens to them.
  private struct Person {
    let core: ChatController
    var events: ChatEvents.Iterator

    init(_ name: String, in world: TestWorld) async throws {
      core = try await ChatController.open(world.options(name))
      events = core.events.makeAsyncIterator()
      try await core.start(as: Profile(displayName: name, fullName: ""))
    }

    /// The value of the next event that has one.
    mutating func next<Value>(_ value: (ChatEvent) -> Value?) async throws -> Value {
      while let event = await events.next() {
        if case .result(let event) = event, let found = value(event) { return found }
      }
      throw TestWorld.Unexpected(description: "no such event")
    }

    mutating func message() async throws -> AChatItem {
      try await next { event in
        guard case .newChatItems(_, let items) = event else { return nil }
        return items.first { $0.receivedText != nil }
      }
    }

    mutating func request() async throws -> UserContactRequest {
      try await next { if case .receivedContactRequest(_, let request, _) = $0 { request } else { nil } }
    }

    mutating func contact() async throws -> Contact {
      try await next { if case .contactConnected(_, let contact, _) = $0 { contact } else { nil } }
    }
  }

  /// Who observes makes nobody wait for events that are read no more.
  @Test func anObserverIsNoReader() {
    let queue = ChatEventQueue(limit: 2)
    func push() { queue.push(.result(.hostConnected(protocol: .smp, transportHost: "h"))) }
    do { withExtendedLifetime(queue.subscribe()) {} }
    for _ in 0..<3 { push() }
    #expect(queue.hasRoom)
    do { withExtendedLifetime(queue.observer()) {} }
    for _ in 0..<3 { push() }
    #expect(queue.hasRoom)
    // Before the first reader events are kept, also while somebody observes.
    let unread = ChatEventQueue(limit: 2)
    let observer = unread.observer()
    unread.push(.result(.hostConnected(protocol: .smp, transportHost: "h")))
    #expect(withExtendedLifetime(observer) { unread.subscribe().hasRoom })
  }

  @Test(.timeLimit(.minutes(1))) func contactsMessagesFilesAndGroups() async throws {
    try await TestWorld.with { world in try await play(world) }
  }

  private func play(_ world: TestWorld) async throws {
    try await world.startFileRelay()
    var alice = try await Person("alice", in: world)
    var bob = try await Person("bob", in: world)
    try await bob.core.connect(to: try await alice.core.invitation())
    let (toBob, toAlice) = (try await alice.contact(), try await bob.contact())
    #expect(try await alice.core.contacts().map(\.displayName) == ["bob"])

    // Messages
    let first = try await alice.core.send("one", to: toBob.chat)
    _ = try await bob.message()
    for text in ["two", "three Needle"] {
      try await alice.core.send(text, to: toBob.chat)
      _ = try await bob.message()
    }
    let changed = try await alice.core.edit(first, to: "uno")
    #expect(changed.chatItem.meta.itemText == "uno")
    _ = try await bob.next { if case .chatItemUpdated(_, let item) = $0 { item } else { nil } }
    let page = try await bob.core.history(of: toAlice.chat, count: 2)
    #expect(page.map(\.meta.itemText) == ["two", "three Needle"])
    let earlier = try await bob.core.history(of: toAlice.chat, before: page.first, count: 1)
    #expect(earlier.map(\.meta.itemText) == ["uno"])
    #expect(try await bob.core.search("needle", in: toAlice.chat).map(\.meta.itemText) == ["three Needle"])
    try await alice.core.delete(first, for: .everyone)
    _ = try await bob.next { if case .chatItemsDeleted = $0 { true } else { nil } }
    await #expect(throws: ChatError.self) { try await alice.core.edit(first, to: "gone") }

    // A file
    let path = world.folder.appending(path: "sent.txt").path
    try Data(repeating: 7, count: 100_000).write(to: URL(filePath: path))
    let sent = try await alice.core.sendFile(path, to: toBob.chat, text: "a file")
    #expect(try await alice.core.completedFile(of: sent).chatItem.file?.fileStatus == .sndComplete)
    let offered = try await bob.message()
    let copy = world.folder.appending(path: "received.txt").path
    let core = bob.core
    let completed = Task { try await core.completedFile(of: offered) }
    try await bob.core.receiveFile(of: offered, to: copy)
    #expect(try await completed.value.chatItem.file?.fileSource?.filePath == copy)
    // Who waits for a file takes no event away.
    _ = try await bob.next { if case .rcvFileComplete(_, let item) = $0 { item } else { nil } }
    #expect(try Data(contentsOf: URL(filePath: copy)) == Data(repeating: 7, count: 100_000))
    await #expect(throws: ChatError.self) { try await bob.core.receiveFile(of: changed) }
    await #expect(throws: ChatError.self) { try await bob.core.completedFile(of: changed) }
    let unwanted = try await alice.core.sendFile(path, to: toBob.chat)
    let unwantedByBob = try await bob.message()
    try await bob.core.receiveFile(of: unwantedByBob, to: copy + ".2")
    let ended = Task { try await core.completedFile(of: unwantedByBob) }
    try? await bob.core.cancelFile(of: unwantedByBob)
    try? await alice.core.cancelFile(of: unwanted)
    _ = await ended.result

    // The end of a file is noticed among other events.
    let third = try await alice.core.sendFile(path, to: toBob.chat)
    let thirdByBob = try await bob.message()
    let waiting = Task { try await core.completedFile(of: thirdByBob) }
    let traffic = Task {
      while !Task.isCancelled {
        core.eventQueue.push(.result(.hostConnected(protocol: .smp, transportHost: "h")))
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    try await bob.core.delete(thirdByBob)
    await #expect(throws: ChatError.self) { try await waiting.value }
    traffic.cancel()
    try? await alice.core.cancelFile(of: third)

    // A group
    let group = try await alice.core.createGroup("team")
    try await alice.core.invite(toBob, to: group)
    let invitation = try await bob.next {
      if case .receivedGroupInvitation(_, let group, _, _, _) = $0 { group } else { nil }
    }
    try await bob.core.join(invitation)
    _ = try await alice.next { if case .joinedGroupMember = $0 { true } else { nil } }
    let link = try await alice.core.groupLink(of: group)
    #expect(try await alice.core.groupLink(of: group) == link)
    #expect(try await alice.core.members(of: group).map(\.localDisplayName) == ["bob"])
    try await alice.core.send("hello all", to: group.chat)
    #expect(try await bob.message().receivedText == "hello all")
    #expect(try await bob.core.chats(search: "tea").count == 1)
    #expect(try await bob.core.chats().count >= 2)
    let members = try await alice.core.members(of: group)
    try await alice.core.setRole(.observer, of: members, in: group)
    _ = try await bob.next { if case .memberRole = $0 { true } else { nil } }
    #expect(try await alice.core.members(of: group).map(\.memberRole) == [.observer])
    try await bob.core.leave(invitation)
    _ = try await alice.next { if case .leftMember = $0 { true } else { nil } }
    await #expect(throws: ChatError.self) { try await bob.core.send("gone", to: invitation.chat) }

    let other = try await alice.core.createGroup("other")
    try await alice.core.invite(toBob, to: other)
    let second = try await bob.next {
      if case .receivedGroupInvitation(_, let group, _, _, _) = $0 { group } else { nil }
    }
    try await bob.core.join(second)
    _ = try await alice.next { if case .joinedGroupMember = $0 { true } else { nil } }
    try await alice.core.remove(try await alice.core.members(of: other), from: other)
    _ = try await bob.next { if case .deletedMemberUser = $0 { true } else { nil } }
    try await alice.core.delete(other)
    #expect(try await alice.core.chats(search: "other").isEmpty)

    try await bob.core.delete(toAlice)
    #expect(try await bob.core.contacts().isEmpty)
    _ = try await alice.next { if case .contactDeletedByContact = $0 { true } else { nil } }

    // Requests
    try await bob.core.connect(to: try await alice.core.address())
    let rejected = try await alice.request()
    try await alice.core.reject(rejected)
    await #expect(throws: ChatError.self) { try await alice.core.accept(rejected) }
    let carol = try await Person("carol", in: world)
    try await carol.core.connect(to: try await alice.core.address())
    try await alice.core.accept(try await alice.request())
    #expect(try await alice.contact().displayName == "carol")
    await carol.core.finish()
    await alice.core.finish()
    await bob.core.finish()
  }
}
