import ChatAPI
import ChatState

/// What the keys do, and what is on the screen: everything else is ``ChatModel``'s.
@MainActor
final class Dashboard {
  let model: ChatModel
  /// The row of the list that keys act on.
  private(set) var selected = 0
  /// The message being written.
  private(set) var draft = ""
  /// What went wrong last.
  private(set) var notice = ""

  init(_ model: ChatModel) { self.model = model }

  /// The chats that are listed.
  var chats: [Chat] { model.filteredChats() }

  /// Performs the function of a key; returns false to end the program.
  func press(_ key: Key) async -> Bool {
    notice = ""
    switch key {
    case .interrupt: return false
    case .up: selected = max(0, selected - 1)
    case .down: selected = min(max(0, chats.count - 1), selected + 1)
    case .tab: nextFilter()
    case .escape: leave()
    case .enter: await enter()
    case .delete: draft = String(draft.dropLast())
    case .text(let text): if model.chatId != nil { draft += text }
    }
    return true
  }

  /// Opens the selected chat, or sends the message.
  private func enter() async {
    guard let id = model.chatId, let chat = model.getChat(id) else { return await open() }
    let text = draft
    guard !text.isEmpty else { return }
    do {
      try await model.sendMessages(to: chat.chatInfo, [ComposedMessage(msgContent: .text(text))])
      draft = ""
    } catch {
      notice = error.text
    }
  }

  private func open() async {
    guard chats.indices.contains(selected) else { return }
    let chat = chats[selected]
    model.im.loadOpenChatNoWait(chat.id)
    await model.im.loaded()
    do { try await model.markChatRead(chat) } catch { notice = error.text }
  }

  private func leave() {
    model.closeChat()
    draft = ""
  }

  private func nextFilter() {
    let filters: [ActiveFilter?] =
      [nil, .unread] + PresetTag.allCases.filter { model.tags.presetTags[$0] != nil }.map { .presetTag($0) }
      + model.tags.userTags.map { .userTag($0) }
    let position = filters.firstIndex(of: model.tags.activeFilter) ?? 0
    model.tags.activeFilter = filters[(position + 1) % filters.count]
    selected = 0
  }
}
