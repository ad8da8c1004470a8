import ChatAPI
import ChatState
import ChatStateInProcess
import SimpleXChat
import SimplexTesting
import Testing

/// Somebody whose app has a model.
@MainActor
final class ModelPerson {
  let model = ChatModel()
  var random: SeededGenerator
  var sent = 0

  init(_ controller: ChatController, _ seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let core = InProcessCore(controller)
    try await model.initChatAndMigrate { OpenedCore(status: .ok, isEncrypted: false, core: core) }
  }

  /// Performs actions, one after the other; `then` gets the name of each.
  func act(
    times: Int, _ action: (ModelPerson) async throws -> String = { try await $0.act() },
    then: (String) async throws -> Void
  ) async throws {
    for _ in 0..<times {
      let name: String
      do {
        name = try await action(self)
      } catch is ChatError {
        // Somebody deleted the message, or reacted to it, meanwhile.
        continue
      }
      try await then(name)
    }
  }

  func wait(_ what: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
      guard .now < end else { throw Unexpected(description: "in vain: \(what)") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  // MARK: Checking

  /// Compares what is shown with a response of the core, at the response's place among the events.
  func check(_ when: String) async throws {
    let user = try #require(model.currentUser)
    let model = model
    try await model.request(.apiGetChats(userId: user.userId)) { (response: ChatResponse0) throws(ChatError) in
      guard case .apiChats(_, let fresh) = response else { throw response.unexpected }
      #expect(Set(model.chats.map(\.id)) == Set(fresh.map(\.id)), "\(when)")
      for expected in fresh {
        guard let chat = model.getChat(expected.id) else { continue }
        #expect(chat.chatStats.unreadCount == expected.chatStats.unreadCount, "\(when): unread of \(expected.id)")
        #expect(chat.chatStats.unreadMentions == expected.chatStats.unreadMentions, "\(when): unread mentions")
        #expect(chat.chatStats.unreadChat == expected.chatStats.unreadChat, "\(when): mark")
        let (known, kept) = (chat.chatInfo.contact, expected.chatInfo.contact)
        #expect(known?.profile == kept?.profile, "\(when): profile")
        #expect(known?.mergedPreferences == kept?.mergedPreferences, "\(when): preferences")
        guard let preview = chat.chatItems.last, preview.id > 0 else { continue }
        #expect(Seen(preview) == expected.chatItems.last.map(Seen.init), "\(when): preview of \(expected.id)")
      }
    }
    guard let open = model.chatId else { return }
    try await model.request(
      .apiGetChat(chatId: open, scope: nil, contentTag: nil, pagination: .last(count: 10_000), search: "")
    ) { (response: ChatResponse0) throws(ChatError) in
      guard case .apiChat(_, let chat, _) = response else { throw response.unexpected }
      guard model.chatId == open else { return }
      let difference = self.difference(of: model.im.chatItems.map(Seen.init), from: chat.chatItems.map(Seen.init))
      #expect(difference == nil, "\(when)")
    }
  }

  /// Items are the core's, in its order, and none is missing between them but where a gap is marked.
  private func difference(of shown: [Seen], from kept: [Seen]) -> String? {
    let splits = Set(model.im.chatState.splits)
    var position = 0
    for (index, item) in shown.enumerated() {
      guard let found = kept[position...].firstIndex(where: { $0.id == item.id }) else { return "extra: \(item)" }
      let isAfterGap = index == 0 || splits.contains(shown[index - 1].id)
      if found != position && !isAfterGap { return "missing: \(kept[position])" }
      if item != kept[found] { return "other: \(item), \(kept[found])" }
      position = found + 1
    }
    if model.im.lastItemsLoaded, !shown.isEmpty, position < kept.count {
      return "missing at the end: \(kept[position])"
    }
    return nil
  }
}

/// What of an item has to agree.
struct Seen: Equatable, CustomStringConvertible {
  var id: Int64
  var text: String
  var status: CIStatus
  var isEdited: Bool
  var isDeleted: Bool
  var reactions: [CIReactionCount]

  init(_ item: ChatItem) {
    id = item.id
    text = item.meta.itemText
    status = item.meta.itemStatus
    isEdited = item.meta.itemEdited
    isDeleted = item.meta.itemDeleted != nil
    reactions = item.reactions
  }

  var description: String { "\(id) \(text) \(status)\(isEdited ? " edited" : "")\(isDeleted ? " deleted" : "")" }
}
