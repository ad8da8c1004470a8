import ChatAPI
import ChatStateTesting
import Testing

@testable import ChatState

@Suite struct ItemsPagesTests {
  private let all = (1...100).map {
    Samples.item(Int64($0), direction: .directRcv, text: "m\($0)", at: Samples.time($0))
  }

  private func page(_ ids: ClosedRange<Int>) -> ChatData {
    let contact = Samples.contact(1, "bob", at: Samples.time(0))
    return ChatData(chatInfo: .direct(contact: contact), chatItems: ids.map { all[$0 - 1] })
  }

  private func navigation(after: Int) -> NavigationInfo { NavigationInfo(afterUnread: after, afterTotal: after) }

  private func loaded(_ ids: ClosedRange<Int>) -> ItemsState {
    var items = ItemsState()
    items.merge(page(ids), by: .initial(count: 10), navigation: navigation(after: 100 - ids.upperBound))
    return items
  }

  private func ids(_ items: ItemsState) -> [Int64] { items.items.map(\.id) }

  @Test func `A first page that does not reach the end leaves a gap after it`() {
    let items = loaded(41...50)
    #expect(items.chatState.splits == [50])
    #expect(!items.lastItemsLoaded)
    #expect(items.chatState.unreadAfter == 50)
    #expect(loaded(91...100).lastItemsLoaded)
  }

  @Test func `Older items join at the front`() {
    var items = loaded(41...50)
    items.merge(page(31...40), by: .before(chatItemId: 41, count: 10), navigation: nil)
    #expect(ids(items) == Array(31...50))
    #expect(items.chatState.splits == [50])
  }

  @Test func `Newer items move the gap, and the last page closes it`() {
    var items = loaded(81...90)
    items.merge(page(91...95), by: .after(chatItemId: 90, count: 5), navigation: nil)
    #expect(items.chatState.splits == [95])
    items.merge(page(96...100), by: .after(chatItemId: 95, count: 10), navigation: nil)
    #expect(items.chatState.splits.isEmpty)
    #expect(ids(items) == Array(81...100))
  }

  @Test func `The end of the chat stands apart until it is reached`() {
    var items = loaded(41...50)
    items.merge(page(91...100), by: .last(count: 10), navigation: nil)
    #expect(ids(items) == Array(41...50) + Array(91...100))
    #expect(items.chatState.splits == [50])
    #expect(items.lastItemsLoaded)
    items.merge(page(51...60), by: .after(chatItemId: 50, count: 10), navigation: nil)
    #expect(items.chatState.splits == [60])
    items.merge(page(61...95), by: .after(chatItemId: 60, count: 35), navigation: nil)
    #expect(items.chatState.splits.isEmpty)
    #expect(ids(items) == Array(41...100))
  }

  @Test func `A page around an older item is one more island`() {
    var items = loaded(91...100)
    items.merge(page(41...50), by: .around(chatItemId: 45, count: 10), navigation: navigation(after: 50))
    items.merge(page(11...20), by: .around(chatItemId: 15, count: 10), navigation: navigation(after: 80))
    #expect(ids(items) == Array(11...20) + Array(41...50) + Array(91...100))
    #expect(items.chatState.splits == [50, 20])
    // Scrolling up from the middle one reaches the oldest and joins it.
    items.merge(page(18...40), by: .before(chatItemId: 41, count: 23), navigation: nil)
    #expect(items.chatState.splits == [50])
  }

  @Test func `New items come after the end, also while the end is not loaded`() {
    var items = loaded(41...50)
    let new = Samples.item(101, direction: .directRcv, text: "new", at: Samples.time(101))
    let isNew = items.upsert(new)
    #expect(isNew)
    #expect(items.chatState.splits == [50])
    #expect(items.lastItemsLoaded)
    #expect(items.chatState.unreadAfter == 51)
  }

  @Test func `An item that belongs into a gap is left to be loaded`() {
    var items = loaded(41...50)
    items.merge(page(91...100), by: .last(count: 10), navigation: nil)
    let isAdded = [items.upsert(all[69]), items.upsert(all[9])]
    #expect(isAdded == [false, false])
    #expect(items.items.count == 20)
  }

  @Test func `Removing the item before a gap moves the gap`() {
    var items = loaded(41...50)
    items.merge(page(91...100), by: .last(count: 10), navigation: nil)
    let wasThere = items.remove(50)
    #expect(wasThere)
    #expect(items.chatState.splits == [49])
    for id in 41...49 { _ = items.remove(Int64(id)) }
    #expect(items.chatState.splits.isEmpty)
    let isThere = items.remove(50)
    #expect(!isThere)
  }

  @Test func `Items far from the visible ones are dropped, and can be loaded again`() {
    var items = ItemsState()
    let many = (1...1000).map { Samples.item(Int64($0), direction: .directSnd, text: "m", at: Samples.time($0)) }
    let contact = Samples.contact(1, "bob", at: Samples.time(0))
    items.merge(
      ChatData(chatInfo: .direct(contact: contact), chatItems: many), by: .initial(count: 1000), navigation: nil)
    items.trim(visible: 0...10)
    #expect(items.items.count == 10 + 2 * itemsKeptAround)
    #expect(items.chatState.splits == [210])
    let again = ChatData(chatInfo: .direct(contact: contact), chatItems: Array(many[210..<810]))
    items.merge(again, by: .after(chatItemId: 210, count: 600), navigation: nil)
    #expect(items.items == many)
    #expect(items.chatState.splits.isEmpty)
  }

  @Test func `Statuses that come late do not undo later ones`() {
    var items = ItemsState()
    var item = Samples.item(1, direction: .directSnd, text: "m", at: Samples.time(1))
    item.meta.itemStatus = .sndRcvd(msgRcptStatus: .ok, sndProgress: .complete)
    _ = items.upsert(item)
    var late = item
    late.meta.itemStatus = .sndSent(sndProgress: .complete)
    _ = items.upsert(late)
    #expect(items.items == [item])
  }

  @Test func `Reading starts the time of disappearing messages`() {
    var items = ItemsState()
    var item = Samples.item(1, direction: .directRcv, text: "m", at: Samples.time(1))
    item.meta.itemTimed = CITimed(ttl: 30)
    _ = items.upsert(item)
    let read = [items.markRead([1], at: Samples.time(100)), items.markRead([1], at: Samples.time(200))]
    #expect(read == [1, 0])
    #expect(items.items[0].meta.itemTimed?.deleteAt == Samples.time(130))
  }
}
