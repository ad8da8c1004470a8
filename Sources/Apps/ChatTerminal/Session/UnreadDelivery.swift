import ChatAPI

/// How far a client of the WebSocket API, which asked for unread messages, has got them.
///
/// The messages come from the database in the order in which they were received. Until all of them are sent, the client
/// gets no events of new ones, because those are in the database too. So each comes once, none before an earlier one.
struct UnreadDelivery {
  /// The last item that was sent from the database; the next page begins after it.
  private(set) var sent: Int64 = 0
  /// The last item whose event was held back.
  private(set) var held: Int64 = 0
  /// Whether all items of the database are sent.
  private(set) var isComplete = false

  /// The part of an event that a client gets.
  enum Part {
    case all
    /// Some of the items.
    case items(ChatEvent)
    case nothing
  }

  /// The part of an event that the client gets, counting the items that are held back.
  mutating func part(of event: ChatEvent) -> Part {
    // Messages of a hidden user are not sent from the database.
    guard case .newChatItems(let user, let items) = event, user.activeUser || user.viewPwdHash == nil else {
      return .all
    }
    let admitted = items.filter { admits($0.chatItem.meta) }
    if admitted.count == items.count { return .all }
    return admitted.isEmpty ? .nothing : .items(.newChatItems(user: user, chatItems: admitted))
  }

  private mutating func admits(_ item: CIMeta) -> Bool {
    guard item.itemStatus == .rcvNew, item.itemId > 0 else { return true }
    if isComplete { return item.itemId > sent }
    held = max(held, item.itemId)
    return false
  }

  /// Counts items that were sent from the database.
  mutating func add(upTo id: Int64) { sent = max(sent, id) }

  /// Ends the delivery after the database had no more items, unless the event of another one was held back since then.
  /// - Parameter held: the last item whose event had been held back before the database was asked.
  mutating func complete(held: Int64) { isComplete = self.held == held }
}
