import ChatAPI

/// What goes with a message being written.
public enum ComposePreview: Hashable, Sendable {
  case noPreview
  case linkPreview(LinkPreview?)
  case mediaPreviews([String])
  case voicePreview(recordingFileName: String, duration: Int)
  case filePreview(fileName: String, filePath: String)
}

/// What a message being written is about.
public enum ComposeContextItem: Hashable, Sendable {
  case noContextItem
  case quotedItem(ChatItem)
  case editingItem(ChatItem)
  case forwardingItems([ChatItem], from: ChatInfo)
  case reportedItem(ChatItem, reason: ReportReason)
}

/// A message being written, so that it can be kept as a draft.
public struct ComposeState: Hashable, Sendable {
  /// The text.
  public var message: String
  /// What goes with it.
  public var preview: ComposePreview
  /// What it is about.
  public var contextItem: ComposeContextItem
  /// Database ids of mentioned members by name.
  public var mentions: [String: Int64]
  /// Whether it is being sent.
  public var inProgress = false

  /// A message being written.
  public init(
    message: String = "", preview: ComposePreview = .noPreview, contextItem: ComposeContextItem = .noContextItem,
    mentions: [String: Int64] = [:]
  ) {
    self.message = message
    self.preview = preview
    self.contextItem = contextItem
    self.mentions = mentions
  }

  /// Whether there is nothing to send.
  public var isEmpty: Bool { message.isEmpty && preview == .noPreview && contextItem == .noContextItem }
}

/// An invitation that is shown.
public struct ShowingInvitation: Hashable, Sendable {
  /// The connection it is for.
  public var pcc: PendingContactConnection
  /// Whether somebody used it.
  public var connChatUsed: Bool

  /// An invitation.
  public init(pcc: PendingContactConnection, connChatUsed: Bool = false) {
    self.pcc = pcc
    self.connChatUsed = connChatUsed
  }
}

/// After how long items of all chats are deleted.
public enum ChatItemTTL: Hashable, Sendable, Comparable {
  case none
  case seconds(Int64)

  /// The core's number: seconds, nil or 0 for never.
  public init(_ seconds: Int64?) {
    if let seconds, seconds > 0 { self = .seconds(seconds) } else { self = .none }
  }

  /// Seconds; 0 for never.
  public var seconds: Int64 { if case .seconds(let seconds) = self { seconds } else { 0 } }

  /// Shorter times first, never last.
  public static func < (one: ChatItemTTL, other: ChatItemTTL) -> Bool {
    switch (one, other) {
    case (.seconds(let one), .seconds(let other)): one < other
    case (.seconds, .none): true
    case (.none, _): false
    }
  }
}

/// The rest of what an app shows.
public struct MiscState: Sendable {
  /// The user's address.
  public var userAddress: UserContactLink?
  /// After how long items are deleted.
  public var chatItemTTL = ChatItemTTL.none
  /// A link that was opened while the app was active.
  public var appOpenUrl: String?
  /// A link that was opened while the app was not.
  public var appOpenUrlLater: String?
  /// The invitation that is shown.
  public var showingInvitation: ShowingInvitation?
  /// The move to this device under way.
  public var migrationState: MigrationToState?
  /// The sound being played.
  public var stopPreviousRecPlay: String?
  /// The draft that was kept.
  public var draft: ComposeState?
  /// The chat it is for.
  public var draftChatId: ChatId?
  /// The network.
  public var networkInfo = UserNetworkInfo(networkType: .other, online: true)
  /// Conditions of the server operators; nil until they were loaded.
  public var conditions: ServerOperatorConditions?
  /// Hosts of the relays of channels that are being joined, by group.
  public var channelRelayHostnames: [Int64: [String]] = [:]
  /// Servers and synchronisation of connections, as last reported, by connection id.
  public var connectionStats: [Int64: ConnectionStats] = [:]
  /// Whether the terminal is shown.
  public var showingTerminal = false

  /// Nothing.
  public init() {}
}
