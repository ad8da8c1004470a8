import ChatAPI
import SimplexJSON

/// Responses of the size that user interfaces load: the list of chats, and a page of a conversation.
enum ChatAPISamples {
  /// The list of `count` chats with contacts, each with its last item.
  static func chats(_ count: Int64) throws -> ChatResponse0 {
    let chat = try ChatData(jsonText: #"{"chatInfo":\#(chatInfo),"chatItems":[\#(item)],"chatStats":\#(chatStats)}"#)
    let chats = (1...count).map { number in
      var chat = chat
      if case .direct(var contact) = chat.chatInfo {
        contact.contactId = number
        chat.chatInfo = .direct(contact: contact)
      }
      return chat
    }
    return .apiChats(user: try User(jsonText: user), chats: chats)
  }

  /// A conversation with `count` items that have formatted text, a quote and reactions.
  static func chat(_ count: Int64) throws -> ChatResponse0 {
    let item = try ChatItem(jsonText: item)
    let items = (1...count).map { number in
      var item = item
      item.meta.itemId = number
      return item
    }
    let info = try ChatInfo(jsonText: chatInfo)
    return .apiChat(user: try User(jsonText: user), chat: ChatData(chatInfo: info, chatItems: items))
  }

  private static let stamp = "2024-05-06T07:08:09.123456Z"
  private static let chatStats =
    #"{"unreadCount":1,"unreadMentions":0,"reportsCount":0,"minUnreadItemId":17,"unreadChat":false}"#
  private static let image = "data:image/jpg;base64," + String(repeating: "QUJDRA", count: 40)
  private static let profile =
    #"{"profileId":4,"displayName":"alice","fullName":"Alice Liddell","shortDescr":"curious","image":"\#(image)","localAlias":""}"#
  private static let preferences =
    #"{"timedMessages":{"allow":"yes"},"fullDelete":{"allow":"no"},"reactions":{"allow":"yes"},"voice":{"allow":"yes"},"files":{"allow":"always"},"calls":{"allow":"yes"},"sessions":{"allow":"no"}"#
  private static let user =
    #"{"userId":1,"agentUserId":"1","userContactId":1,"localDisplayName":"bob","profile":\#(profile),"fullPreferences":\#(preferences),"commands":[]},"activeUser":true,"activeOrder":1,"showNtfs":true,"sendRcptsContacts":true,"sendRcptsSmallGroups":true,"autoAcceptMemberContacts":false,"userChatRelay":false,"clientService":false}"#
  private static let connection =
    #"{"connId":4,"agentConnId":"cGF0dGVybnBhdHRlcm5wYXR0ZXJu","connChatVersion":16,"peerChatVRange":{"minVersion":1,"maxVersion":16},"connLevel":0,"viaGroupLink":false,"connType":"contact","connStatus":{"type":"ready"},"contactConnInitiated":true,"localAlias":"","pqSupport":true,"pqEncryption":true,"pqSndEnabled":true,"pqRcvEnabled":true,"authErrCounter":0,"quotaErrCounter":0,"createdAt":"\#(stamp)"}"#

  private static func merged(_ name: String, _ allow: String) -> String {
    #""\#(name)":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"\#(allow)"}},"contactPreference":{"allow":"\#(allow)"}}"#
  }

  private static let mergedPreferences =
    "{"
    + ["timedMessages", "fullDelete", "reactions", "voice", "files", "calls", "sessions"].map { merged($0, "yes") }
    .joined(separator: ",") + "}"
  private static let chatInfo =
    #"{"type":"direct","contact":{"contactId":4,"localDisplayName":"alice","profile":\#(profile),"activeConn":\#(connection),"contactUsed":true,"contactStatus":"active","chatSettings":{"enableNtfs":"all","favorite":false},"userPreferences":{},"mergedPreferences":\#(mergedPreferences),"createdAt":"\#(stamp)","updatedAt":"\#(stamp)","chatTs":"\#(stamp)","contactGrpInvSent":false,"chatTags":[],"chatDeleted":false}}"#
  private static let quote =
    #"{"chatDir":{"type":"directSnd"},"itemId":12,"sharedMsgId":"QUJDREVGR0hJSktM","sentAt":"\#(stamp)","content":{"type":"text","text":"Shall we meet at the tea party?"}}"#
  private static let item =
    #"{"chatDir":{"type":"directRcv"},"meta":{"itemId":17,"itemTs":"\#(stamp)","itemText":"Yes: *see* https://example.com \"there\"","itemStatus":{"type":"rcvNew"},"itemSharedMsgId":"TUxLSklIR0ZFRENC","itemEdited":false,"userMention":false,"hasLink":true,"deletable":false,"editable":false,"showGroupAsSender":false,"createdAt":"\#(stamp)","updatedAt":"\#(stamp)"},"content":{"type":"rcvMsgContent","msgContent":{"type":"text","text":"Yes: *see* https://example.com \"there\""}},"mentions":{},"formattedText":[{"text":"Yes: "},{"format":{"type":"bold"},"text":"see"},{"text":" "},{"format":{"type":"uri"},"text":"https://example.com"},{"text":" \"there\""}],"quotedItem":\#(quote),"reactions":[{"reaction":{"type":"emoji","emoji":"👍"},"userReacted":true,"totalReacted":2}]}"#
}
