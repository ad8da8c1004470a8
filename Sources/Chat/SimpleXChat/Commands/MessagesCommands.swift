import ChatAPI

// Sending, editing, deleting, reacting, forwarding: each command is one turn over its conversation; one about many
// items takes several.

extension ChatController {
  func performMessages(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiSendMessages(let type, let id, let scope, _, let live, let ttl, _, let messages):
      // Groups take notes by another command; so do others.
      guard type != .local else { throw .unsupported }
      let user = try runningUser()
      return try await send(messages, of: user, live: live, ttl: ttl) { turn in
        try turn.conversation(type, id, scope: scope, of: user)
      }
    case .apiCreateChatItems(let folder, let messages):
      let user = try runningUser()
      return try await send(messages, of: user, live: false, ttl: nil) { turn in
        try turn.conversation(.local, folder, of: user)
      }
    case .apiUpdateChatItem(let type, let id, let scope, let itemId, let message, let live):
      guard message.mentions.isEmpty || type == .group else {
        throw .command("mentions are not supported in this chat")
      }
      let user = try runningUser()
      return try turn { turn in
        let conversation = try turn.conversation(type, id, scope: scope, of: user)
        return try turn.edit(
          itemId, in: conversation, to: message.msgContent, mentioning: message.mentions, live: type != .local && live)
      }
    case .apiDeleteChatItem(let type, let id, let scope, let items, let mode):
      let user = try runningUser()
      let deletions = try await inParts(items) { turn, part in
        try turn.requireDeletable(part, in: try turn.conversation(type, id, scope: scope, of: user), mode)
      } body: { turn, part in
        try turn.delete(part, in: try turn.conversation(type, id, scope: scope, of: user), mode)
      }
      // Whoever deleted a picture may look for it at once. What cannot be removed now is removed when cleaning.
      try? await removeFiles()
      return .response1(.chatItemsDeleted(user: user, chatItemDeletions: deletions, byUser: true, timed: false))
    case .apiChatItemReaction(let type, let id, let scope, let itemId, let add, let reaction):
      let user = try runningUser()
      return try turn { turn in
        let conversation = try turn.conversation(type, id, scope: scope, of: user)
        return try turn.react(to: itemId, in: conversation, reaction, add: add)
      }
    case .apiPlanForwardChatItems(let type, let id, let scope, let items):
      let user = try runningUser()
      return try turn { turn in
        try turn.planForward(items, from: try turn.conversation(type, id, scope: scope, of: user))
      }
    case .apiForwardChatItems(
      let toType, let toId, let toScope, _, let fromType, let fromId, let fromScope, let items, let ttl):
      return try await forward(items, of: try runningUser(), ttl: ttl) { turn, user in
        (
          try turn.conversation(fromType, fromId, scope: fromScope, of: user),
          try turn.conversation(toType, toId, scope: toScope, of: user)
        )
      }
    default: return try await readChats(command)
    }
  }

  private func send(
    _ messages: [ComposedMessage], of user: User, live: Bool, ttl: Int?,
    to conversation: (Turn) throws -> any Conversation
  ) async throws(ChatError) -> ChatResponse {
    var isChecked = false
    let items = try await inParts(messages) { turn, part in
      let conversation = try conversation(turn)
      if !isChecked { _ = try turn.contents(of: messages, for: conversation, live: live) }
      isChecked = true
      let contents = try turn.contents(of: part, for: conversation, live: live)
      return try conversation.send(contents, live: live, ttl: ttl, in: turn)
    }
    return .response1(.newChatItems(user: user, chatItems: items))
  }

  private func forward(
    _ items: [Int64], of user: User, ttl: Int?,
    along way: @escaping (Turn, User) throws -> (source: any Conversation, target: any Conversation)
  ) async throws(ChatError) -> ChatResponse {
    let files = try await inParts(items) { turn, part in turn.filesToForward(part, from: try way(turn, user).source) }
    let copies = try await copyFiles(files)
    var forwarded = Set<Int64>()
    defer {
      if session.filesFolder != nil {
        for (item, copy) in copies where !forwarded.contains(item) { folders.remove(copy.filePath) }
      }
    }
    let sent = try await inParts(items) { turn, part in
      let way = try way(turn, user)
      let found = try part.compactMap { try turn.rows.itemIfPresent($0, in: way.source.chat, of: user) }
      try way.target.check(try turn.contents(forwarding: found, from: way.source, to: way.target, files: copies))
    } body: { turn, part in
      let way = try way(turn, user)
      let sent = try turn.forward(part, from: way.source, to: way.target, files: copies, ttl: ttl)
      forwarded.formUnion(part)
      return sent
    }
    return .response1(.newChatItems(user: user, chatItems: sent))
  }

  /// Carries out a command about any number of messages or items: some of them in each turn, so that nothing else waits
  /// for long. If a turn fails after others, what those did stays, and an event tells of the error; if the program ends
  /// between turns, the rest is not done.
  /// - Parameters:
  ///   - check: throws for elements that the command must not begin with; called where there are several turns.
  ///   - body: handles some elements.
  func inParts<Element: Sendable, Value: Sendable>(
    _ elements: [Element], checking check: ((Turn, [Element]) throws -> Void)? = nil,
    body: (Turn, [Element]) throws -> [Value]
  ) async throws(ChatError) -> [Value] {
    let limit = max(1, options.itemsPerTurn)
    guard elements.count > limit else { return try turn { try body($0, elements) } }
    let parts = stride(from: 0, to: elements.count, by: limit).map {
      Array(elements[$0..<min($0 + limit, elements.count)])
    }
    if let check {
      for part in parts {
        try turn(mayBeLost: true) { try check($0, part) }
        await Task.yield()
      }
    }
    var values: [Value] = []
    var isFirst = true
    for part in parts {
      do throws(ChatError) { values += try turn { try body($0, part) } } catch {
        guard !isFirst else { throw error }
        emit(error)
        break
      }
      isFirst = false
      await Task.yield()
    }
    return values
  }
}
