import ChatAPI
import Observation

#if canImport(Combine)
  import Combine
#endif

/// Tags, their counts, and what the chat list is filtered by.
///
/// The counts are updated with the chat list; callers do not report changes of chats.
@Observable
@MainActor
public final class ChatTagsModel: ChangeAnnouncing {
  /// The instance of the app: that of ``ChatModel/shared``.
  public static var shared: ChatTagsModel { ChatModel.shared.tags }

  #if canImport(Combine)
    /// Announces changes to views that follow objects by Combine.
    @ObservationIgnored public nonisolated let objectWillChange = ObservableObjectPublisher()
  #endif

  @ObservationIgnored private unowned let model: ChatModel

  init(_ model: ChatModel) { self.model = model }

  /// The user's tags, in the user's order.
  public var userTags: [ChatTag] {
    get { state.userTags }
    set { change { $0.setUserTags(newValue) } }
  }

  /// What the list is filtered by.
  public var activeFilter: ActiveFilter? {
    get { state.activeFilter }
    set { change { $0.activeFilter = newValue } }
  }

  /// Number of chats of each kind; no entry for none.
  public var presetTags: [PresetTag: Int] { state.presetTags }
  /// Number of unread chats with each of the user's tags; no entry for none.
  public var unreadTags: [Int64: Int] { state.unreadTags }

  private var state: TagsState {
    model.observe(.tags)
    return model.state.tags
  }

  private func change(_ body: (inout TagsState) -> Void) {
    model.update { state in
      body(&state.tags)
      state.changes.insert(.tags)
    }
  }
}

/// Relays of the channel whose relays are shown. Reset when they are no longer shown.
@Observable
@MainActor
public final class ChannelRelaysModel: ChangeAnnouncing {
  /// The instance of the app: that of ``ChatModel/shared``.
  public static var shared: ChannelRelaysModel { ChatModel.shared.channelRelays }

  #if canImport(Combine)
    /// Announces changes to views that follow objects by Combine.
    @ObservationIgnored public nonisolated let objectWillChange = ObservableObjectPublisher()
  #endif

  @ObservationIgnored private unowned let model: ChatModel

  init(_ model: ChatModel) { self.model = model }

  /// The channel; nil if none is shown.
  public var groupId: Int64? { state.groupId }
  /// Its relays.
  public var groupRelays: [GroupRelay] { state.groupRelays }

  /// Shows the relays of a channel.
  public func set(groupId: Int64, groupRelays: [GroupRelay]) {
    var shown = ChannelRelaysState()
    shown.groupId = groupId
    shown.groupRelays = groupRelays
    change(to: shown)
  }

  /// Updates a relay, if its channel is shown.
  public func updateRelay(_ groupInfo: GroupInfo, _ relay: GroupRelay) {
    model.update { state in
      if state.relays.update(groupInfo.groupId, relay) { state.changes.insert(.relays) }
    }
  }

  /// No relays are shown any more.
  public func reset() { change(to: ChannelRelaysState()) }

  private var state: ChannelRelaysState {
    model.observe(.relays)
    return model.state.relays
  }

  private func change(to relays: ChannelRelaysState) {
    model.update { state in
      state.relays = relays
      state.changes.insert(.relays)
    }
  }
}
