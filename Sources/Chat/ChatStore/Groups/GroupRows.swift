import ChatAPI
import ChatLogic
import SQLiteKit
import SimplexJSON

/// Everything of a group but its membership: `g` is the group, `t` its chat.
let groupColumns = """
  g.group_id, g.local_display_name, g.display_name, g.full_name, g.short_descr, g.description, g.image, \
  g.public_group, g.preferences, g.admission, g.local_alias, g.business, g.current_members, g.via_link, g.full_link, \
  g.short_link, g.link_prepared, g.link_started, g.welcome_shared_id, g.request_shared_id, g.profile_sent_at, \
  g.use_relays, g.relay_status, g.public_members, \
  (SELECT seen_version FROM rosters o WHERE o.group_id = g.group_id), g.created_at, g.updated_at, t.ts, t.favorite, t.notifications, t.send_receipts, t.item_ttl, t.ui_themes, \
  t.custom_data, (SELECT json_group_array(x.tag_id) FROM chat_tagging x WHERE x.chat_id = t.chat_id), g.attention
  """

/// The tables of ``groupColumns`` and, for the membership, of ``memberColumns``.
let groupTables = """
  groups g JOIN chats t ON t.kind = 1 AND t.entity_id = g.group_id AND t.scope = 0 \
  JOIN members m ON m.member_id = g.membership_id JOIN profiles p ON p.profile_id = m.profile_id \
  LEFT JOIN connections n ON n.connection_id = m.connection_id \
  LEFT JOIN chats s ON s.kind = 1 AND s.entity_id = m.group_id AND s.scope = -1
  """

extension SQLiteRow {
  /// Reads ``groupColumns`` and ``memberColumns``.
  func group(_ at: inout ColumnIndex) throws(SQLFailure) -> GroupInfo {
    let id = try integer(&at)
    let name = try text(&at)
    let profile = try groupProfile(&at)
    let alias = try text(&at)
    let business: BusinessChatInfo? = try optionalJSON(&at)
    let currentMembers = try integer(&at)
    let viaLink = try optionalText(&at)
    let prepared = try preparedGroup(&at)
    let profileSentAt = try optionalDate(&at)
    let useRelays = try bool(&at)
    let relayStatus = try optionalText(&at).flatMap { RelayStatus(rawValue: $0) }
    let publicMembers = try optionalInteger(&at)
    let rosterVersion = try optionalInteger(&at)
    let createdAt = try date(&at)
    let updatedAt = try date(&at)
    let ts = try date(&at)
    let favorite = try bool(&at)
    let filter = MsgFilter(stored: try integer(&at))
    let receipts = try optionalBool(&at)
    let ttl = try optionalInteger(&at)
    let themes: ThemeModeOverrides? = try optionalJSON(&at)
    let customData: JSONValue? = try optionalJSON(&at)
    let tagText = try text(&at)
    let tags: [Int64] = tagText == "[]" ? [] : ((try? [Int64](jsonText: tagText)) ?? [])
    let requireAttention = try int(&at)
    let membership = try member(&at)
    return GroupInfo(
      groupId: id, useRelays: useRelays, relayOwnStatus: relayStatus, localDisplayName: name, groupProfile: profile,
      localAlias: alias, businessChat: business,
      fullGroupPreferences: FullGroupPreferences(filling: profile.groupPreferences), membership: membership,
      chatSettings: ChatSettings(enableNtfs: filter, sendRcpts: receipts, favorite: favorite), createdAt: createdAt,
      updatedAt: updatedAt, chatTs: ts, userMemberProfileSentAt: profileSentAt, preparedGroup: prepared,
      chatTags: tags, chatItemTTL: ttl, uiThemes: themes, customData: customData,
      groupSummary: GroupSummary(currentMembers: currentMembers, publicMemberCount: publicMembers),
      rosterVersion: rosterVersion, membersRequireAttention: requireAttention,
      viaGroupLinkUri: viaLink)
  }

  private func groupProfile(_ at: inout ColumnIndex) throws(SQLFailure) -> GroupProfile {
    GroupProfile(
      displayName: try text(&at), fullName: try text(&at), shortDescr: try optionalText(&at),
      description: try optionalText(&at), image: try optionalText(&at), publicGroup: try optionalJSON(&at),
      groupPreferences: try optionalJSON(&at), memberAdmission: try optionalJSON(&at))
  }

  private func preparedGroup(_ at: inout ColumnIndex) throws(SQLFailure) -> PreparedGroup? {
    let full = try optionalText(&at)
    let short = try optionalText(&at)
    let isPrepared = try bool(&at)
    let isStarted = try bool(&at)
    let welcome = try optionalText(&at)
    let request = try optionalText(&at)
    guard let full else { return nil }
    return PreparedGroup(
      connLinkToConnect: CreatedConnLink(connFullLink: full, connShortLink: short),
      connLinkPreparedConnection: isPrepared, connLinkStartedConnection: isStarted, welcomeSharedMsgId: welcome,
      requestSharedMsgId: request)
  }
}
