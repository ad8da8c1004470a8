import ChatAPI
import ChatState
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A core in memory that answers the requests of a state layer by recounting everything each time: slow, simple and
/// correct. Tests compare the model with it, and it acts for the peers.
public final class ModelCore: ChatCore {
  /// A chat as the core keeps it.
  struct Stored: Sendable {
    var info: ChatInfo
    var items: [ChatItem] = []
    var unreadChat = false
  }

  struct World: Sendable {
    var user = Samples.user()
    var chats: [ChatId: Stored] = [:]
    var tags: [ChatTag] = []
    var isRunning = false
    var isActive = true
    var isOpen = true
    var now = 0
    var nextItemId: Int64 = 1
    var files = Files()
  }

  let world: Mutex<World>
  private let stream: AsyncStream<ChatOutput>
  private let sink: AsyncStream<ChatOutput>.Continuation
  private let reader: EventReader

  /// A core with contacts `@1`… and groups `#1`…, without messages.
  ///
  /// - Parameter filters: the notification settings of the chats, in turn.
  public init(contacts: Int, groups: Int, tags: Int = 2, filters: [MsgFilter] = [.all, .mentions, .none]) {
    var world = World()
    world.tags = (0..<tags).map { ChatTag(chatTagId: Int64($0 + 1), chatTagText: "tag \($0 + 1)") }
    for index in 0..<contacts {
      world.now += 1
      let contact = Samples.contact(
        Int64(index + 1), "contact \(index + 1)", at: Samples.time(world.now), ntfs: filters[index % filters.count],
        tags: index % 2 == 0 || tags == 0 ? [] : [Int64(index % tags + 1)])
      world.chats[contact.id] = Stored(info: .direct(contact: contact))
    }
    for index in 0..<groups {
      world.now += 1
      let group = Samples.group(
        Int64(index + 1), "group \(index + 1)", at: Samples.time(world.now), ntfs: filters[(index + 1) % filters.count])
      world.chats[group.id] = Stored(info: .group(groupInfo: group, groupChatScope: nil))
    }
    self.world = Mutex(world)
    (stream, sink) = AsyncStream.makeStream()
    reader = EventReader(stream)
  }

  /// Emits an event, for a model that receives them.
  public func emit(_ event: ChatEvent) { sink.yield(.event(.result(event))) }

  /// Emits an error outside of commands.
  public func emit(_ event: APIResult<ChatEvent>) { sink.yield(.event(event)) }

  /// Ends the events.
  public func finish() { sink.finish() }

  /// Waits for an event of ``emit(_:)``, or a response.
  public func nextOutput() async -> ChatOutput? { await reader.next() }

  /// Executes a command.
  public func send<R: ChatAPIResult>(_ command: ChatCommand) async -> APIResult<R> {
    world.withLock { $0.result(of: command) }.narrowed()
  }

  /// Executes a command, and puts its response among the events.
  public func post(_ command: ChatCommand, as number: UInt64) async {
    world.withLock { world in
      _ = sink.yield(.response(number, world.result(of: command)))
      if case .apiSuspendChat = command, world.isOpen { _ = sink.yield(.event(.result(.chatSuspended))) }
    }
  }

  /// Closes the databases: commands fail until they are reopened.
  public func closeStore() async throws(ChatError) {
    world.withLock { world in world.isOpen = false }
  }

  /// Reopens the databases.
  public func reopenStore() async throws(ChatError) {
    world.withLock { world in world.isOpen = true }
  }

  /// Whether the core is active, not suspended.
  public var isActive: Bool { world.withLock { $0.isActive } }
  /// Whether the databases are open.
  public var isOpen: Bool { world.withLock { $0.isOpen } }

  /// The time of the core's clock.
  public var now: Date { world.withLock { Samples.time($0.now) } }
  /// Ids of all chats, in the order of the list.
  public var chatIds: [ChatId] { world.withLock { $0.list.map(\.id) } }
  /// The list as the core would return it.
  public var list: [ChatData] { world.withLock { $0.list } }
  /// All items of a chat, oldest first.
  public func items(of id: ChatId) -> [ChatItem] { world.withLock { $0.chats[id]?.items ?? [] } }
}

/// A reader of a stream, for any task.
private actor EventReader {
  private var iterator: AsyncStream<ChatOutput>.Iterator

  init(_ stream: AsyncStream<ChatOutput>) { iterator = stream.makeAsyncIterator() }

  func next() async -> ChatOutput? {
    var iterator = iterator
    let event = await iterator.next(isolation: self)
    self.iterator = iterator
    return event
  }
}
