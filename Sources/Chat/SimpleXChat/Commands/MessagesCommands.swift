import ChatAPI

// Sending, editing, deleting, reacting, forwarding: each command is one turn over its conversation.

extension ChatController {
  func performMessages(_ command: ChatCommand) async throws(ChatError) -> ChatResponse? {
    switch command {
    case .apiSendMessages(let type, let id, let scope, _, let live, let ttl, _, let messages):
      // Groups take notes by another command; so do others.
      guard type != .local else { throw .unsupported }
      let user = try runningUser()
      return try turn { turn in
        let conversation = try turn.conversation(type, id, scope: scope, of: user)
        return try turn.send(messages, to: conversation, live: live, ttl: ttl)
      }
    case .apiCreateChatItems(let folder, let messages):
      let user = try runningUser()
      return try turn { turn in
        try turn.send(messages, to: try turn.conversation(.local, folder, of: user), live: false, ttl: nil)
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
      let deleted = try turn { turn in
        try turn.delete(items, in: try turn.conversation(type, id, scope: scope, of: user), mode)
      }
      // Whoever deleted a picture may look for it at once. What cannot be removed now is removed when cleaning.
      try? await removeFiles()
      return deleted
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
      let user = try runningUser()
      let files = try turn(mayBeLost: true) { turn in
        turn.filesToForward(items, from: try turn.conversation(fromType, fromId, scope: fromScope, of: user))
      }
      let copies = try await copyFiles(files)
      do throws(ChatError) {
        return try turn { turn in
          let source = try turn.conversation(fromType, fromId, scope: fromScope, of: user)
          let target = try turn.conversation(toType, toId, scope: toScope, of: user)
          return try turn.forward(items, from: source, to: target, files: copies, ttl: ttl)
        }
      } catch {
        if session.filesFolder != nil { for copy in copies.values { folders.remove(copy.filePath) } }
        throw error
      }
    default: return try await readChats(command)
    }
  }
}
