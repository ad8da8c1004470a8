import Foundation

// The types that Foundation's coders read and write in the comparison: exactly the members of the samples, so that
// Foundation has no additional work. Variants are one object each.

struct MirrorResult: Codable {
  let result: MirrorResponse
}

struct MirrorResponse: Codable {
  let type: String
  let user: MirrorUser
  let chats: [MirrorChat]?
  let chat: MirrorChat?
}

struct MirrorUser: Codable {
  let userId: Int64
  let agentUserId: String
  let userContactId: Int64
  let localDisplayName: String
  let profile: MirrorProfile
  let fullPreferences: MirrorPreferences
  let activeUser: Bool
  let activeOrder: Int64
  let showNtfs, sendRcptsContacts, sendRcptsSmallGroups, autoAcceptMemberContacts, userChatRelay, clientService: Bool
}

struct MirrorProfile: Codable {
  let profileId: Int64
  let displayName, fullName: String
  let shortDescr, image: String?
  let localAlias: String
}

struct MirrorPreference: Codable { let allow: String }

struct MirrorPreferences: Codable {
  let timedMessages, fullDelete, reactions, voice, files, calls, sessions: MirrorPreference
  let commands: [String]
}

struct MirrorChat: Codable {
  let chatInfo: MirrorChatInfo
  let chatItems: [MirrorItem]
  let chatStats: MirrorStats
}

struct MirrorStats: Codable {
  let unreadCount, unreadMentions, reportsCount: Int
  let minUnreadItemId: Int64
  let unreadChat: Bool
}

struct MirrorChatInfo: Codable {
  let type: String
  let contact: MirrorContact
}

struct MirrorContact: Codable {
  let contactId: Int64
  let localDisplayName: String
  let profile: MirrorProfile
  let activeConn: MirrorConnection
  let contactUsed: Bool
  let contactStatus: String
  let chatSettings: MirrorSettings
  let userPreferences: [String: String]
  let mergedPreferences: MirrorMerged
  let createdAt, updatedAt, chatTs: Date
  let contactGrpInvSent: Bool
  let chatTags: [Int64]
  let chatDeleted: Bool
}

struct MirrorSettings: Codable {
  let enableNtfs: String
  let favorite: Bool
}

struct MirrorRange: Codable { let minVersion, maxVersion: Int }

struct MirrorTag: Codable { let type: String }

struct MirrorConnection: Codable {
  let connId: Int64
  let agentConnId: String
  let connChatVersion: Int
  let peerChatVRange: MirrorRange
  let connLevel: Int
  let viaGroupLink: Bool
  let connType: String
  let connStatus: MirrorTag
  let contactConnInitiated: Bool
  let localAlias: String
  let pqSupport, pqEncryption, pqSndEnabled, pqRcvEnabled: Bool
  let authErrCounter, quotaErrCounter: Int
  let createdAt: Date
}

struct MirrorEnabled: Codable { let forUser, forContact: Bool }

struct MirrorUserPreference: Codable {
  let type: String
  let preference: MirrorPreference
}

struct MirrorMergedPreference: Codable {
  let enabled: MirrorEnabled
  let userPreference: MirrorUserPreference
  let contactPreference: MirrorPreference
}

struct MirrorMerged: Codable {
  let timedMessages, fullDelete, reactions, voice, files, calls, sessions: MirrorMergedPreference
}

struct MirrorItem: Codable {
  let chatDir: MirrorTag
  let meta: MirrorMeta
  let content: MirrorContent
  let mentions: [String: String]
  let formattedText: [MirrorText]
  let quotedItem: MirrorQuote
  let reactions: [MirrorReactionCount]
}

struct MirrorMeta: Codable {
  let itemId: Int64
  let itemTs: Date
  let itemText: String
  let itemStatus: MirrorTag
  let itemSharedMsgId: String
  let itemEdited, userMention, hasLink, deletable, editable, showGroupAsSender: Bool
  let createdAt, updatedAt: Date
}

struct MirrorContent: Codable {
  let type: String
  let msgContent: MirrorMessage
}

struct MirrorMessage: Codable { let type, text: String }

struct MirrorText: Codable {
  let format: MirrorTag?
  let text: String
}

struct MirrorQuote: Codable {
  let chatDir: MirrorTag
  let itemId: Int64
  let sharedMsgId: String
  let sentAt: Date
  let content: MirrorMessage
}

struct MirrorReaction: Codable { let type, emoji: String }

struct MirrorReactionCount: Codable {
  let reaction: MirrorReaction
  let userReacted: Bool
  let totalReacted: Int
}

// MARK: - Dates

/// Foundation's fastest way to read and write our form of dates; its own `iso8601` strategy does not support fractions.
private let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

extension JSONDecoder {
  static func withDates() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      try dateStyle.parse(try decoder.singleValueContainer().decode(String.self))
    }
    return decoder
  }
}

extension JSONEncoder {
  static func withDates() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(dateStyle.format(date))
    }
    return encoder
  }
}
