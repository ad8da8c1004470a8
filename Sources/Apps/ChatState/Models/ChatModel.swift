import ChatAPI
import Observation

#if canImport(Combine)
  import Combine
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an app shows: the state of the core's current user, for views to follow.
///
/// A thin shell around ``AppState``: methods change the state as a value, and the parts that changed are announced.
/// ``shared`` is for apps; any number of instances can exist beside it.
@Observable
@MainActor
public final class ChatModel: ChangeAnnouncing {
  /// The instance of the app.
  public static let shared = ChatModel()

  /// The state as a value.
  @ObservationIgnored public private(set) var state = AppState()
  /// The core, for commands and events; nil until the database is open.
  @ObservationIgnored public internal(set) var core: (any ChatCore)?
  /// What the app has to do because of events: set it before opening the database.
  @ObservationIgnored public var onEffect: @MainActor (StateEffect) -> Void = { _ in }
  /// How files are received; nil if the app receives them itself. See ``receiveFiles(by:)``.
  @ObservationIgnored public var fileReceiving: (@MainActor () -> FileReceiving)?
  /// Who waits for the delivery of an item, by its id.
  @ObservationIgnored public var messageDelivery: [Int64: @MainActor () -> Void] = [:]
  /// Files to be deleted when nothing shows them any more.
  @ObservationIgnored public var filesToDelete: Set<String> = []

  #if canImport(Combine)
    /// Announces changes to views that follow objects by Combine.
    @ObservationIgnored public nonisolated let objectWillChange = ObservableObjectPublisher()
  #endif

  /// Time for pauses; tests inject theirs.
  @ObservationIgnored let clock: any Clock<Duration>
  /// Time of day; tests inject theirs.
  @ObservationIgnored let now: @Sendable () -> Date
  /// Waits until a call cannot be answered any more.
  @ObservationIgnored var callExpiry: Task<Void, Never>?
  @ObservationIgnored private let signals = AppState.Part.allCases.map { _ in Signal() }
  @ObservationIgnored private var chatObjects: [ChatId: Chat] = [:]
  @ObservationIgnored private var chatList: [Chat]?
  @ObservationIgnored private var memberObjects: [Int64: GMember] = [:]
  @ObservationIgnored private var popThrottle: Throttle?
  /// How desktops are looked for; nil if they are not. See ``followKnownDesktops(_:)``.
  @ObservationIgnored var desktopSearch: KnownDesktopSearch?
  /// A command or a pause of the search.
  @ObservationIgnored var desktopStep: Task<Void, Never>?
  /// The task that receives events and responses.
  @ObservationIgnored var receiver: Task<Void, Never>?
  /// The continuations that wait for responses, by the number of the request.
  @ObservationIgnored var requests: [UInt64: @MainActor (APIResult<ChatResponse>) -> Void] = [:]
  /// The number of the last request.
  @ObservationIgnored var lastRequest: UInt64 = 0

  /// Items of the open chat.
  @ObservationIgnored public private(set) lazy var im = ItemsModel(self)
  /// Tags of the chat list.
  @ObservationIgnored public private(set) lazy var tags = ChatTagsModel(self)
  /// Relays of the shown channel.
  @ObservationIgnored public private(set) lazy var channelRelays = ChannelRelaysModel(self)
  /// Items of a secondary view, such as a conversation with a member.
  public internal(set) var secondaryIM: ItemsModel? {
    willSet { announceChange() }
  }

  /// A model that knows nothing yet.
  public init(clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }) {
    self.clock = clock
    self.now = now
    popThrottle = Throttle(.milliseconds(200), clock: clock) { [weak self] in self?.update { $0.popCollectedChats() } }
  }

  // MARK: Changing the state

  /// Changes the state and notifies the views of the parts that changed.
  @discardableResult
  public func update<Result>(_ change: (inout AppState) -> Result) -> Result {
    let result = change(&state)
    let changes = state.takeChanges()
    if !changes.isEmpty { announceChange() }
    publish(changes)
    return result
  }

  /// Handles an event of the core. Events that change nothing become ``StateEffect/ignored(_:)``.
  public func processReceivedMsg(_ event: ChatEvent) {
    let now = now()
    perform(update { $0.reduce(event, at: now) })
    if let step = desktopSearch?.event(event) { carryOut(step) }
  }

  /// Carries out the effects that are the model's, and passes all of them to the app.
  func perform(_ effects: [StateEffect]) {
    for effect in effects {
      switch effect {
      case .delivered(let itemId): messageDelivery.removeValue(forKey: itemId)?()
      case .receiveFile(_, let fileId): receiveAutomatically(fileId)
      case .endCall(let contact): endCall(with: contact)
      default: break
      }
      onEffect(effect)
    }
  }

  /// Registers the reader of a part.
  func observe(_ part: AppState.Part) { signals[part.rawValue].read() }

  subscript<Value>(part: AppState.Part, path: WritableKeyPath<AppState, Value>) -> Value {
    get {
      observe(part)
      return state[keyPath: path]
    }
    set {
      update { state in
        state[keyPath: path] = newValue
        state.changes.insert(part)
      }
    }
  }

  private func publish(_ changes: AppState.Changes) {
    for id in changes.chats {
      guard let entry = state.chats[id] else {
        chatObjects[id] = nil
        continue
      }
      if let chat = chatObjects[id] { chat.entry = entry } else { chatObjects[id] = Chat(entry) }
    }
    if changes.contains(.chatOrder) { chatList = nil }
    if changes.contains(.tags) { tags.announceChange() }
    if changes.contains(.relays) { channelRelays.announceChange() }
    if changes.contains(.members) { publishMembers() }
    if changes.contains(.items) { im.changed() }
    if changes.contains(.calls) { awaitCallExpiry() }
    if changes.contains(.secondary) { secondaryIM?.changed() }
    for part in AppState.Part.allCases where changes.contains(part) { signals[part.rawValue].fire() }
    if state.chats.hasChatsToPop(except: state.open.chatId) { popThrottle?.request() }
  }

  private func publishMembers() {
    var objects: [Int64: GMember] = [:]
    for member in state.members.groupMembers {
      let id = member.groupMemberId
      let object = memberObjects[id] ?? GMember(member)
      object.update(member, change: state.members.changes[id, default: 0])
      objects[id] = object
    }
    memberObjects = objects
  }

  // MARK: Chats and members as objects

  /// All conversations of the current user, in the order of the list.
  public var chats: [Chat] {
    observe(.chatOrder)
    if let chatList { return chatList }
    let list = state.chats.order.compactMap { chatObjects[$0] }
    chatList = list
    return list
  }

  /// A chat by id.
  public func getChat(_ id: ChatId) -> Chat? {
    observe(.chatOrder)
    return chatObjects[id]
  }

  /// Members of the open group.
  public var groupMembers: [GMember] {
    observe(.members)
    return state.members.groupMembers.compactMap { memberObjects[$0.groupMemberId] }
  }

  /// A member of the open group by id.
  public func getGroupMember(_ groupMemberId: Int64) -> GMember? {
    observe(.members)
    return memberObjects[groupMemberId]
  }
}
