import ChatAPI
import ChatProtocol
import ChatStore

// Withdrawing messages that the agent was not given yet, because they were deleted for everybody, or with their chat.

extension Turn {
  /// Removes the messages of items that are deleted for everybody. A batch that has others as well is sent.
  func withdraw(_ items: [ChatItem], from chat: ChatRef) throws {
    let ids = Set(items.compactMap(\.meta.itemSharedMsgId))
    if !ids.isEmpty { try withdraw(from: chat, where: ids.contains) }
  }

  /// Removes the messages to a chat that is deleted. Events about the chat, such as its deletion, are sent.
  func withdrawAll(from chat: ChatRef) throws { try withdraw(from: chat) { _ in true } }

  private func withdraw(from chat: ChatRef, where isWithdrawn: (String) -> Bool) throws {
    guard chat.chatType == .direct || chat.chatType == .group else { return }
    var known: [Int64: Bool] = [:]
    func shows(_ packet: Int64) throws -> Bool {
      if let shows = known[packet] { return shows }
      let shows = Self.shows(onlyWhere: isWithdrawn, try rows.packet(packet))
      known[packet] = shows
      return shows
    }
    try withdraw(try rows.unsentMessages(to: chat).filter { try shows($0.packet) }.map(\.command))
    for message in try rows.pendingMessages(to: chat) where try shows(message.packet) {
      try rows.removePending(message.id, packet: message.packet, ofMember: message.member)
    }
  }

  /// Whether a body is about nothing but messages that a condition holds for, by their identifiers: it has them, or
  /// changes or parts of them.
  private static func shows(onlyWhere isWithdrawn: (String) -> Bool, _ body: [UInt8]) -> Bool {
    let elements = MessageBody.parse(body)
    return !elements.isEmpty
      && elements.allSatisfy { element in
        guard case .success(let element) = element, case .message(let message) = element.content,
          element.forward == nil
        else { return false }
        let id: SharedMsgId?
        switch message.event {
        case .msgNew: id = message.msgId
        case .msgUpdate(let update): id = update.msgId
        case .msgFileDescr(let message, _): id = message
        default: id = nil
        }
        return id.map { isWithdrawn($0.text) } ?? false
      }
  }
}
