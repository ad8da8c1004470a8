import SimplexJSON

/// Responses about connecting, items, contacts and profiles.
public indirect enum ChatResponse1: JSONCodable, Hashable, Sendable, ChatAPIResult {
  // MARK: Connecting

  /// A new invitation.
  case invitation(user: User, connLinkInvitation: CreatedConnLink, connection: PendingContactConnection)
  /// An invitation now uses another profile.
  case connectionIncognitoUpdated(user: User, toConnection: PendingContactConnection, customUserProfile: Profile? = nil)
  /// An invitation was moved to another user.
  case connectionUserChanged(
    user: User, fromConnection: PendingContactConnection, toConnection: PendingContactConnection, newUser: User)
  /// What a link leads to.
  case connectionPlan(
    user: User, connLink: CreatedConnLink, planSimplexName: SimplexNameInfo? = nil,
    otherSimplexName: SimplexNameInfo? = nil, connectionPlan: ConnectionPlan)
  /// A chat for a link that is not connected yet.
  case newPreparedChat(user: User, chat: ChatData)
  /// A prepared contact was moved to another user.
  case contactUserChanged(user: User, fromContact: Contact, newUser: User, toContact: Contact)
  /// A prepared group was moved to another user.
  case groupUserChanged(user: User, fromGroup: GroupInfo, newUser: User, toGroup: GroupInfo)
  /// The user joined by an invitation.
  case sentConfirmation(user: User, connection: PendingContactConnection, customUserProfile: Profile? = nil)
  /// The user requested to connect to an address.
  case sentInvitation(user: User, connection: PendingContactConnection, customUserProfile: Profile? = nil)
  /// Connecting to a prepared contact has begun.
  case startedConnectionToContact(user: User, contact: Contact, customUserProfile: Profile? = nil)
  /// Connecting to a prepared group has begun, by its relays if it has any.
  case startedConnectionToGroup(
    user: User, groupInfo: GroupInfo, customUserProfile: Profile? = nil, relayResults: [RelayConnectionResult] = [])
  /// A contact known by address was sent a request.
  case sentInvitationToContact(user: User, contact: Contact, customUserProfile: Profile? = nil)
  /// The contact is there already.
  case contactAlreadyExists(user: User, contact: Contact)
  /// A request was accepted and is being connected.
  case acceptingContactRequest(user: User, contact: Contact)
  /// A request was refused.
  case contactRequestRejected(user: User, contactRequest: UserContactRequest, contact_: Contact? = nil)
  /// An invitation was deleted.
  case contactConnectionDeleted(user: User, connection: PendingContactConnection)

  // MARK: Items

  /// New items.
  case newChatItems(user: User, chatItems: [AChatItem])
  /// An item changed.
  case chatItemUpdated(user: User, chatItem: AChatItem)
  /// An item was not changed.
  case chatItemNotChanged(user: User, chatItem: AChatItem)
  /// A reaction was added or removed.
  case chatItemReaction(user: User, added: Bool, reaction: ACIReaction)
  /// Who reacted.
  case reactionMembers(user: User, memberReactions: [MemberReaction])
  /// Items were deleted.
  case chatItemsDeleted(user: User, chatItemDeletions: [ChatItemDeletion], byUser: Bool, timed: Bool = false)
  /// Items of a group were deleted.
  case groupChatItemsDeleted(
    user: User, groupInfo: GroupInfo, chatItemIDs: [Int64], byUser: Bool, member_: GroupMember? = nil)
  /// Items were read.
  case itemsReadForChat(user: User, chatInfo: ChatInfo)
  /// Which items can be forwarded, and what to confirm first.
  case forwardPlan(user: User, itemsCount: Int, chatItemIds: [Int64], forwardConfirmation: ForwardConfirmation? = nil)
  /// A message that links to a chat.
  case chatMsgContent(user: User, msgContent: MsgContent)

  // MARK: Contacts

  /// All contacts.
  case contactsList(user: User, contacts: [Contact])
  /// A contact was deleted.
  case contactDeleted(user: User, contact: Contact)
  /// All items of a chat were deleted.
  case chatCleared(user: User, chatInfo: ChatInfo)
  /// The user deleted a group.
  case groupDeletedUser(user: User, groupInfo: GroupInfo, msgSigned: Bool = false)
  /// A contact's alias was changed.
  case contactAliasUpdated(user: User, toContact: Contact)
  /// A group's alias was changed.
  case groupAliasUpdated(user: User, toGroup: GroupInfo)
  /// An invitation's alias was changed.
  case connectionAliasUpdated(user: User, toConnection: PendingContactConnection)
  /// What the user allows a contact was changed.
  case contactPrefsUpdated(user: User, fromContact: Contact, toContact: Contact)

  // MARK: Profiles

  /// The profile was not changed.
  case userProfileNoChange(user: User)
  /// The user's profile was changed.
  case userProfileUpdated(user: User, fromProfile: Profile, toProfile: Profile, updateSummary: UserProfileUpdateSummary)
  /// A profile was hidden, shown, muted or unmuted.
  case userPrivacy(user: User, updatedUser: User)
  /// The user's address.
  case userContactLink(user: User, contactLink: UserContactLink)
  /// The user's address was changed.
  case userContactLinkUpdated(user: User, contactLink: UserContactLink)
  /// The user's address was created.
  case userContactLinkCreated(user: User, connLinkContact: CreatedConnLink)
  /// The user's address was deleted.
  case userContactLinkDeleted(user: User)
}
