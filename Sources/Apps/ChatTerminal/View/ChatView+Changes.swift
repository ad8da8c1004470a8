import ChatAPI

extension ChatView {
  // MARK: Edits

  func updated(_ user: User, _ item: AChatItem) -> [StyledText] {
    let chatItem = item.chatItem
    let isShown = isShown(
      to: user, in: item.chatInfo, direction: chatItem.chatDir, isMention: chatItem.meta.userMention)
    guard isShown || isTestView, let content = chatItem.content.msgContent else { return [] }
    if case .local = item.chatInfo { return [] }
    // Not the message changed, but what is known of its file.
    if chatItem.file?.fileStatus == .rcvAborted, !chatItem.meta.itemEdited {
      return of(user, unmuted(isShown, status(ofFileIn: item)))
    }
    if chatItem.meta.itemLive == true, chatItem.chatDir.sent || !showsLiveMessages { return [] }
    let peer = self.peer(item, isEdited: chatItem.meta.itemEdited)
    let lines = message(item, from: peer, context: context(item), content: content, isUpdate: true)
    return of(user, unmuted(isShown, lines))
  }

  func notChanged(_ user: User, _ item: AChatItem) -> [StyledText] {
    item.chatItem.chatDir.sent ? of(user, "message didn't change") : []
  }

  // MARK: Deletion

  /// How an item is gone; nil if it is not.
  func deletedText(_ item: AChatItem) -> String? {
    let word =
      switch item.chatItem.content {
      case .sndModerated, .rcvModerated: "deleted"
      default: "marked deleted"
      }
    switch item.chatItem.meta.itemDeleted {
    case nil: return nil
    case .deleted: return word
    case .blocked: return "blocked"
    case .blockedByAdmin: return "blocked by admin"
    case .moderated(_, let member):
      guard case .group(let group, _) = item.chatInfo else { return word }
      let isUser = member.groupMemberId == group.membership.groupMemberId
      return "\(word) by \(isUser ? "you" : member.localDisplayName)"
    }
  }

  /// The line in the place of a message that its author or a moderator deleted; nil for other items. The text may be
  /// kept, where the chat has no full deletion.
  func deletedLine(_ item: AChatItem) -> StyledText? {
    guard showsStatus, let deleted = item.chatItem.meta.itemDeleted else { return nil }
    switch deleted {
    case .blocked, .blockedByAdmin: return nil
    case .deleted: return gone(item)
    case .moderated(_, let member):
      guard case .group(let group, _) = item.chatInfo else { return gone(item) }
      let isUser = member.groupMemberId == group.membership.groupMemberId
      return gone(item, by: isUser ? "you" : member.localDisplayName)
    }
  }

  /// The line of a message that is deleted here.
  func gone(_ item: AChatItem, by author: String? = nil) -> StyledText {
    shortTime(item.chatItem.meta.itemTs) + " " + peer(item) + .error("[deleted\(author.map { " by \($0)" } ?? "")]")
  }

  /// Advice after the deletion of a message whose text other programs may keep.
  private func deletionAdvice(_ item: AChatItem) -> [StyledText] {
    switch item.chatInfo {
    case .direct(let contact):
      let command = StyledText.highlight("/set delete @\(typed(contact)) yes")
      return [
        "The message is shown as deleted. The program of \(name(contact)) may keep its text, unless both of you allow full deletion: \(command)"
      ]
    case .group(let group, _):
      return [
        "The message is shown as deleted. Programs of members may keep its text, unless an owner allows full deletion: \(.highlight("/set delete #\(typed(group)) on"))"
      ]
    default: return ["message marked deleted"]
    }
  }

  func deleted(_ user: User, _ deletions: [ChatItemDeletion], byUser: Bool, timed: Bool) -> [StyledText] {
    guard let deletion = deletions.first, deletions.count == 1 else {
      return of(user, "\(deletions.count) messages deleted")
    }
    let item = deletion.deletedChatItem
    let isShown = isShown(
      to: user, in: item.chatInfo, direction: item.chatItem.chatDir, isMention: item.chatItem.meta.userMention)
    return of(user, unmuted(isShown, deleted(deletion, byUser: byUser, timed: timed)))
  }

  private func deleted(_ deletion: ChatItemDeletion, byUser: Bool, timed: Bool) -> [StyledText] {
    let item = deletion.deletedChatItem
    if timed { return isTestView ? [StyledText("timed message deleted: \(item.chatItem.meta.itemText)")] : [] }
    let text = deletion.toChatItem.map { deletedText($0) } ?? "deleted"
    if byUser, showsStatus, let kept = deletion.toChatItem, deletedLine(kept) != nil { return deletionAdvice(kept) }
    if byUser { return ["message \(text ?? "deleted")"] }
    if showsStatus { return [deletion.toChatItem.flatMap { deletedLine($0) } ?? gone(item)] }
    guard let content = item.chatItem.content.msgContent else {
      return [.error("[unexpected message deletion, please report to developers]")]
    }
    let author = author(item, note: text.map { "[\($0)] " } ?? "")
    return message(item, from: author, context: [], content: content, isUpdate: false)
  }

  // MARK: Reactions

  func reaction(_ user: User, _ reaction: ACIReaction, added: Bool) -> [StyledText] {
    let change = reaction.chatReaction
    let emoji = text(change.reaction)
    if change.chatDir.sent { return of(user, StyledText("\(added ? "added" : "removed") \(emoji)")) }
    let isShown = isShown(to: user, in: reaction.chatInfo, direction: change.chatDir, isMention: false)
    guard showsReactions, isShown || isTestView, let content = change.chatItem.content.msgContent else { return [] }
    var item = AChatItem(chatInfo: reaction.chatInfo, chatItem: change.chatItem)
    let mark = reactionMark(item)
    item.chatItem.chatDir = change.chatDir
    let lines = preview(content).led(by: shortTime(change.sentAt) + " " + peer(item) + mark + " ")
    let shown = (showsStatus ? Self.indented(lines) : lines) + ["    \(added ? "+" : "-") \(emoji)"]
    return of(user, unmuted(isShown, shown))
  }

  private func reactionMark(_ item: AChatItem) -> StyledText {
    guard case .group(let group, _) = item.chatInfo else { return item.chatItem.chatDir.sent ? ">>" : ">" }
    switch item.chatItem.chatDir {
    case _ where item.chatItem.meta.showGroupAsSender: return ">"
    case .groupSnd: return "> \(.from(DisplayName.quoted(group.membership.localDisplayName)))"
    case .groupRcv(let member): return "> \(.from(typed(member)))"
    default: return ">"
    }
  }

  func reactions(_ item: ChatItem) -> [StyledText] {
    guard !item.reactions.isEmpty else { return [] }
    return [
      item.reactions.enumerated().reduce("      ") { line, next in
        let (index, count) = next
        let number = StyledText("\(count.totalReacted)", count.userReacted ? .italic : .plain)
        return line + (index == 0 ? "" : " ") + "\(text(count.reaction)) " + number
      }
    ]
  }

  private func text(_ reaction: MsgReaction) -> String {
    if case .emoji(let emoji) = reaction { emoji.rawValue } else { "?" }
  }

  // MARK: Details

  func info(_ item: AChatItem, _ info: ChatItemInfo) -> [StyledText] {
    let meta = item.chatItem.meta
    var lines: [StyledText] = ["sent at: \(time(meta.itemTs))"]
    if !item.chatItem.chatDir.sent { lines.append("received at: \(time(meta.createdAt))") }
    if let deletion = meta.itemTimed?.deleteAt { lines.append("to be deleted at: \(time(deletion))") }
    if !info.itemVersions.isEmpty { lines.append("message history:") }
    for version in info.itemVersions {
      lines += textLines(version.msgContent).led(by: "\(time(version.itemVersionTs)): ")
    }
    if let source = info.forwardedFromChatItem { lines.append(forwardedFrom(source)) }
    // Where a person sees how far messages came, also how far this one came for each member.
    if showsStatus, let statuses = info.memberDeliveryStatuses { lines += deliveries(statuses) }
    return lines
  }

  /// To how many members a message came how far.
  private func deliveries(_ statuses: [MemberDeliveryStatus]) -> [StyledText] {
    var counts: [String: Int] = [:]
    for status in statuses { counts[text(status.memberDeliveryStatus), default: 0] += 1 }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { StyledText("\($0.key): \(counted($0.value, "member"))") }
  }

  private func text(_ status: GroupSndStatus) -> String {
    switch status {
    case .new: "not sent yet"
    case .forwarded: "forwarded by others"
    case .inactive: "not sent, the connection is inactive"
    case .sent: "sent"
    case .rcvd(.ok): "received"
    case .rcvd(.badMsgHash): "received, with a wrong hash"
    case .error(let error): "not delivered, \(error.text)"
    case .warning(let error): "delayed, \(error.text)"
    case .invalid(let text): text
    }
  }

  private func forwardedFrom(_ source: AChatItem) -> StyledText {
    let you = source.chatItem.chatDir.sent ? "you " : ""
    let id = "chat item id: \(source.chatItem.meta.itemId)"
    switch source.chatInfo {
    case .direct(let contact): return StyledText("forwarded from: \(you)@\(typed(contact)), \(id)")
    case .group(let group, _): return StyledText("forwarded from: \(you)#\(typed(group)), \(id)")
    default: return StyledText("forwarded from: \(id)")
    }
  }

  func forwardPlan(_ count: Int, ids: [Int64], confirmation: ForwardConfirmation?) -> [StyledText] {
    var lines: [StyledText] = []
    switch confirmation {
    case nil: break
    case .filesNotAccepted(let ids):
      lines.append("Files can be received: \(ids.map(String.init).joined(separator: ", "))")
    case .filesInProgress(let count): lines.append("Still receiving \(count) file(s)")
    case .filesMissing(let count): lines.append("\(count) file(s) are missing")
    case .filesFailed(let count): lines.append("Receiving \(count) file(s) failed")
    }
    if ids.count == count {
      lines.append("all messages can be forwarded")
    } else {
      lines.append(
        ids.isEmpty ? "nothing to forward" : "\(ids.count) message(s) out of \(count) can be forwarded")
    }
    return lines
  }
}
