import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatTerminal

/// Which events a client gets while the messages that are not read are being sent to it.
@Suite struct UnreadDeliveryTests {
  @Test func eventsWaitUntilTheDatabaseHasNoMore() {
    var delivery = UnreadDelivery()
    #expect(items(delivery.part(of: event(5))) == [])
    // The database was asked before the event of the fifth item was held back, and had none.
    delivery.complete(held: 0)
    #expect(!delivery.isComplete)
    delivery.add(upTo: 5)
    delivery.complete(held: 5)
    #expect(delivery.isComplete)
    // Its event may come even later.
    #expect(items(delivery.part(of: event(5))) == [])
    #expect(items(delivery.part(of: event(5, 6))) == [6])
    #expect(items(delivery.part(of: event(6))) == nil)
  }

  @Test func anItemThatSomebodyElseReadDoesNotDelayTheRest() {
    var delivery = UnreadDelivery()
    _ = delivery.part(of: event(5))
    // It is read by now, so the database does not have it.
    delivery.complete(held: 5)
    #expect(delivery.isComplete)
    #expect(items(delivery.part(of: event(6))) == nil)
  }

  @Test func onlyReceivedMessagesThatAreNotReadAreHeldBack() {
    var delivery = UnreadDelivery()
    #expect(items(delivery.part(of: event(5, status: .rcvRead))) == nil)
    #expect(items(delivery.part(of: event(5, isHidden: true))) == nil)
    #expect(items(delivery.part(of: .chatSuspended)) == nil)
    #expect(delivery.held == 0)
  }

  /// The items that are left of an event; nil for all.
  private func items(_ part: UnreadDelivery.Part) -> [Int64]? {
    switch part {
    case .all: nil
    case .items(.newChatItems(_, let items)): items.map(\.chatItem.meta.itemId)
    case .items, .nothing: []
    }
  }

  private func event(_ ids: Int64..., status: CIStatus = .rcvNew, isHidden: Bool = false) -> ChatEvent {
    var user = Samples.user(isActive: !isHidden)
    if isHidden { user.viewPwdHash = UserPwdHash(hash: "", salt: "") }
    let items = ids.map { id in
      var item = Samples.item(id, direction: .directRcv, text: "hello", at: Samples.time(0))
      item.meta.itemStatus = status
      return AChatItem(
        chatInfo: .direct(contact: Samples.contact(2, "bob", at: Samples.time(0))), chatItem: item)
    }
    return .newChatItems(user: user, chatItems: items)
  }
}
