import FoundationTypes
import SimplexJSON

/// Responses to commands that only terminals, desktops and developers give.
public indirect enum ChatResponse3: JSONCodable, Hashable, Sendable, ChatAPIResult {
  // MARK: Terminal

  /// The list of chats, in the terminal.
  case chats(chats: [ChatData])
  /// Items of all chats, in the terminal.
  case chatItems(user: User, chatName_: ChatName? = nil, chatItems: [AChatItem])
  /// The id of the last item, if there is one.
  case chatItemId(user: User, chatItemId: Int64? = nil)  // json: list
  /// A message was sent to all contacts.
  case broadcastSent(user: User, msgContent: MsgContent, successes: Int, failures: Int, timestamp: Date)
  /// Help of the terminal.
  case chatHelp(helpSection: HelpSection)
  /// Greeting of the terminal.
  case welcome(user: User)
  /// Members with support chats.
  case memberSupportChats(user: User, groupInfo: GroupInfo, members: [GroupMember])
  /// State of a transfer in messages, with the number of parts per recipient.
  case fileTransferStatus(user: User, fileTransfer: FileTransfer, chunks: [Int64])  // json: list
  /// State of a transfer through file servers.
  case fileTransferStatusXFTP(user: User, chatItem: AChatItem)  // json: list
  /// The user's profile.
  case userProfile(user: User, profile: Profile)
  /// The user's profile image.
  case userProfileImage(user: User, profile: Profile)
  /// A member joined.
  case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
  /// A group's profile, in the terminal.
  case groupProfile(user: User, groupInfo: GroupInfo)
  /// A group's welcome message, in the terminal.
  case groupDescription(user: User, groupInfo: GroupInfo)
  /// A response made by a program that is built on the core.
  case customChatResponse(user_: User? = nil, response: String)

  // MARK: Remote hosts

  /// Mobile devices this one can control.
  case remoteHostList(remoteHosts: [RemoteHostInfo])
  /// The mobile device commands go to; absent for this device.
  case currentRemoteHost(remoteHost_: RemoteHostInfo? = nil)
  /// Waiting for a mobile device has begun.
  case remoteHostStarted(
    remoteHost_: RemoteHostInfo? = nil, invitation: String, ctrlPort: String, localAddrs: [RCCtrlAddress])
  /// A file was copied to a mobile device.
  case remoteFileStored(remoteHostId: Int64, remoteFileSource: CryptoFile)

  // MARK: Diagnostics

  /// Connections that only the chat or only the agent has.
  case connectionsDiff(showIds: Bool, userIds: DatabaseDiff, connIds: DatabaseDiff)
  /// Rows of a query.
  case sQLResult(rows: [String])
  /// Slow queries of both databases.
  case slowSQLQueries(chatQueries: [SlowSQLQuery], agentQueries: [SlowSQLQuery])
  /// Locks held by the core.
  case debugLocks(chatLockName: String? = nil, chatEntityLocks: [String: String], agentLocks: AgentLocks)
  /// Workers of the agent.
  case agentWorkersDetails(agentWorkersDetails: AgentWorkersDetails)
  /// Counts of the agent's workers.
  case agentWorkersSummary(agentWorkersSummary: AgentWorkersSummary)
  /// Counts of subscriptions by server.
  case agentSubs(activeSubs: [String: Int], pendingSubs: [String: Int], removedSubs: [String: [String]])
  /// Subscriptions of the agent.
  case agentSubsDetails(agentSubs: SubscriptionsInfo)
  /// Queues inside the agent.
  case agentQueuesInfo(agentQueuesInfo: AgentQueuesInfo)
}
