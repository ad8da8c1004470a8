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
