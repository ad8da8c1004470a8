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
      return try await send(messages, of: user, live: live, ttl: ttl) { turn, user in
        try turn.conversation(type, id, scope: scope, of: user)
      }
    case .apiCreateChatItems(let folder, let messages):
      let user = try runningUser()
      return try await send(messages, of: user, live: false, ttl: nil) { turn, user in
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
      let deletions = try await inParts(items, of: user) { turn, user, part in
        try turn.requireDeletable(part, in: try turn.conversation(type, id, scope: scope, of: user), mode)
      } body: { turn, user, part in
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
    to conversation: (Turn, User) throws -> any Conversation
  ) async throws(ChatError) -> ChatResponse {
    var isChecked = false
    let items = try await inParts(messages, of: user) { turn, user, part in
      let conversation = try conversation(turn, user)
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
    let files = try await prepareInParts(items, of: user) { turn, user, part in
      turn.filesToForward(part, from: try way(turn, user).source)
    }
    let copies = try await copyFiles(files, of: user)
    defer { finish(copies) }
    let forwarded = try await inParts(items, of: user) { turn, user, part in
      let way = try way(turn, user)
      return try turn.forward(part, from: way.source, to: way.target, files: copies.files, ttl: ttl)
    }
    return .response1(.newChatItems(user: user, chatItems: forwarded))
  }

  /// Carries out a command about any number of messages, items or members: some of them in each turn, so that nothing
  /// else waits for long. What would refuse any of them is found before the first turn. If a turn fails all the same
  /// after others, because something changed meanwhile or the database fails, what those did stays: the response has
  /// exactly that, and an event tells of the error. If the program ends between turns, the rest is not done.
  /// - Parameters:
  ///   - user: whose command it is; each turn has it as it is then, because a profile may change between turns.
  ///   - check: throws for elements that the command must not begin with; called where there are several turns. Nil for
  ///     a command that is tried: all parts are done and undone first.
  ///   - body: handles some elements.
  func inParts<Element: Sendable, Value: Sendable>(
    _ elements: [Element], of user: User, checking check: ((Turn, User, [Element]) throws -> Void)? = nil,
    body: (Turn, User, [Element]) throws -> [Value]
  ) async throws(ChatError) -> [Value] {
    func handle(_ turn: Turn, _ part: [Element]) throws -> [Value] {
      try body(turn, try turn.rows.user(user.userId), part)
    }
    let parts = parts(of: elements)
    guard parts.count > 1 else { return try turn { try handle($0, elements) } }
    _ = try await prepareInParts(elements, of: user) { turn, user, part -> [Never] in
      if let check { try check(turn, user, part) } else { try turn.rehearse { _ = try body(turn, user, part) } }
      return []
    }
    var values: [Value] = []
    var isFirst = true
    for part in parts {
      do throws(ChatError) { values += try turn { try handle($0, part) } } catch {
        guard !isFirst else { throw error }
        emit(error)
        break
      }
      isFirst = false
      await Task.yield()
    }
    return values
  }

  /// Looks at the elements of a command before it begins, some of them in each turn. It fails if any of the turns does.
  private func prepareInParts<Element: Sendable, Value: Sendable>(
    _ elements: [Element], of user: User, body: (Turn, User, [Element]) throws -> [Value]
  ) async throws(ChatError) -> [Value] {
    var values: [Value] = []
    for part in parts(of: elements) {
      values += try turn(mayBeLost: true) { try body($0, try $0.rows.user(user.userId), part) }
      await Task.yield()
    }
    return values
  }

  /// The elements that each turn of a command handles.
  private func parts<Element>(of elements: [Element]) -> [[Element]] {
    let limit = max(1, options.itemsPerTurn)
    return stride(from: 0, to: elements.count, by: limit).map {
      Array(elements[$0..<min($0 + limit, elements.count)])
    }
  }
}
