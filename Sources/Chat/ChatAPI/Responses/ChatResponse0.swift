import SimplexJSON

/// Responses about users, chats, servers and connections.
public indirect enum ChatResponse0: JSONCodable, Hashable, Sendable, ChatAPIResult {
  // MARK: Users and chats

  /// The current profile.
  case activeUser(user: User)
  /// All profiles.
  case usersList(users: [UserInfo])
  /// The core has started.
  case chatStarted
  /// The core was running already.
  case chatRunning
  /// The core has stopped.
  case chatStopped
  /// The list of chats.
  case apiChats(user: User, chats: [ChatData])
  /// A chat with items; `navInfo` says what follows them.
  case apiChat(user: User, chat: ChatData, navInfo: NavigationInfo? = nil)
  /// The kinds of content a chat has.
  case chatContentTypes(contentTypes: [MsgContentTag])
  /// The user's tags.
  case chatTags(user: User, userTags: [ChatTag])
  /// Versions and deliveries of an item.
  case chatItemInfo(user: User, chatItem: AChatItem, chatItemInfo: ChatItemInfo)
  /// The user's tags and those of the chat.
  case tagsUpdated(user: User, userTags: [ChatTag], chatTags: [Int64])

  // MARK: Servers

  /// The result of testing a server: success if there is no failure.
  case serverTestResult(user: User, testServer: String, testFailure: ProtocolTestFailure? = nil)
  /// The result of testing a relay: success if there is no failure.
  case chatRelayTestResult(user: User, relayProfile: RelayProfile? = nil, relayTestFailure: RelayTestFailure? = nil)
  /// Operators and their conditions.
  case serverOperatorConditions(conditions: ServerOperatorConditions)
  /// The user's servers by operator.
  case userServers(user: User, userServers: [UserOperatorServers])
  /// Errors and warnings about servers.
  case userServersValidation(user: User, serverErrors: [UserServersError], serverWarnings: [UserServersWarning])
  /// The conditions, and the version the user accepted.
  case usageConditions(
    usageConditions: UsageConditions, conditionsText: String, acceptedConditions: UsageConditions? = nil)
  /// Seconds after which items are deleted; absent for never.
  case chatItemTTL(user: User, chatItemTTL: Int64? = nil)
  /// Network settings.
  case networkConfig(networkConfig: NetCfg)
  /// What the relay says of a queue, and the last message received from it.
  case queueInfo(user: User, rcvMsgInfo: RcvMsgInfo? = nil, queueInfo: ServerQueueInfo)

  // MARK: Connections

  /// A contact's connection, and the random profile used for it.
  case contactInfo(
    user: User, contact: Contact, connectionStats_: ConnectionStats? = nil, customUserProfile: Profile? = nil)
  /// A group.
  case groupInfo(user: User, groupInfo: GroupInfo)
  /// A member's connection.
  case groupMemberInfo(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats_: ConnectionStats? = nil)
  /// Moving a contact's queue has begun.
  case contactSwitchStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
  /// Moving a member's queue has begun.
  case groupMemberSwitchStarted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
  /// Moving a contact's queue was stopped.
  case contactSwitchAborted(user: User, contact: Contact, connectionStats: ConnectionStats)
  /// Moving a member's queue was stopped.
  case groupMemberSwitchAborted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
  /// Renegotiation with a contact has begun.
  case contactRatchetSyncStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
  /// Renegotiation with a member has begun.
  case groupMemberRatchetSyncStarted(
    user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
  /// The security code of a contact.
  case contactCode(user: User, contact: Contact, connectionCode: String)
  /// The security code of a member.
  case groupMemberCode(user: User, groupInfo: GroupInfo, member: GroupMember, connectionCode: String)
  /// Whether the security code is the expected one.
  case connectionVerified(user: User, verified: Bool, expectedCode: String)
}
