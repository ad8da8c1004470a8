import SimplexJSON

/// A command that users type in a terminal: it names chats, members and files, and applies to the active user.
public enum TerminalCommand: Hashable, Sendable {
  // MARK: Users
  /// Creates a user: `/create user <name>[ <description>]`.
  case createUser(profile: NewProfile)
  /// Creates a user that serves as chat relay: `/create chat relay user <name>[ <description>]`.
  case createChatRelayUser(profile: NewProfile)
  /// Creates a bot; files are off unless allowed: `/create bot [files=on|off ]<name>[ <description>]`.
  case createBot(allowFiles: Bool?, profile: NewProfile)
  /// Makes a user active: `/user <user>[ <json password>]`.
  case setActiveUser(name: String, viewPwd: String?)
  /// Deletes a user and its queues: `/delete user <user>[ <json password>]`.
  case deleteUser(name: String, viewPwd: String?)
  /// Hides the active user behind a password: `/hide user <json password>`.
  case hideUser(viewPwd: String)
  /// Shows the active user again: `/unhide user <json password>`.
  case unhideUser(viewPwd: String)
  /// Mutes the active user: `/mute user`.
  case muteUser
  /// Unmutes the active user: `/unmute user`.
  case unmuteUser
  /// Sets delivery receipts for contacts: `/set receipts contacts on|off[ clear_overrides=on|off]`.
  case setUserContactReceipts(settings: UserMsgReceiptSettings)
  /// Sets delivery receipts for groups: `/set receipts groups on|off[ clear_overrides=on|off]`.
  case setUserGroupReceipts(settings: UserMsgReceiptSettings)
  /// Sets whether contacts from group members are accepted: `/set accept member contacts on|off`.
  case setUserAutoAcceptMemberContacts(enable: Bool)
  /// Stores whether a user is a service, while the chat is stopped: `/set client service <userId>:<user> on|off`.
  case setClientService(userId: Int64, name: String, enable: Bool)
  /// Marks all chats as read: `/read user`.
  case userRead
  /// The profile: `/profile`.
  case showProfile
  /// Changes name and description: `/profile <name>[ <description>]`.
  case updateProfile(profile: NewProfile)
  /// Sets the image of the profile: `/set profile image <image>`.
  case updateProfileImage(image: String)
  /// Removes the image of the profile: `/delete profile image`.
  case deleteProfileImage
  /// The image of the profile: `/show profile image`.
  case showProfileImage
  /// Sets the commands that a bot offers: `/set bot commands '<label>':'<command>',…`.
  case setBotCommands(commands: [ChatBotCommand])
  /// Removes the commands that a bot offers: `/delete bot commands`.
  case deleteBotCommands
  /// Creates an address: `/address`.
  case createMyAddress
  /// Deletes the address: `/delete_address`.
  case deleteMyAddress
  /// The address: `/show_address`.
  case showMyAddress
  /// Adds the address to the profile, or removes it: `/profile_address on|off`.
  case setProfileAddress(on: Bool)
  /// Sets how requests are accepted: `/auto_accept on|off[ business][ incognito=on|off][ text <reply>]`.
  case setAddressSettings(settings: AddressSettings)

  // MARK: Contacts
  /// Creates a one-time invitation: `/connect[ incognito]`.
  case addContact(incognito: Bool)
  /// Connects via a link: `/connect[ incognito] <link>`.
  case connect(incognito: Bool, connLink: String)
  /// Connects to the SimpleX team: `/simplex[ incognito]`.
  case connectSimplex(incognito: Bool)
  /// Accepts a contact request: `/accept[ incognito] @<contact>`.
  case acceptContact(incognito: Bool, contact: String)
  /// Rejects a contact request: `/reject @<contact>`.
  case rejectContact(contact: String)
  /// Deletes a contact: `/delete @<contact>[ full|entity|messages][ notify=on|off]`.
  case deleteContact(contact: String, mode: ChatDeleteMode)
  /// Deletes all messages with a contact: `/clear @<contact>`.
  case clearContact(contact: String)
  /// All contacts: `/contacts`.
  case listContacts
  /// A contact and its connection: `/info @<contact>`.
  case contactInfo(contact: String)
  /// The state of a contact's queue: `/queue info @<contact>`.
  case contactQueueInfo(contact: String)
  /// Moves a contact to another queue: `/switch @<contact>`.
  case switchContact(contact: String)
  /// Stops moving a contact: `/abort switch @<contact>`.
  case abortSwitchContact(contact: String)
  /// Repairs the encryption with a contact: `/sync @<contact>[ force=on]`.
  case syncContactRatchet(contact: String, force: Bool)
  /// The security code of a contact: `/code @<contact>`.
  case getContactCode(contact: String)
  /// Compares the security code of a contact: `/verify @<contact>[ <code>]`.
  case verifyContact(contact: String, code: String?)
  /// Enables a contact again: `/enable @<contact>`.
  case enableContact(contact: String)
  /// Calls a contact: `/call @<contact>`.
  case sendCallInvitation(contact: String)
  /// Accepts a direct contact from a group member: `/accept_member_contact @<contact>`.
  case acceptMemberContact(contact: String)
  /// Sets the notifications of a chat: `/mute @<contact>|#<group>|*`.
  case setShowMessages(chat: ChatName, ntfs: MsgFilter)
  /// Sets delivery receipts of a chat; nil as for the user: `/receipts @<contact>|#<group>|* on|off|default`.
  case setSendReceipts(chat: ChatName, enable: Bool?)

  // MARK: Groups
  /// Creates a group: `/group[ incognito] #<name>[ <description>]`.
  case newGroup(incognito: Bool, profile: NewProfile)
  /// Creates a channel: `/public group[ incognito] relays=<relayId>,… #<name>[ <description>]`.
  case newPublicGroup(incognito: Bool, relayIds: [Int64], profile: NewProfile)
  /// Invites a contact: `/add #<group> @<contact>[ owner|admin|moderator|member|author|observer|relay]`.
  case addMember(group: String, contact: String, role: GroupMemberRole)
  /// Accepts an invitation: `/join #<group>[ mute]`.
  case joinGroup(group: String, mute: Bool)
  /// Admits a member: `/accept member #<group> @<member>[ owner|admin|moderator|member|author|observer|relay]`.
  case acceptMember(group: String, member: String, role: GroupMemberRole)
  /// Changes the role of a member:
  /// `/member role #<group> @<member> owner|admin|moderator|member|author|observer|relay`.
  case memberRole(group: String, member: String, role: GroupMemberRole)
  /// Blocks a member for everybody: `/block for all #<group> @<member>`.
  case blockForAll(group: String, member: String)
  /// Unblocks a member for everybody: `/unblock for all #<group> @<member>`.
  case unblockForAll(group: String, member: String)
  /// Hides the messages of a member: `/block #<group> @<member>`.
  case blockMember(group: String, member: String)
  /// Shows the messages of a member again: `/unblock #<group> @<member>`.
  case unblockMember(group: String, member: String)
  /// Removes members: `/remove #<group> @<member>,…[ messages=on|off]`.
  case removeMembers(group: String, members: [String], withMessages: Bool)
  /// Leaves a group: `/leave #<group>`.
  case leaveGroup(group: String)
  /// Deletes a group: `/delete #<group>`.
  case deleteGroup(group: String)
  /// Deletes all messages of a group: `/clear #<group>`.
  case clearGroup(group: String)
  /// All members of a group: `/members #<group>`.
  case listMembers(group: String)
  /// The chats of a group's members with the moderators: `/member support chats #<group>`.
  case listMemberSupportChats(group: String)
  /// Groups, those with a contact or with a text in their names: `/groups[ @<contact>][ <search>]`.
  case listGroups(contact: String?, search: String?)
  /// Changes name and description of a group: `/group_profile #<group> <name>[ <description>]`.
  case updateGroupNames(group: String, profile: NewProfile)
  /// The profile of a group: `/group_profile #<group>`.
  case showGroupProfile(group: String)
  /// Sets the welcome message of a group: `/set welcome #<group> <message>`.
  case updateGroupDescription(group: String, description: String)
  /// Removes the welcome message of a group: `/delete welcome #<group>`.
  case deleteGroupDescription(group: String)
  /// The welcome message of a group: `/show welcome #<group>`.
  case showGroupDescription(group: String)
  /// Creates the link of a group: `/create link #<group>[ owner|admin|moderator|member|author|observer|relay]`.
  case createGroupLink(group: String, role: GroupMemberRole)
  /// Sets the role of those who join by link:
  /// `/set link role #<group> owner|admin|moderator|member|author|observer|relay`.
  case groupLinkMemberRole(group: String, role: GroupMemberRole)
  /// Deletes the link of a group: `/delete link #<group>`.
  case deleteGroupLink(group: String)
  /// The link of a group: `/show link #<group>`.
  case showGroupLink(group: String)
  /// A group: `/info #<group>`.
  case showGroupInfo(group: String)
  /// A member and its connection: `/info #<group> @<member>`.
  case groupMemberInfo(group: String, member: String)
  /// The state of a member's queue: `/queue info #<group> @<member>`.
  case groupMemberQueueInfo(group: String, member: String)
  /// Moves a member to another queue: `/switch #<group> @<member>`.
  case switchGroupMember(group: String, member: String)
  /// Stops moving a member: `/abort switch #<group> @<member>`.
  case abortSwitchGroupMember(group: String, member: String)
  /// Repairs the encryption with a member: `/sync #<group> @<member>[ force=on]`.
  case syncGroupMemberRatchet(group: String, member: String, force: Bool)
  /// The security code of a member: `/code #<group> @<member>`.
  case getGroupMemberCode(group: String, member: String)
  /// Compares the security code of a member: `/verify #<group> @<member>[ <code>]`.
  case verifyGroupMember(group: String, member: String, code: String?)
  /// Enables a member again: `/enable #<group> @<member>`.
  case enableGroupMember(group: String, member: String)
  /// Shares a channel in a chat: `/share chat #<group> @<contact>|#<group>|*`.
  case sharePublicGroup(group: String, chat: ChatName)

  // MARK: Messages
  /// Sends a message: `@<contact>|#<group>[(support[:<member>])]|/* <message>`.
  case sendMessage(to: MessageRecipient, text: String)
  /// Sends a message to a member directly: `@#<group> @<member> <message>`.
  case sendMemberContactMessage(group: String, member: String, text: String)
  /// Sends a message that changes while it is typed: `/live @<contact>|#<group>|*[ <message>]`.
  case sendLiveMessage(chat: ChatName, text: String)
  /// Replies to a message of a contact: `>@<contact> (<quoted text>) <message>`.
  case sendMessageQuote(contact: String, quoted: String, text: String)
  /// Replies to a message sent to a contact: `>>@<contact> (<quoted text>) <message>`.
  case sendOwnMessageQuote(contact: String, quoted: String, text: String)
  /// Replies to a message in a group: `>#<group>[ @<member>] (<quoted text>) <message>`.
  case sendGroupMessageQuote(group: String, member: String?, quoted: String, text: String)
  /// Sends a message to all contacts: `/feed <message>`.
  case sendMessageBroadcast(text: String)
  /// Forwards a message from a contact: `@<contact>|#<group>|* <- @<contact> <message>`.
  case forwardMessage(to: ChatName, contact: String, text: String)
  /// Forwards a message from a group: `@<contact>|#<group>|* <- #<group>[ @<member>] <message>`.
  case forwardGroupMessage(to: ChatName, group: String, member: String?, text: String)
  /// Forwards a note: `@<contact>|#<group>|* <- * <message>`.
  case forwardLocalMessage(to: ChatName, text: String)
  /// Edits the last message, or the one that begins like this: `!@<contact>|#<group>|*[ (<quoted text>) ] <message>`.
  case editMessage(chat: ChatName, edited: String?, text: String)
  /// Deletes the message that begins like this: `\@<contact>|#<group>|* <message>`.
  case deleteMessage(chat: ChatName, text: String)
  /// Deletes the message of a member that begins like this: `\\#<group> @<member> <message>`.
  case deleteMemberMessage(group: String, member: String, text: String)
  /// Adds a reaction to the message that begins like this, or removes it: `+|-<emoji> @<contact>|#<group>|* <message>`.
  case reactToMessage(add: Bool, reaction: MREmojiChar, chat: ChatName, text: String)
  /// Reports the message that begins like this: `/report #<group>[ @<member>] <reason> <message>`.
  case reportMessage(group: String, member: String?, reason: ReportReason, text: String)
  /// Deletes all notes: `/clear *`.
  case clearNoteFolder
  /// The last chats; nil for all: `/chats[ <count>|all]`.
  case lastChats(count: Int?)
  /// The last messages: `/tail[ @<contact>|#<group>|*][ <count>]`.
  case lastMessages(chat: ChatName?, count: Int)
  /// Messages with a text in them: `/search[ @<contact>|#<group>|*][ <count>] <text>`.
  case searchMessages(chat: ChatName?, count: Int, search: String)
  /// The number of the last item, or of one before it: `/last_item_id[ @<contact>|#<group>|*][ <index>]`.
  case lastChatItemId(chat: ChatName?, index: Int)
  /// An item: `/show <itemId>`.
  case showChatItem(itemId: Int64)
  /// Sets whether live messages are shown: `/show[ on|off]`.
  case showLiveItems(show: Bool)
  /// The versions of the message that begins like this: `/item info @<contact>|#<group>|* <message>`.
  case showChatItemInfo(chat: ChatName, text: String)
  /// Sends a file: `/file @<contact>|#<group>|* [key=<key> nonce=<nonce> ]<path>`.
  case sendFile(chat: ChatName, file: CryptoFile)
  /// Sends an image: `/image @<contact>|#<group>|* [key=<key> nonce=<nonce> ]<path>`.
  case sendImage(chat: ChatName, file: CryptoFile)
  /// Forwards a file: `/fforward @<contact>|#<group>|* <fileId>`.
  case forwardFile(chat: ChatName, fileId: Int64)
  /// Forwards an image: `/image_forward @<contact>|#<group>|* <fileId>`.
  case forwardImage(chat: ChatName, fileId: Int64)
  /// Sends a file that is uploaded already: `/fdescription @<contact>|#<group>|* <path>`.
  case sendFileDescription(chat: ChatName, path: String)
  /// The progress of a file: `/fstatus <fileId>`.
  case fileStatus(fileId: Int64)

  // MARK: Settings
  /// Sets whether a feature is allowed with contacts: `/set voice always|yes|no`.
  case setUserFeature(feature: ChatFeature, allowed: FeatureAllowed)
  /// Sets whether a feature is allowed with a contact; nil as for the user: `/set voice @<contact>[ always|yes|no]`.
  case setContactFeature(feature: ChatFeature, contact: String, allowed: FeatureAllowed?)
  /// Turns a feature of a group on or off, for members of a role:
  /// `/set voice #<group> on|off[ owner|admin|moderator|member|author|observer|relay]`.
  case setGroupFeature(feature: GroupFeature, group: String, enabled: GroupFeatureEnabled, role: GroupMemberRole?)
  /// Sets whether disappearing messages are allowed with contacts: `/set disappear <yes|no>`.
  case setUserTimedMessages(enable: Bool)
  /// Sets disappearing messages with a contact; nil as for the user: `/set disappear @<contact>[ yes[ <time>]|no]`.
  case setContactTimedMessages(contact: String, setting: TimedMessagesSetting?)
  /// Sets disappearing messages of a group; nil turns them off: `/set disappear #<group> on <time>|off`.
  case setGroupTimedMessages(group: String, seconds: Int?)
  /// Sets whom moderators review before they join: `/set admission review #<group> <all|off>`.
  case setGroupMemberAdmissionReview(group: String, criteria: MemberCriteria?)
  /// Sets how long messages are kept: `/ttl day|week|month|year|none`.
  case setChatItemTTL(period: MessagePeriod)
  /// How long messages are kept: `/ttl`.
  case getChatItemTTL
  /// Sets how long messages of a chat are kept; nil as for the user:
  /// `/ttl @<contact>|#<group>|* day|week|month|year|none|default`.
  case setChatTTL(chat: ChatName, period: MessagePeriod?)
  /// How long messages of a chat are kept: `/ttl @<contact>|#<group>|*`.
  case getChatTTL(chat: ChatName)
  /// Sets the network configuration: `/network socks=<on|off|address>[ socks-mode=always|onion][
  /// host-mode=public|onion][ required-host-mode][ smp-proxy=always|unknown|unprotected|never][
  /// smp-proxy-fallback=no|protected|yes][ smp-web-port-servers=all|preset|off][ timeout=<seconds>][ log=on|off]`.
  case setNetworkConfig(config: NetworkOptions)
  /// The servers of the user: `/smp`.
  case getUserProtoServers(serverProtocol: ServerProtocol)
  /// Sets the servers of the user; none for the preset ones: `/smp <smp server>[ <smp server>]…|default`.
  case setUserProtoServers(serverProtocol: ServerProtocol, servers: [String])
  /// Tests a server: `/smp test <smp server>`.
  case testProtoServer(server: String)
  /// The chat relays of the user: `/relays`.
  case getUserChatRelays
  /// Sets the chat relays of the user: `/relays name=<name> <address> …`.
  case setUserChatRelays(relays: [NewChatRelay])
  /// Tests a chat relay: `/relay test <address>`.
  case testChatRelay(address: String)
  /// Sets what operators are used for:
  /// `/operators <operatorId>:on|off[:smp=off|storage|proxy|on][:xftp=off|storage|proxy|on],…`.
  case setServerOperators(operators: [OperatorRoles])

  // MARK: System
  /// Help: `/help`.
  case chatHelp(section: HelpSection)
  /// The welcome message: `/welcome`.
  case welcome
  /// Ends the program: `/quit`.
  case quitChat
  /// Exports the databases to a file named by the time: `/db export`.
  case exportArchive
  /// The slowest database queries: `/sql slow`.
  case slowSQLQueries
  /// Runs a query on the chat database: `/sql chat <query>`.
  case execChatStoreSQL(query: String)
  /// Runs a query on the agent database: `/sql agent <query>`.
  case execAgentStoreSQL(query: String)
  /// Sets the folder for temporary files: `/_temp_folder <path>`.
  case setTempFolder(path: String)
  /// Sets the folder for files: `/_files_folder <path>`.
  case setFilesFolder(path: String)
  /// Sets the folder for files of controlled devices: `/remote_hosts_folder <path>`.
  case setRemoteHostsFolder(path: String)
  /// The devices that this one can control: `/list remote hosts`.
  case listRemoteHosts
  /// Controls another device; nil for this one: `/switch remote host <hostId>|local`.
  case switchRemoteHost(hostId: Int64?)
  /// Waits for a device to control:
  /// `/start remote host new|<hostId>[ multicast=on|off][ addr=<address> iface=<interface>][ port=<port>]`.
  case startRemoteHost(host: RemoteHostStart, address: RCCtrlAddress?, port: UInt16?)
  /// Ends a session; nil for a device that is not known yet: `/stop remote host <hostId>|new`.
  case stopRemoteHost(hostId: Int64?)
  /// Deletes a known device: `/delete remote host <hostId>`.
  case deleteRemoteHost(hostId: Int64)
  /// Copies a file to a device: `/store remote file <hostId>[ encrypt=on|off] <path>`.
  case storeRemoteFile(hostId: Int64, encrypt: Bool?, path: String)
  /// Copies a file from a device: `/get remote file <hostId> <json RemoteFile>`.
  case getRemoteFile(hostId: Int64, file: RemoteFile)
  /// The locks that are held: `/debug locks`.
  case debugLocks
  /// Emits an event: `/debug event <json JSONValue>`.
  case debugEvent(event: JSONValue)
  /// Subscriptions: `/get subs`.
  case getAgentSubs
  /// Subscriptions in detail: `/get subs details`.
  case getAgentSubsDetails
  /// Running tasks: `/get workers`.
  case getAgentWorkers
  /// Running tasks in detail: `/get workers details`.
  case getAgentWorkersDetails
  /// Queues in memory: `/get queues`.
  case getAgentQueuesInfo
  /// A command that the program handles itself: `//<text>`.
  case custom(text: String)
}
