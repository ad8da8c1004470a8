import ChatAPI
import ChatStore

// Typed names become database ids.

extension ChatController {
  /// The user whom a typed name means: the hidden one whose password it is, or else one who is not hidden. Several may
  /// have chosen the same name, where those of before are hidden.
  /// - Parameter mustMatch: whether a password that is given has to be that of the user: a wrong one must not delete
  ///   another user of the name.
  func userID(_ name: String, _ password: String?, mustMatch: Bool = false) throws(ChatError) -> Int64 {
    let users = try store.read { try $0.users() }
    let named =
      users.filter { $0.localDisplayName == name }
      + users.filter { $0.localDisplayName != name && $0.profile.displayName == name }
    let hidden = password.flatMap { password in named.first { $0.hasPassword(password) } }
    let other = mustMatch && password != nil ? nil : named.first { !$0.isConcealed } ?? named.first
    guard let user = hidden ?? other else {
      throw .error(errorType: .userUnknown)
    }
    return user.userId
  }

  func contactID(_ name: String) throws(ChatError) -> Int64 {
    let user = try runningUser()
    return try store.read { try $0.contactID(named: name, of: user) }
  }

  /// The contact of this name; where there is none, but a member has the name, the error names the member.
  func contactOrMemberID(_ name: String) throws(ChatError) -> Int64 {
    let user = try runningUser()
    do throws(ChatError) {
      return try contactID(name)
    } catch .errorStore(.contactNotFoundByName) {
      let suspected = try store.read { try $0.activeMembers(named: name, of: user).first }
      throw .error(
        errorType: .contactNotFound(
          contactName: name,
          suspectedMember: suspected.map { SuspectedMember(groupInfo: $0.group, groupMember: $0.member) }))
    }
  }

  /// The member of this name, where there is no contact of the name, and one such member in all groups.
  func onlyMember(named name: String) throws(ChatError) -> GroupMember? {
    let user = try runningUser()
    return try store.read { transaction in
      if (try? transaction.contactID(named: name, of: user)) != nil { return nil }
      let found = try transaction.activeMembers(named: name, of: user)
      return found.count == 1 ? found[0].member : nil
    }
  }

  func requestID(_ name: String) throws(ChatError) -> Int64 {
    let user = try runningUser()
    return try store.read { try $0.contactRequestID(named: name, of: user) }
  }

  /// The notes of the active user.
  func notes() throws(ChatError) -> ChatRef {
    let user = try runningUser()
    return ChatRef(chatType: .local, chatId: try store.read { try $0.noteFolderID(of: user) })
  }

  /// The chat that a typed name means; nil for kinds that have no items.
  func chatRef(_ name: ChatName) throws(ChatError) -> ChatRef? {
    switch name.chatType {
    case .direct: ChatRef(chatType: .direct, chatId: try contactID(name.chatName))
    case .group: ChatRef(chatType: .group, chatId: try groupID(name.chatName))
    case .local: try notes()
    default: nil
    }
  }

  func itemID(_ text: String, in chat: ChatRef, sent: Bool?) throws(ChatError) -> Int64 {
    let user = try runningUser()
    return try store.read { try $0.itemID(textPrefix: text, in: chat, sent: sent, of: user) }
  }
}
