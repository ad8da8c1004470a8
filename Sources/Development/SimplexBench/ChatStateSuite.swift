import ChatAPI
import ChatState
import ChatStateTesting
import Foundation

/// The state layer: events applied, lists loaded and filtered, memory of items.
func chatStateSuite(_ bench: Bench) async throws {
  for figure in await StateFigures.measure() {
    bench.record(
      figure.name, figure.value, unit: figure.unit, goal: figure.goal, lessIsBetter: true, note: figure.note)
  }
}

/// The measurements on the main actor, where the models live.
private struct StateFigures: Sendable {
  var name: String
  var value: Double
  var unit: String
  var goal: Double?
  var note = ""

  @MainActor
  static func measure() async -> [StateFigures] { [await events()] + (await lists()) + [memory()].compactMap(\.self) }
}

extension StateFigures {
  @MainActor
  private static func events() async -> StateFigures {
    let clock = ContinuousClock()
    let core = ModelCore(contacts: 800, groups: 200, tags: 5)
    let events = core.chatIds.shuffled().flatMap { id in
      (0..<10).compactMap { core.receive(in: id, "message \($0)", mention: $0 == 3) }
    }.shuffled()
    var best = Double.infinity
    for _ in 0..<5 {
      let model = await started(core)
      for chat in model.chats { model.markAllChatItemsRead(chat.chatInfo) }
      model.chatId = "@1"
      let elapsed = clock.measure { for event in events { model.processReceivedMsg(event) } }
      best = min(best, elapsed.inSeconds / Double(events.count))
      blackHole(model.chats.count)
    }
    return StateFigures(
      name: "new item over 1,000 chats, applied", value: best * 1e6, unit: "µs", goal: 5,
      note: "10,000 events, with the signals to views")
  }

  @MainActor
  private static func lists() async -> [StateFigures] {
    let clock = ContinuousClock()
    let large = ModelCore(contacts: 4000, groups: 1000, tags: 10)
    let list = large.list
    let model = await started(large)
    var loading = Double.infinity
    for _ in 0..<10 {
      let elapsed = clock.measure {
        model.updateChats(list)
        model.tags.activeFilter = .userTag(model.tags.userTags[3])
        blackHole(model.filteredChats().count)
        model.tags.activeFilter = nil
      }
      loading = min(loading, elapsed.inSeconds)
    }
    var search = Double.infinity
    for _ in 0..<10 {
      let elapsed = clock.measure { blackHole(model.filteredChats(search: "group 99").count) }
      search = min(search, elapsed.inSeconds)
    }
    return [
      StateFigures(name: "5,000 chats loaded and filtered by a tag", value: loading * 1000, unit: "ms", goal: 16),
      StateFigures(name: "search in the names of 5,000 chats", value: search * 1000, unit: "ms"),
    ]
  }

  private static func memory() -> StateFigures? {
    let before = residentMemory()
    var kept: [ItemsState] = []
    for index in 0..<20 {
      var items = ItemsState()
      for item in 0..<1000 {
        items.upsert(
          Samples.item(Int64(item), direction: .directRcv, text: "message \(index) of \(item)", at: Samples.time(item)))
      }
      kept.append(items)
    }
    let each = Double(residentMemory() - before) / Double(kept.count)
    blackHole(kept.count)
    return each > 0 ? StateFigures(name: "memory of 1,000 loaded items", value: each / 1000, unit: "KB") : nil
  }
}

@MainActor
private func started(_ core: ModelCore) async -> ChatModel {
  let model = ChatModel(now: { Date(timeIntervalSince1970: 1_800_000_000) })
  do {
    try await model.initChatAndMigrate { OpenedCore(status: .ok, isEncrypted: false, core: core) }
  } catch {
    blackHole(error)
  }
  return model
}
