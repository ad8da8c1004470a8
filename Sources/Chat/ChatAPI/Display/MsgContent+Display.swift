extension MsgContent {
  /// Whether it is only text, with or without a preview.
  public var isText: Bool { if case .text = self { true } else { false } }
  /// Whether it is a voice message.
  public var isVoice: Bool { if case .voice = self { true } else { false } }
  /// Whether it is an image.
  public var isImage: Bool { if case .image = self { true } else { false } }
  /// Whether it is a video.
  public var isVideo: Bool { if case .video = self { true } else { false } }
  /// Whether it is an image or a video.
  public var isImageOrVideo: Bool { isImage || isVideo }
  /// Whether it comes with a file.
  public var isMediaOrFileAttachment: Bool { if case .file = self { true } else { isImageOrVideo } }
  /// The link, if it is one to a contact or group.
  public var chatLinkStr: String? { if case .chat(_, let link, _) = self { link.connLinkStr } else { nil } }
}

extension MsgChatLink {
  /// The link.
  public var connLinkStr: String {
    switch self {
    case .contact(let link, _, _), .invitation(let link, _), .group(let link, _): link
    }
  }

  private var profile: any NamedChat {
    switch self {
    case .contact(_, let profile, _), .invitation(_, let profile): profile
    case .group(_, let groupProfile): groupProfile
    }
  }

  /// The name of the contact or group.
  public var displayName: String { profile.displayName }
  /// The longer name of the contact or group.
  public var fullName: String { profile.fullName }
  /// One line about the contact or group.
  public var shortDescription: String? { profile.shortDescr }
  /// Image as `data:` URI.
  public var image: String? { profile.image }
  /// Whether it leads to a public group.
  public var isPublicGroup: Bool { if case .group(_, let profile) = self { profile.publicGroup != nil } else { false } }
}

extension ReportReason {
  /// The reason, in words.
  public var text: String {
    switch self {
    case .spam: "Spam"
    case .content: "Inappropriate content"
    case .community: "Violation of the rules of the group"
    case .profile: "Inappropriate profile"
    case .other: "Another reason"
    case .unknown(let type): type
    }
  }
}

extension ChatItem {
  /// Database id.
  public var id: Int64 { meta.itemId }

  /// The text, or a description of the item; the duration or the name of the file for messages without a text.
  public var text: String { text(isChannel: false) }

  /// As ``text``, with the words for channels.
  public func text(isChannel: Bool) -> String {
    let text = content.text(isChannel: isChannel)
    guard text.isEmpty else { return text }
    if case .voice(_, let duration) = content.msgContent { return "Voice message (\(durationText(duration)))" }
    return file?.fileName ?? ""
  }

  /// Whether it is received and not read.
  public var isRcvNew: Bool { meta.isRcvNew }
  /// Whether it is a report to the moderators.
  public var isReport: Bool { if case .report = content.msgContent { true } else { false } }
  /// Whether it is a report that was not handled yet.
  public var isActiveReport: Bool { isReport && meta.itemDeleted == nil }
}

extension CIMeta {
  /// Whether it is received and not read.
  public var isRcvNew: Bool { itemStatus == .rcvNew }
  /// Whether it is still being typed.
  public var isLive: Bool { itemLive == true }
  /// Whether the time to its disappearing is running.
  public var disappearing: Bool { !isRcvNew && itemTimed?.deleteAt != nil }
}

extension CIFile {
  /// Whether the file is on this device.
  public var loaded: Bool {
    switch fileStatus {
    case .sndStored, .sndTransfer, .sndComplete, .sndCancelled, .sndError, .sndWarning, .rcvComplete: true
    case .rcvInvitation, .rcvAccepted, .rcvTransfer, .rcvAborted, .rcvCancelled, .rcvError, .rcvWarning, .invalid: false
    }
  }
}
