import ChatAPI

/// The messages that were sent here and did not reach a relay yet.
struct Deliveries: Sendable {
  /// Items that wait, with the beginning of a message to their chat.
  private(set) var waiting: [Int64: String] = [:]
  /// What went wrong, a sentence each.
  private(set) var failures: [String] = []

  /// Whether nothing waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// Takes the items of a response.
  mutating func add(_ items: [AChatItem]) {
    for item in items where item.chatItem.chatDir.sent && item.chatItem.meta.itemStatus == .sndNew {
      guard let chat = item.chatInfo.typedName, !item.chatInfo.isEmptyGroup else { continue }
      waiting[item.chatItem.meta.itemId] = chat
    }
  }

  /// Takes items whose status changed.
  mutating func update(_ items: [AChatItem]) {
    for item in items {
      let id = item.chatItem.meta.itemId
      if item.chatItem.meta.itemStatus != .sndNew, waiting.removeValue(forKey: id) != nil,
        let failure = Self.failure(item)
      {
        failures.append(failure)
      }
    }
  }

  /// Takes items that are gone.
  mutating func remove(_ ids: [Int64]) { for id in ids { waiting[id] = nil } }

  /// What is said of the messages that wait; nil where none does.
  var text: String? {
    guard !waiting.isEmpty else { return nil }
    let chats = Set(waiting.values.map(\.trimmed)).sorted().joined(separator: ", ")
    let count = waiting.count == 1 ? "1 message is" : "\(waiting.count) messages are"
    return "\(count) not sent yet (\(chats)): no relay has taken it. It is sent when the chat runs again."
  }

  /// Why an item was not delivered; nil where it was, or still can be.
  static func failure(_ item: AChatItem) -> String? {
    let name = item.chatInfo.typedName?.trimmed ?? ""
    switch item.chatItem.meta.itemStatus {
    case .sndErrorAuth: return "Message to \(name) was not delivered: \(SndError.auth.text)."
    case .sndError(let error): return "Message to \(name) was not delivered: \(error.text)."
    default: return nil
    }
  }
}

extension ChatInfo {
  /// The beginning of messages to the chat, as it is typed; nil for chats that take none.
  var typedName: String? {
    switch self {
    case .direct(let contact): "@\(DisplayName.quoted(contact.localDisplayName)) "
    case .group(let group, let scope): "#\(DisplayName.quoted(group.localDisplayName)) \(scope?.typed ?? "")"
    default: nil
    }
  }

  /// Whether it is a group without other members: a message to it goes to nobody.
  var isEmptyGroup: Bool {
    if case .group(let group, _) = self { group.groupSummary.currentMembers <= 1 } else { false }
  }
}

extension GroupChatScopeInfo {
  /// The scope as it is typed behind the group, with a space after it; empty for what takes no messages.
  fileprivate var typed: String {
    guard case .memberSupport(let member) = self else { return "" }
    return member.map { "(support: \(DisplayName.quoted($0.localDisplayName))) " } ?? "(support) "
  }
}
