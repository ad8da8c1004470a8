import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Items of one category that follow each other are shown as one.
public enum CIMergeCategory: Hashable, Sendable {
  case memberConnected, rcvGroupEvent, sndGroupEvent, sndItemDeleted, rcvItemDeleted, chatFeature
}

extension ChatItem {
  /// Whether only a mark is left of it.
  public var isDeletedContent: Bool {
    switch content {
    case .sndDeleted, .rcvDeleted, .sndModerated, .rcvModerated, .rcvBlocked: true
    default: false
    }
  }

  /// The member who became connected, if the item says that.
  public var memberConnected: GroupMember? {
    guard case .groupRcv(let member) = chatDir, case .rcvGroupEvent(.memberConnected) = content else { return nil }
    return member
  }

  /// What it can be shown as one with.
  public var mergeCategory: CIMergeCategory? {
    if meta.itemDeleted != nil { return chatDir.sent ? .sndItemDeleted : .rcvItemDeleted }
    switch content {
    case .rcvChatFeature, .sndChatFeature, .rcvGroupFeature, .sndGroupFeature: return .chatFeature
    case .rcvGroupEvent(let event):
      return switch event {
      case .userRole, .userDeleted, .groupDeleted, .memberCreatedContact: nil
      case .memberConnected: .memberConnected
      default: .rcvGroupEvent
      }
    case .sndGroupEvent(let event):
      return switch event {
      case .userLeft: nil
      default: .sndGroupEvent
      }
    default: return nil
    }
  }

  /// The file of the item if apps receive it without asking: of an image or voice message up to 522,240 bytes, of a
  /// video up to 1,047,552 bytes; nil for other files, and where the sender is blocked.
  public var automaticFile: CIFile? {
    guard let file, file.fileStatus == .rcvInvitation, !chatDir.sent, meta.itemDeleted == nil else { return nil }
    if case .groupRcv(let member) = chatDir, member.blocked { return nil }
    switch content.msgContent {
    case .image, .voice: return file.fileSize <= 522_240 ? file : nil
    case .video: return file.fileSize <= 1_047_552 ? file : nil
    default: return nil
    }
  }

  /// Whether it is notified of.
  public var showNotification: Bool {
    switch content {
    case .rcvMsgContent: meta.itemDeleted == nil
    case .rcvGroupInvitation: true
    case .rcvGroupEvent(let event):
      switch event {
      case .userDeleted, .groupDeleted, .memberCreatedContact, .newMemberPendingReview: true
      default: false
      }
    default: false
    }
  }

  /// The mark in a preview whose item was removed. It has no id in the core.
  static func deletedItemDummy(at item: ChatItem) -> ChatItem {
    ChatItem(
      chatDir: .directRcv,
      meta: CIMeta(
        itemId: -2, itemTs: item.meta.itemTs, itemText: "deleted", itemStatus: .rcvRead, itemEdited: false,
        userMention: false, deletable: false, editable: false, showGroupAsSender: false,
        createdAt: item.meta.createdAt, updatedAt: item.meta.updatedAt),
      content: .rcvDeleted(deleteMode: .cidmBroadcast))
  }
}
