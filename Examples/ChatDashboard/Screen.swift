import ChatAPI
import ChatState

/// The dashboard as lines of text.
@MainActor
struct Screen {
  let dashboard: Dashboard
  let width: Int
  let height: Int

  private var model: ChatModel { dashboard.model }

  /// As many lines as the screen has.
  func lines() -> [String] {
    let title = [line(title), String(repeating: "─", count: width)]
    let body = model.chatId.flatMap(model.getChat).map(conversation) ?? list()
    let room = max(0, height - title.count - 2)
    let padding = Array(repeating: "", count: max(0, room - body.count))
    return title + (model.chatId == nil ? body.prefix(room) + padding : padding + body.suffix(room)) + footer
  }

  private var title: String {
    let user = model.currentUser?.displayName ?? "no profile"
    let filter =
      switch model.tags.activeFilter {
      case nil: "all chats"
      case .unread: "unread"
      case .presetTag(let tag): "\(tag)"
      case .userTag(let tag): "\(tag.chatTagEmoji ?? "") \(tag.chatTagText)"
      }
    return "\(user)   \(filter)   \(model.totalUnreadCountForAllUsers()) unread"
  }

  private func list() -> [String] {
    dashboard.chats.enumerated().map { row, chat in
      let mark = row == dashboard.selected ? ">" : " "
      let unread = chat.chatStats.unreadCount > 0 ? " (\(chat.chatStats.unreadCount))" : ""
      let preview = chat.chatItems.last.map { ($0.chatDir.sent ? "you: " : "") + $0.text } ?? ""
      return line("\(mark) \(chat.chatInfo.displayName)\(unread)  \(preview)")
    }
  }

  private func conversation(_ chat: Chat) -> [String] {
    [line("[\(chat.chatInfo.displayName)]")]
      + model.im.chatItems.map { item in line("  \(author(item, chat)) \(item.text)\(marks(item))") }
  }

  private func author(_ item: ChatItem, _ chat: Chat) -> String {
    switch item.chatDir {
    case .directSnd, .groupSnd, .localSnd: "you:"
    case .groupRcv(let member): "\(member.displayName):"
    case .directRcv, .channelRcv, .localRcv: "\(chat.chatInfo.displayName):"
    }
  }

  private func marks(_ item: ChatItem) -> String {
    var marks = item.meta.itemEdited ? " (edited)" : ""
    for reaction in item.reactions {
      if case .emoji(let emoji) = reaction.reaction { marks += " \(emoji.rawValue)" }
    }
    switch item.meta.itemStatus {
    case .sndSent: marks += " ✓"
    case .sndRcvd: marks += " ✓✓"
    case .sndErrorAuth, .sndError: marks += " !"
    default: break
    }
    return marks
  }

  private var footer: [String] {
    let keys =
      model.chatId == nil
      ? "↑ ↓ select   enter open   tab filter   ctrl-c quit" : "enter send   esc back   ctrl-c quit"
    return [
      model.chatId == nil ? "" : line("› \(dashboard.draft)"), line(dashboard.notice.isEmpty ? keys : dashboard.notice),
    ]
  }

  /// One line: without control characters, cut to the width.
  private func line(_ text: String) -> String {
    let visible = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
    return String(String(visible).prefix(width))
  }
}
