import SimplexJSON

/// The content of an item.
public indirect enum CIContent: JSONCodable, Hashable, Sendable {
  /// A sent message.
  case sndMsgContent(msgContent: MsgContent)
  /// A received message.
  case rcvMsgContent(msgContent: MsgContent)
  /// Deleted by the user; written by versions that did not keep deletion in the metadata.
  case sndDeleted(deleteMode: CIDeleteMode)
  /// Deleted by the sender; written by versions that did not keep deletion in the metadata.
  case rcvDeleted(deleteMode: CIDeleteMode)
  /// A call by the user; `duration` in seconds.
  case sndCall(status: CICallStatus, duration: Int)
  /// A call by the contact; `duration` in seconds.
  case rcvCall(status: CICallStatus, duration: Int)
  /// The sequence of messages is broken.
  case rcvIntegrityError(msgError: MsgErrorType)
  /// Messages that could not be decrypted.
  case rcvDecryptionError(msgDecryptError: MsgDecryptError, msgCount: UInt32)
  /// A message that was dropped.
  case rcvMsgError(rcvMsgError: RcvMsgError)
  /// An invitation to a group.
  case rcvGroupInvitation(groupInvitation: CIGroupInvitation, memberRole: GroupMemberRole)
  /// An invitation to a group by the user.
  case sndGroupInvitation(groupInvitation: CIGroupInvitation, memberRole: GroupMemberRole)
  /// An event caused by the contact.
  case rcvDirectEvent(rcvDirectEvent: RcvDirectEvent)
  /// An event in the group caused by others.
  case rcvGroupEvent(rcvGroupEvent: RcvGroupEvent)
  /// An event in the group caused by the user.
  case sndGroupEvent(sndGroupEvent: SndGroupEvent)
  /// An event of the connection.
  case rcvConnEvent(rcvConnEvent: RcvConnEvent)
  /// An event of the connection caused by the user.
  case sndConnEvent(sndConnEvent: SndConnEvent)
  /// A feature was switched by the contact.
  case rcvChatFeature(feature: ChatFeature, enabled: FeatureEnabled, param: Int?)
  /// A feature was switched by the user.
  case sndChatFeature(feature: ChatFeature, enabled: FeatureEnabled, param: Int?)
  /// The contact changed what it allows.
  case rcvChatPreference(feature: ChatFeature, allowed: FeatureAllowed, param: Int?)
  /// The user changed what it allows.
  case sndChatPreference(feature: ChatFeature, allowed: FeatureAllowed, param: Int?)
  /// A feature of the group was switched by others.
  case rcvGroupFeature(
    groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
  /// A feature of the group was switched by the user.
  case sndGroupFeature(
    groupFeature: GroupFeature, preference: GroupPreference, param: Int?, memberRole_: GroupMemberRole?)
  /// A received message that the feature does not allow.
  case rcvChatFeatureRejected(feature: ChatFeature)
  /// A received message that the group does not allow.
  case rcvGroupFeatureRejected(groupFeature: GroupFeature)
  /// A sent message that was removed by a moderator.
  case sndModerated
  /// A received message that was removed by a moderator.
  case rcvModerated
  /// A message of a blocked member.
  case rcvBlocked
  /// How the conversation is encrypted.
  case sndDirectE2EEInfo(e2eeInfo: E2EEInfo)
  /// How the conversation is encrypted.
  case rcvDirectE2EEInfo(e2eeInfo: E2EEInfo)
  /// How the group is encrypted.
  case sndGroupE2EEInfo(e2eeInfo: E2EEInfo)
  /// How the group is encrypted.
  case rcvGroupE2EEInfo(e2eeInfo: E2EEInfo)
  /// The banner at the beginning of the conversation.
  case chatBanner
  /// Content that could not be read; `json` is its text.
  case invalidJSON(direction: MsgDirection, json: String)
}
