import ChatAPI
import SimpleXChat

extension TerminalSession {
  private static let shownVariants = 40

  /// Completes the beginning of a line, or shows how it may go on.
  func complete(_ line: String) async {
    // The chosen chat is part of the prompt and is not typed. Its members are mentioned in the line.
    let isText = Completion(line) == nil && line.first != "/"
    let chat = isText && input.chosenChat.first == "#" ? input.chosenChat : ""
    guard let completion = Completion(chat + line) else { return }
    let (whole, variants) = completion.completed(with: await names(of: completion))
    let completed = String(whole.dropFirst(chat.count))
    if completed != line {
      input.complete(line, with: completed)
    } else if variants.count > 1 {
      let hidden = variants.count - Self.shownVariants
      let more = hidden > 0 ? ["and \(hidden) more"] : []
      input.show([StyledText((variants.prefix(Self.shownVariants) + more).joined(separator: "   "), .time)])
    }
  }

  private func names(of completion: Completion) async -> [String] {
    switch completion.kind {
    case .command: return Completion.commands
    case .path: return Paths.candidates(completion.name)
    case .contact: return await contacts().map(\.localDisplayName)
    case .group: return await groups().map(\.localDisplayName)
    case .member(let name): return await members(ofGroup: name).map(\.localDisplayName)
    // A text mentions members by the names that they chose.
    case .mention(let name): return await members(ofGroup: name).map(\.memberProfile.displayName)
    case .request: return await requests()
    case .botCommand(let name): return await contact(named: name).map { BotCommands(of: $0).keywords } ?? []
    }
  }

  private func members(ofGroup name: String) async -> [GroupMember] {
    guard let group = await group(named: name) else { return [] }
    return await members(of: group.groupId)
  }

  private func requests() async -> [String] {
    guard let user = state.withLock({ $0.view.user }),
      case .result(.response0(.apiChats(_, let chats))) = await core.send(
        .apiGetChats(userId: user.userId, pagination: .last(count: 1_000)))
    else { return [] }
    return chats.compactMap { chat in
      if case .contactRequest(let request) = chat.chatInfo { request.localDisplayName } else { nil }
    }
  }
}
