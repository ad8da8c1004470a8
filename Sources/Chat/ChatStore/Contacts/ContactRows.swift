import ChatAPI
import ChatLogic
import SQLiteKit
import SimplexJSON

/// Everything of a contact: `c` is the contact, `t` its chat, `p` its profile, `n` its connection.
let contactColumns = """
  c.contact_id, c.local_display_name, c.status, c.user_preferences, c.created_at, c.updated_at, c.request_id, \
  c.member_id, c.group_invitation_sent, c.direct_invitation, c.full_link, c.short_link, c.link_mode, \
  c.welcome_shared_id, c.request_shared_id, c.chat_deleted, t.ts, t.listed, t.favorite, t.notifications, \
  t.send_receipts, t.item_ttl, t.ui_themes, t.custom_data, \
  (SELECT json_group_array(g.tag_id) FROM chat_tagging g WHERE g.chat_id = t.chat_id), \
  \(profileColumns("p")), \(connectionColumns("n"))
  """

let contactTables = """
  contacts c JOIN profiles p ON p.profile_id = c.profile_id \
  JOIN chats t ON t.kind = 0 AND t.entity_id = c.contact_id AND t.scope = 0 \
  LEFT JOIN connections n ON n.connection_id = c.connection_id
  """

extension SQLiteRow {
  /// Reads ``contactColumns``.
  func contact(_ at: inout ColumnIndex, of user: User) throws(SQLFailure) -> Contact {
    let id = try integer(&at)
    let name = try text(&at)
    let status: ContactStatus = try self.name(&at, otherwise: .active)
    let userPreferences: Preferences = try optionalJSON(&at) ?? Preferences()
    let createdAt = try date(&at)
    let updatedAt = try date(&at)
    let request = try optionalInteger(&at)
    let member = try optionalInteger(&at)
    let invitationSent = try bool(&at)
    let directInvitation: GroupDirectInvitation? = try optionalJSON(&at)
    let prepared = try preparedContact(&at)
    let chatDeleted = try bool(&at)
    let ts = try date(&at)
    let listed = try bool(&at)
    let favorite = try bool(&at)
    let filter = MsgFilter(stored: try integer(&at))
    let receipts = try optionalBool(&at)
    let ttl = try optionalInteger(&at)
    let themes: ThemeModeOverrides? = try optionalJSON(&at)
    let customData: JSONValue? = try optionalJSON(&at)
    let tagText = try text(&at)
    let tags: [Int64] = tagText == "[]" ? [] : ((try? [Int64](jsonText: tagText)) ?? [])
    let profile = try localProfile(&at)
    let connection = try optionalConnection(&at)
    return Contact(
      contactId: id, localDisplayName: name, profile: profile, activeConn: connection, contactUsed: listed,
      contactStatus: status,
      chatSettings: ChatSettings(enableNtfs: filter, sendRcpts: receipts, favorite: favorite),
      userPreferences: userPreferences,
      mergedPreferences: ContactUserPreferences(
        profile: user.profile.preferences, user: userPreferences, contact: profile.preferences,
        incognito: connection?.customUserProfileId != nil),
      createdAt: createdAt, updatedAt: updatedAt, chatTs: ts, preparedContact: prepared, contactRequestId: request,
      contactGroupMemberId: member, contactGrpInvSent: invitationSent, groupDirectInv: directInvitation,
      chatTags: tags, chatItemTTL: ttl, uiThemes: themes, chatDeleted: chatDeleted, customData: customData)
  }

  private func preparedContact(_ at: inout ColumnIndex) throws(SQLFailure) -> PreparedContact? {
    let full = try optionalText(&at)
    let short = try optionalText(&at)
    let mode: ConnectionMode? = try optionalName(&at)
    let welcome = try optionalText(&at)
    let request = try optionalText(&at)
    guard let full, let mode else { return nil }
    return PreparedContact(
      connLinkToConnect: CreatedConnLink(connFullLink: full, connShortLink: short), uiConnLinkType: mode,
      welcomeSharedMsgId: welcome, requestSharedMsgId: request)
  }
}

extension MsgFilter {
  init(stored: Int64) {
    self =
      switch stored {
      case 0: .none
      case 2: .mentions
      default: .all
      }
  }

  var stored: Int64 {
    switch self {
    case .none: 0
    case .all: 1
    case .mentions: 2
    }
  }
}

extension Preferences {
  /// NULL for nothing set, as for most contacts.
  var optionalColumn: String? { self == Preferences() ? nil : column }
}
