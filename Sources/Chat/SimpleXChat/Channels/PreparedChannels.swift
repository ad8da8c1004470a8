import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore
import SimplexCrypto

// Channels that are shown before the user joins them by their link.

extension Turn {
  /// Creates the channel that a link shows, with its features and welcome message, which have no author. It has no
  /// members but the user until it is joined.
  func prepareChannel(_ data: GroupShortLinkData, by link: CreatedConnLink, of user: User) throws -> ChatData {
    let profile = data.groupProfile.withValidName
    let welcome = profile.description.map { MsgContent.text($0) }
    let id = try rows.createPreparedGroup(
      profile: profile, link: link, welcomeSharedMsgId: welcome.map { _ in SharedMsgId.random().text }, of: user)
    try rows.channels.setUsesRelays(group: id)
    try rows.channels.setMemberCount(data.publicGroupData?.publicMemberCount, ofGroup: id)
    var random = SystemRandom()
    let membership = NewMember(
      groupId: id, identity: .user(incognito: nil), memberId: MemberId(random: random.bytes(12)).text,
      role: GroupTopology.channel.unknownMemberRole, category: .userMember, status: .memUnknown,
      versions: ChatAPI.VersionRange(environment.options.chatVersions))
    try rows.setMembership(try rows.createMember(membership, of: user), host: nil, ofGroup: id)
    let chat = try groupChat(id, of: user)
    try addBanner(to: chat)
    for content in GroupFeatureItems.initial(chat.group.fullGroupPreferences, isSent: false) {
      try makeChannelItem(content, in: chat)
    }
    var shown = ChatData(chatInfo: chat.info, chatItems: [])
    guard let welcome else { return shown }
    let item = try makeChannelItem(
      .rcvMsgContent(msgContent: welcome), in: chat, sharedMsgId: chat.group.preparedGroup?.welcomeSharedMsgId)
    shown.chatItems = [item.chatItem]
    shown.chatStats.unreadCount = 1
    shown.chatStats.minUnreadItemId = item.chatItem.meta.itemId
    return shown
  }

  /// Adds an item whose author is the channel, without an event.
  @discardableResult
  private func makeChannelItem(
    _ content: CIContent, in chat: GroupChat, sharedMsgId: String? = nil
  ) throws -> AChatItem {
    var new = NewItem(chat: chat.chat, content: content, sharedMsgId: sharedMsgId)
    new.set(.channel)
    return try stored(new, in: chat)
  }

  /// Deletes a channel that could not be joined.
  func deletePreparedChannel(_ id: Int64, of user: User) throws {
    let chat = try groupChat(id, of: user)
    try deleteGroup(chat, waitForDelivery: false)
    purgeSoon()
  }
}
