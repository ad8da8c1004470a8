import ChatAPI

/// The links that a session has shown, of each profile: the web addresses of messages, and the link that leads to the
/// person. Those of deleted messages, chats and links are forgotten.
struct ShownLinks {
  /// The number of web addresses that are kept of a profile.
  static let limit = 9

  private struct WebAddress {
    var text: String
    var item: Int64
    var chat: ChatId
  }

  private enum Kind: Equatable {
    case address
    case group(Int64)
    /// An invitation, by the database id of its connection.
    case invitation(Int64)
  }

  private struct Links {
    /// The latest first.
    var webAddresses: [WebAddress] = []
    var own: (kind: Kind, link: CreatedConnLink)?

    mutating func forget(_ kind: Kind) { if own?.kind == kind { own = nil } }

    mutating func forget(chat: ChatId) { webAddresses.removeAll { $0.chat == chat } }
  }

  private var users: [Int64: Links] = [:]

  /// The web addresses, the latest first.
  func webAddresses(of user: User?) -> [String] { links(of: user).webAddresses.map(\.text) }

  /// The invitation, address or group link that was shown last; nil for none.
  func own(of user: User?) -> CreatedConnLink? { links(of: user).own?.link }

  private func links(of user: User?) -> Links { user.flatMap { users[$0.userId] } ?? Links() }

  /// Adds the web addresses of messages in the place of those that they had. One that was there is the latest again.
  mutating func add(_ items: [AChatItem], of user: User) {
    remove(items.map(\.chatItem.meta.itemId), of: user)
    for item in items where item.chatItem.meta.itemDeleted == nil {
      for address in (item.chatItem.formattedText ?? []).compactMap(\.webAddress) {
        users[user.userId, default: Links()].webAddresses.removeAll { $0.text == address }
        users[user.userId, default: Links()].webAddresses.insert(
          WebAddress(text: address, item: item.chatItem.meta.itemId, chat: item.chatInfo.id), at: 0)
      }
    }
    let excess = links(of: user).webAddresses.count - Self.limit
    if excess > 0 { users[user.userId]?.webAddresses.removeLast(excess) }
  }

  private mutating func remove(_ items: [Int64], of user: User) {
    users[user.userId]?.webAddresses.removeAll { items.contains($0.item) }
  }

  // MARK: What happens to links

  /// Follows responses that show a link or delete something.
  mutating func follow(_ response: ChatResponse) {
    switch response {
    case .response1(.invitation(let user, let link, let connection)):
      show(link, .invitation(connection.pccConnId), of: user)
    case .response1(.connectionUserChanged(let user, let old, let new, let newUser)):
      users[user.userId]?.forget(.invitation(old.pccConnId))
      if let link = new.connLinkInv { show(link, .invitation(new.pccConnId), of: newUser) }
    case .response1(.contactConnectionDeleted(let user, let connection)):
      users[user.userId]?.forget(.invitation(connection.pccConnId))
    case .response1(.userContactLinkCreated(let user, let link)): show(link, .address, of: user)
    case .response1(.userContactLink(let user, let link)): show(link.connLinkContact, .address, of: user)
    case .response1(.userContactLinkDeleted(let user)): users[user.userId]?.forget(.address)
    case .response2(.groupLinkCreated(let user, let group, let link)),
      .response2(.groupLink(let user, let group, let link)):
      show(link.connLinkContact, .group(group.groupId), of: user)
    case .response2(.groupLinkDeleted(let user, let group)): users[user.userId]?.forget(.group(group.groupId))
    case .response1(.groupDeletedUser(let user, let group, _)):
      users[user.userId]?.forget(.group(group.groupId))
      users[user.userId]?.forget(chat: group.id)
    case .response1(.contactDeleted(let user, let contact)): users[user.userId]?.forget(chat: contact.id)
    case .response1(.chatCleared(let user, let chat)): users[user.userId]?.forget(chat: chat.id)
    case .response1(.chatItemsDeleted(let user, let deletions, _, _)):
      remove(deletions.map(\.deletedChatItem.chatItem.meta.itemId), of: user)
    default: break
    }
  }

  /// Follows events that delete something, change a message, or use an invitation.
  mutating func follow(_ event: ChatEvent) {
    switch event {
    case .chatItemsDeleted(let user, let deletions, _, _):
      remove(deletions.map(\.deletedChatItem.chatItem.meta.itemId), of: user)
    case .groupChatItemsDeleted(let user, _, let items, _, _): remove(items, of: user)
    case .chatItemUpdated(let user, let item): add([item], of: user)
    case .contactConnecting(let user, let contact), .contactConnected(let user, let contact, _):
      if let connection = contact.activeConn { users[user.userId]?.forget(.invitation(connection.connId)) }
    case .groupDeleted(let user, let group, _, _): users[user.userId]?.forget(.group(group.groupId))
    default: break
    }
  }

  private mutating func show(_ link: CreatedConnLink, _ kind: Kind, of user: User) {
    users[user.userId, default: Links()].own = (kind, link)
  }

  // MARK: Addresses to open

  /// The web address that the argument of `/open` means: a number of the list, or an address; nil for other texts.
  func webAddress(_ argument: Substring, of user: User?) -> String? {
    guard let number = Int(argument) else { return Self.isWebAddress(argument) ? String(argument) : nil }
    let addresses = webAddresses(of: user)
    return number > 0 && number <= addresses.count ? addresses[number - 1] : nil
  }

  /// Whether a text is a web address of which everything is seen when it is shown.
  fileprivate static func isWebAddress(_ text: some StringProtocol) -> Bool {
    let begins = ["https://", "http://"].contains { text.lowercased().hasPrefix($0) && text.count > $0.count }
    return begins && StyledText(String(text)).text == text
      && text.unicodeScalars.allSatisfy {
        !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint && $0.value > 0x20
          && $0.value != 0x2800 && $0.value != 0x7F
      }
  }
}

extension FormattedText {
  /// The web address that the text is, or that stands behind it; nil for other texts.
  var webAddress: String? {
    let address: String
    switch format {
    case .uri: address = text.contains("://") ? text : "https://\(text)"
    case .hyperLink(_, let link): address = link
    default: return nil
    }
    return ShownLinks.isWebAddress(address) ? address : nil
  }
}
