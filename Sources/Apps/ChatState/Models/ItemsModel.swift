import ChatAPI
import Observation

#if canImport(Combine)
  import Combine
#endif

/// The items of the open chat, or of a part of it.
///
/// Views are notified of changed items at most every 0.2 seconds; what they read is always current. Loading is shown at
/// once.
@Observable
@MainActor
public final class ItemsModel: ChangeAnnouncing {
  /// The primary instance of the app: that of ``ChatModel/shared``.
  public static var shared: ItemsModel { ChatModel.shared.im }

  /// Items loaded at a time.
  public static let itemsPerPage = 50

  /// What the items of a secondary instance are chosen by; nil in a primary one.
  @ObservationIgnored public let secondaryIMFilter: SecondaryItemsModelFilter?
  /// The state of infinite scrolling.
  @ObservationIgnored public var preloadState = PreloadState()
  /// Whether items are being loaded.
  public internal(set) var isLoading = false {
    willSet { announceChange() }
  }
  /// The chat whose loading is shown.
  public var showLoadingProgress: ChatId? {
    willSet { announceChange() }
  }

  #if canImport(Combine)
    /// Announces changes to views that follow objects by Combine.
    @ObservationIgnored public nonisolated let objectWillChange = ObservableObjectPublisher()
  #endif

  @ObservationIgnored unowned let model: ChatModel
  @ObservationIgnored var navigation: Task<Void, Never>?
  @ObservationIgnored var loading: Task<Void, Never>?
  /// The number of times a chat was opened or closed; responses to requests of an earlier number are ignored.
  @ObservationIgnored var opened = 0
  @ObservationIgnored private let signal = Signal()
  @ObservationIgnored private(set) var throttle: Throttle
  @ObservationIgnored private var reversed: [ChatItem]?

  init(_ model: ChatModel, filter: SecondaryItemsModelFilter? = nil) {
    self.model = model
    secondaryIMFilter = filter
    let signal = signal
    throttle = Throttle(.milliseconds(200), clock: model.clock) { signal.fire() }
    signal.willFire = { [weak self] in self?.announceChange() }
  }

  /// The items, newest first.
  public var reversedChatItems: [ChatItem] {
    signal.read()
    if let reversed { return reversed }
    let items: [ChatItem] = state.items.reversed()
    reversed = items
    return items
  }

  /// The items, oldest first, without making a list of them.
  public var chatItems: [ChatItem] {
    signal.read()
    return state.items
  }

  /// An item was added since this was set to false.
  public var itemAdded: Bool {
    get {
      signal.read()
      return state.itemAdded
    }
    set { model.update { state in state.withItems(in: place) { $0.itemAdded = newValue } } }
  }

  /// Gaps and unread counts.
  public var chatState: ActiveChatState {
    signal.read()
    return state.chatState
  }

  /// Whether the newest items are loaded.
  public var lastItemsLoaded: Bool {
    signal.read()
    return state.lastItemsLoaded
  }

  /// The kind of content that a secondary instance shows.
  public var contentTag: MsgContentTag? { secondaryIMFilter?.contentTag }
  /// The part of a group's chat that a secondary instance shows.
  public var groupScopeInfo: GroupChatScopeInfo? { secondaryIMFilter?.groupScopeInfo }

  var place: ItemsPlace { secondaryIMFilter == nil ? .primary : .secondary }

  private var state: ItemsState {
    switch place {
    case .primary: model.state.items
    case .secondary: model.state.secondary?.items ?? ItemsState()
    }
  }

  func changed() {
    reversed = nil
    throttle.request()
  }
}
