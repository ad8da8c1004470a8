import FoundationTypes

extension ChatInfo: NamedChat {
  /// The names of the chat, if it could be read.
  private var named: (any NamedChat)? {
    switch self {
    case .direct(let contact): contact
    case .group(let groupInfo, _): groupInfo
    case .local(let noteFolder): noteFolder
    case .contactRequest(let request): request
    case .contactConnection(let connection): connection
    case .invalidJSON: nil
    }
  }

  /// The alias, or the name of the profile.
  public var displayName: String { named?.displayName ?? "invalid chat" }
  /// The longer name; may be empty.
  public var fullName: String { named?.fullName ?? "" }
  /// One line about it.
  public var shortDescr: String? { named?.shortDescr }
  /// Image as `data:` URI.
  public var image: String? { named?.image }
  /// The name that the user chose; may be empty.
  public var localAlias: String { named?.localAlias ?? "" }

  /// The kind of chat.
  public var chatType: ChatType {
    switch self {
    case .direct: .direct
    case .group: .group
    case .local: .local
    case .contactRequest: .contactRequest
    case .contactConnection: .contactConnection
    case .invalidJSON(let chatType, _): chatType
    }
  }

  /// Database id of what the chat is with; 0 if it could not be read.
  public var apiId: Int64 {
    switch self {
    case .direct(let contact): contact.contactId
    case .group(let groupInfo, _): groupInfo.groupId
    case .local(let noteFolder): noteFolder.noteFolderId
    case .contactRequest(let request): request.contactRequestId
    case .contactConnection(let connection): connection.pccConnId
    case .invalidJSON: 0
    }
  }

  /// Identifies the chat in user interfaces; empty if it could not be read.
  public var id: ChatId { if case .invalidJSON = self { "" } else { chatType.rawValue + String(apiId) } }

  /// The name made unique on this device.
  public var localDisplayName: String {
    switch self {
    case .direct(let contact): contact.localDisplayName
    case .group(let groupInfo, _): groupInfo.localDisplayName
    case .local: ""
    case .contactRequest(let request): request.localDisplayName
    case .contactConnection(let connection): connection.id
    case .invalidJSON: displayName
    }
  }

  /// The contact of a direct chat.
  public var contact: Contact? { if case .direct(let contact) = self { contact } else { nil } }
  /// The group of a group's chat.
  public var groupInfo: GroupInfo? { if case .group(let groupInfo, _) = self { groupInfo } else { nil } }
  /// Whether messages go through relays.
  public var isChannel: Bool { if case .group(let groupInfo, _) = self { groupInfo.useRelays } else { false } }
  /// Whether the contact is known by its address only.
  public var contactCard: Bool { if case .direct(let contact) = self { contact.isContactCard } else { false } }
  /// Whether the conversation was deleted but the contact kept.
  public var chatDeleted: Bool { if case .direct(let contact) = self { contact.chatDeleted } else { false } }

  /// Whether the chat is connected.
  public var ready: Bool {
    switch self {
    case .direct(let contact): contact.ready
    case .group, .local, .contactRequest: true
    case .contactConnection, .invalidJSON: false
    }
  }

  /// Whether a random profile is used.
  public var incognito: Bool {
    switch self {
    case .direct(let contact): contact.contactConnIncognito
    case .group(let groupInfo, _): groupInfo.membership.memberIncognito
    case .contactConnection(let connection): connection.incognito
    case .local, .contactRequest, .invalidJSON: false
    }
  }

  /// Whether the next message or step connects.
  public var nextConnect: Bool { contact?.sendMsgToConnect ?? groupInfo?.nextConnectPrepared ?? false }
  /// Whether the next message or step connects what was prepared.
  public var nextConnectPrepared: Bool { contact?.nextConnectPrepared ?? groupInfo?.nextConnectPrepared ?? false }
  /// Whether it is too late to choose another profile.
  public var profileChangeProhibited: Bool {
    contact?.profileChangeProhibited ?? groupInfo?.profileChangeProhibited ?? false
  }

  /// Notifications, receipts and favourite flag, for chats that have them.
  public var chatSettings: ChatSettings? {
    // Does not go through `contact`, which would copy the whole contact: lists read this often.
    switch self {
    case .direct(let contact): contact.chatSettings
    case .group(let groupInfo, _): groupInfo.chatSettings
    default: nil
    }
  }
  /// The tags set on the chat.
  public var chatTags: [Int64]? {
    switch self {
    case .direct(let contact): contact.chatTags
    case .group(let groupInfo, _): groupInfo.chatTags
    default: nil
    }
  }
  /// The part of a group's chat.
  public func groupChatScope() -> GroupChatScope? {
    if case .group(_, let scope) = self { scope?.toChatScope() } else { nil }
  }

  /// When the chat last changed, for its place in the list.
  public var chatTs: Date {
    switch self {
    case .direct(let contact): contact.chatTs ?? contact.updatedAt
    case .group(let groupInfo, _): groupInfo.chatTs ?? groupInfo.updatedAt
    case .local(let noteFolder): noteFolder.chatTs
    case .contactRequest(let request): request.updatedAt
    case .contactConnection(let connection): connection.updatedAt
    case .invalidJSON: Date(timeIntervalSince1970: 0)
    }
  }

  /// Whether a message is notified of.
  public func ntfsEnabled(_ userMention: Bool) -> Bool {
    switch chatSettings?.enableNtfs {
    case .all: true
    case .mentions: userMention
    case .some(.none), nil: false
    }
  }

  /// Whether an item is notified of.
  public func ntfsEnabled(chatItem: ChatItem) -> Bool { ntfsEnabled(chatItem.meta.userMention) }
}

extension CIDirection {
  /// Whether the user sent it.
  public var sent: Bool {
    switch self {
    case .directSnd, .groupSnd, .localSnd: true
    case .directRcv, .groupRcv, .channelRcv, .localRcv: false
    }
  }
}
