import SMPProtocol
import SMPServerCore
import SimplexCrypto
import Testing

private let data = QueueLinkData(
  fixedData: [UInt8](repeating: 1, count: 2_000), userData: [UInt8](repeating: 2, count: 13_000))

private func randomID() -> EntityID {
  var random = SystemRandom()
  return EntityID(using: &random)
}

private func randomCorrelation() -> CorrelationID {
  var random = SystemRandom()
  return CorrelationID(using: &random)
}

@Suite(.timeLimit(.minutes(2))) struct LinkTests {
  @Test func aContactLinkIsReadByAnybody() async throws {
    try await TestRelay.with { relay in
      let owner = try await relay.client()
      let reader = try await relay.client()
      let correlation = randomCorrelation()
      let linkID = randomID()
      let sender = EntityID.sender(for: correlation)
      let link = ContactLink(linkID: linkID, senderID: sender, data: data)
      let queue = try await owner.newQueue(.contact(link), correlation: correlation)
      #expect(queue.ids.linkID == linkID && queue.ids.senderID == sender)
      #expect(try await reader.ask(.lget, linkID) == .lnk(LinkResponse(senderID: sender, data: data)))
      var changed = data
      changed.userData = [3]
      let update = Command.lset(LinkUpdate(linkID: linkID, data: changed))
      #expect(try await owner.ask(update, queue.recipient, key: queue.key) == .ok)
      #expect(try await reader.ask(.lget, linkID) == .lnk(LinkResponse(senderID: sender, data: changed)))
      changed.fixedData = [4]
      let forged = Command.lset(LinkUpdate(linkID: linkID, data: changed))
      #expect(try await owner.ask(forged, queue.recipient, key: queue.key) == .err(.AUTH))
      #expect(try await owner.ask(.ldel, queue.recipient, key: queue.key) == .ok)
      #expect(try await owner.ask(.ldel, queue.recipient, key: queue.key) == .ok)
      #expect(try await reader.ask(.lget, linkID) == .err(.AUTH))
    }
  }

  @Test func anInvitationLinkIsReadOnceSecured() async throws {
    try await TestRelay.with { relay in
      let owner = try await relay.client()
      let reader = try await relay.client()
      let correlation = randomCorrelation()
      let sender = EntityID.sender(for: correlation)
      var queue = try await owner.newQueue(
        .messaging(MessagingLink(senderID: sender, data: data)), correlation: correlation)
      let linkID = try #require(queue.ids.linkID)
      #expect(try await reader.ask(.lget, linkID) == .err(.AUTH))
      let key = KeyKind.x25519.random
      let answer = LinkResponse(senderID: sender, data: data)
      #expect(try await reader.ask(.lkey(key.publicKey), linkID, key: key) == .lnk(answer))
      #expect(try await reader.ask(.lkey(key.publicKey), linkID, key: key) == .lnk(answer))
      let other = KeyKind.x25519.random
      #expect(try await reader.ask(.lkey(other.publicKey), linkID, key: other) == .err(.AUTH))
      queue.sender = key
      // The first message uses the link up.
      #expect(try await reader.sendMessage([1], to: queue) == .ok)
      #expect(try await reader.ask(.lkey(key.publicKey), linkID, key: key) == .err(.AUTH))
    }
  }

  @Test func chosenIdentifiersHaveToFitTheCorrelation() async throws {
    try await TestRelay.with { relay in
      let owner = try await relay.client()
      let link = MessagingLink(senderID: randomID(), data: data)
      let error = await #expect(throws: Unexpected.self) { try await owner.newQueue(.messaging(link)) }
      #expect(error?.message == .err(.CMD(cmdErr: .PROHIBITED)))
    }
  }

  @Test func ownersOfAContactAddressAreReplaced() async throws {
    try await TestRelay.with { relay in
      let owner = try await relay.client()
      let queue = try await owner.newQueue(.contact(nil))
      let (one, two) = (KeyKind.ed25519.random, KeyKind.ed25519.random)
      let keys = Command.rkey([one.publicKey, two.publicKey])
      #expect(try await owner.ask(keys, queue.recipient, key: queue.key) == .ok)
      #expect(try await owner.ask(.sub, queue.recipient, key: queue.key) == .err(.AUTH))
      for key in [one, two] { #expect(try await owner.ask(.sub, queue.recipient, key: key) == .sok(nil)) }
      let messaging = try await owner.newQueue()
      #expect(try await owner.ask(keys, messaging.recipient, key: messaging.key) == .err(.AUTH))
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct NotifierTests {
  private func keys() -> (notifier: AuthorizationPrivateKey, dh: X25519.PrivateKey, NotifierKeys) {
    var random = SystemRandom()
    let notifier = KeyKind.ed25519.random
    let dh = X25519.PrivateKey(using: &random)
    return (notifier, dh, NotifierKeys(notifierKey: notifier.publicKey, recipientDHKey: dh.publicKey))
  }

  @Test func theNotifierHearsOfMessages() async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let notifier = try await relay.client()
      let queue = try await recipient.newQueue()
      let (key, dh, request) = keys()
      guard case .nid(let ids) = try await recipient.ask(.nkey(request), queue.recipient, key: queue.key) else {
        Issue.record("no NID")
        return
      }
      // One that waits for the notifier, one that does not ask for it, and one that comes at once.
      #expect(try await recipient.sendMessage([1], to: queue, notify: true) == .ok)
      #expect(try await recipient.sendMessage([2], to: queue, notify: false) == .ok)
      #expect(try await notifier.ask(.nsub, ids.notifierID, key: queue.key) == .err(.AUTH))
      #expect(try await notifier.ask(.nsub, ids.notifierID, key: key) == .sok(nil))
      #expect(try await recipient.sendMessage([3], to: queue, notify: true) == .ok)
      let box = try dh.boxKey(with: ids.serverDHKey)
      var messages: [MessageID] = []
      for _ in 0..<2 {
        let event = try await notifier.event()
        #expect(event.entity == ids.notifierID)
        guard case .nmsg(let notification) = event.message else { throw Unexpected(message: event.message) }
        messages.append(try NotificationMetadata(opening: notification, key: box).messageID)
      }
      let (first, _) = try queue.body(try await recipient.event().message)
      #expect(messages.first == first)
      #expect(try await notifier.hasEvent() == false)
      #expect(try await recipient.ask(.ndel, queue.recipient, key: queue.key) == .ok)
      #expect(try await notifier.event().message == .deld)
      #expect(try await notifier.ask(.nsub, ids.notifierID, key: key) == .err(.AUTH))
    }
  }

  @Test func aNotifierIsMadeWithItsQueue() async throws {
    try await TestRelay.with { relay in
      let recipient = try await relay.client()
      let first = try await relay.client()
      let second = try await relay.client()
      let (key, _, request) = keys()
      let queue = try await recipient.newQueue(notifier: request)
      let ids = try #require(queue.ids.notifier)
      #expect(try await first.ask(.nsub, ids.notifierID, key: key) == .sok(nil))
      #expect(try await second.ask(.nsub, ids.notifierID, key: key) == .sok(nil))
      #expect(try await first.event().message == .end)
      #expect(try await recipient.ask(.del, queue.recipient, key: queue.key) == .ok)
      #expect(try await second.event().message == .deld)
    }
  }
}
