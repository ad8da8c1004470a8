import ChatAPI

/// A message that is sent while it is typed.
struct LiveMessage: Sendable {
  /// The chat: its kind and number.
  let type: ChatType
  let chatID: Int64
  let itemID: Int64
  /// What the peer has.
  var sent: String
  /// What was typed when that was looked at last.
  var seen: String

  /// A message that was sent as a live one; nil in chats that have none.
  init?(_ item: AChatItem, text: String) {
    switch item.chatInfo {
    case .direct(let contact): (type, chatID) = (.direct, contact.contactId)
    case .group(let group, _): (type, chatID) = (.group, group.groupId)
    case .local(let folder): (type, chatID) = (.local, folder.noteFolderId)
    default: return nil
    }
    itemID = item.chatItem.meta.itemId
    sent = text
    seen = text
  }

  /// The pause between updates: longer in groups.
  var pause: Duration { .seconds(type == .group ? 5 : 3) }

  /// The next update; nil if nothing is new. A word that is being typed is held back until the typing pauses.
  mutating func next(typed: String) -> String? {
    let text = typed == seen ? typed : Self.wholeWords(typed)
    seen = typed
    guard text != sent, !text.trimmed.isEmpty else { return nil }
    return text
  }

  /// The command that sends a text.
  func update(_ text: String, isOver: Bool) -> ChatCommand {
    .apiUpdateChatItem(
      type: type, id: chatID, scope: nil, itemId: itemID, updatedMessage: UpdatedMessage(msgContent: .text(text)),
      live: !isOver)
  }

  private static func wholeWords(_ text: String) -> String {
    guard let end = text.lastIndex(where: { !($0.isLetter || $0.isNumber) }) else { return "" }
    return String(text[...end])
  }
}
