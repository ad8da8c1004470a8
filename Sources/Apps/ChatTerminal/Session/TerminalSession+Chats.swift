import ChatAPI
import ChatLogic
import SimpleXChat

extension TerminalSession {
  // MARK: Choosing a chat

  /// Chooses the chat whose name alone was typed, if there is one.
  func choose(_ target: ChatTarget) async {
    let missing: StyledText
    if target.isContact {
      if let contact = await contact(named: target.name) {
        if let user = view.user { note(.direct(contact: contact), of: user) }
        showChosen(target)
        if input.isInteractive { input.show(BotCommands(of: contact).lines(for: target.prefix)) }
        return
      }
      if case .result = await core.send(.terminal(.contactInfo(contact: target.name))) {
        missing = "\(.contact(target.name)) is not connected yet: \(.highlight("/c <link>")) connects by a link."
      } else {
        missing = "no contact \(.contact(target.name))"
      }
    } else {
      if let group = await group(named: target.name) {
        guard group.membership.memberStatus != .memInvited else {
          return reject(
            target,
            because: ["You are invited to this group. \(.highlight("/j \(target.prefix.dropFirst())"))joins it."])
        }
        if !target.isSupport, let user = view.user { note(.group(groupInfo: group, groupChatScope: nil), of: user) }
        return showChosen(target)
      }
      missing = "no group \(.group(target.name))"
    }
    reject(target, because: [missing])
  }

  private func showChosen(_ target: ChatTarget) {
    let chosen: StyledText = "Messages go to \(.to(target.prefix.trimmed)) now"
    guard !target.isSupport else { return input.show([chosen + "."]) }
    input.show([chosen + "; \(.highlight("/tail \(target.prefix)"))shows the latest ones."])
  }

  private func reject(_ target: ChatTarget, because lines: [StyledText]) {
    input.show(lines)
    if let user = view.user { forget(target.prefix, of: user) }
  }

  /// Keeps the choice of a line that was typed ahead, while another profile was active.
  func moveChoice(_ target: ChatTarget, _ typed: TypedLine) {
    guard let begun = typed.profile, let user = view.user, begun != user.userId else { return }
    input.moveChoice(target.prefix, from: begun, to: user.userId)
  }

  /// Chooses a new chat for the person, who may have chosen another one.
  func offer(_ chat: ChatInfo, to user: User) {
    guard isCurrent(user), let prefix = chat.typedName else { return }
    note(chat, of: user)
    input.offerChat(prefix)
  }

  /// Names the active profile in the prompt, where there is another one. A hidden profile is not mentioned.
  func nameProfile() async {
    guard input.isInteractive, case .result(.response0(.usersList(let users))) = await core.send(.listUsers) else {
      return
    }
    let visible = users.map(\.user).filter { $0.activeUser || $0.viewPwdHash == nil }
    guard let active = visible.first(where: \.activeUser) else { return }
    let namesProfile = visible.count > 1
    state.withLock { ($0.namesProfile, $0.view.user) = (namesProfile, active) }
    input.showProfile(active.userId, name: namesProfile ? active.localDisplayName : nil)
  }

  // MARK: Whom names mean

  /// The chat of the active user that a beginning of a message stands for; nil where it is not known yet.
  func reference(_ prefix: String) -> ChatRef? {
    state.withLock { state in state.view.user.flatMap { state.chats[$0.userId]?[prefix] } }
  }

  /// Remembers whom a name means.
  func note(_ chat: ChatInfo, of user: User) {
    guard let prefix = chat.typedName, let reference = chat.typedReference else { return }
    state.withLock { $0.chats[user.userId, default: [:]][prefix] = reference }
  }

  /// Goes on with a chat under its new name.
  func rename(_ old: ChatInfo, to new: ChatInfo, of user: User) {
    guard let before = old.typedName, let after = new.typedName, before != after else { return }
    note(new, of: user)
    input.replaceChat(before, with: after, of: user.userId)
  }

  func forget(_ chat: ChatInfo, of user: User) {
    if let prefix = chat.typedName { forget(prefix, of: user) }
  }

  func forget(_ prefix: String, of user: User) {
    state.withLock { $0.chats[user.userId]?[prefix] = nil }
    input.replaceChat(prefix, with: "", of: user.userId)
  }

  // MARK: Names

  /// The contact of the active user with this name.
  func contact(named name: String) async -> Contact? { await contacts().first { $0.localDisplayName == name } }

  /// The contacts of the active user.
  func contacts() async -> [Contact] {
    guard let user = state.withLock({ $0.view.user }),
      case .result(.response1(.contactsList(_, let contacts))) = await core.send(.apiListContacts(userId: user.userId))
    else { return [] }
    return contacts
  }

  /// The group of the active user with this name.
  func group(named name: String) async -> GroupInfo? { await groups().first { $0.localDisplayName == name } }

  /// The groups of the active user.
  func groups() async -> [GroupInfo] {
    guard let user = state.withLock({ $0.view.user }),
      case .result(.response2(.groupsList(_, let groups))) = await core.send(
        .apiListGroups(userId: user.userId, contactId: nil, search: nil))
    else { return [] }
    return groups
  }

  /// The other members of a group, without those who are gone.
  func members(of group: Int64) async -> [GroupMember] {
    guard case .result(.response2(.groupMembers(_, let group))) = await core.send(.apiListMembers(groupId: group))
    else { return [] }
    return group.members.filter { ![.memRejected, .memRemoved, .memLeft].contains($0.memberStatus) }
  }

  // MARK: Messages

  /// The command that sends a text to a chat; nil where the text names its chat more closely.
  func message(_ text: String, to chat: ChatRef?) async -> ChatCommand? {
    guard let chat, !(chat.chatType == .group && text.hasPrefix("(support")) else { return nil }
    let mentions = chat.chatType == .group ? await self.mentions(in: text, ofGroup: chat.chatId) : [:]
    return .apiSendMessages(
      type: chat.chatType, id: chat.chatId, scope: nil, live: false, ttl: nil,
      composedMessages: [ComposedMessage(msgContent: .text(text), mentions: mentions)])
  }

  /// The members whose names a text has after `@`: as many as a message may mention, the others are text.
  private func mentions(in text: String, ofGroup group: Int64) async -> [String: Int64] {
    let names = Markdown.mentionedNames(Markdown.parse(text) ?? [])
    guard !names.isEmpty else { return [:] }
    let members = await members(of: group)
    var mentions: [String: Int64] = [:]
    for name in names where mentions.count < MentionNames.sentLimit {
      mentions[name] = members.first { $0.memberProfile.displayName == name }?.groupMemberId
    }
    return mentions
  }
}

extension APIResult<ChatResponse> {
  /// Whether there may be another active profile afterwards, one more, one less, or one with another name.
  var concernsProfiles: Bool {
    switch self {
    case .result(.response0(.activeUser)), .result(.response1(.userPrivacy)), .result(.response1(.userProfileUpdated)),
      .result(.response2(.cmdOk)):
      true
    default: false
    }
  }
}

extension ChatInfo {
  /// The chat that messages to ``typedName`` are for; nil for support chats.
  var typedReference: ChatRef? {
    switch self {
    case .direct(let contact): ChatRef(chatType: .direct, chatId: contact.contactId)
    case .group(let group, nil): ChatRef(chatType: .group, chatId: group.groupId)
    default: nil
    }
  }
}
