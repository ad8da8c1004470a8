import AgentCore
import ChatAPI
import ChatLogic
import ChatProtocol
import ChatStore

// Ending transfers: by command, and with what shows them.

extension Turn {
  /// Cancels sending or receiving a file.
  func cancelFile(_ file: StoredFile, of user: User) throws -> ChatResponse {
    guard file.fileProtocol != .local else { throw StoreError.localFileNoTransfer(fileId: file.id) }
    guard !file.isCancelled else {
      throw ChatErrorType.fileCancel(fileId: file.id, message: "file already cancelled")
    }
    return try file.isSent ? cancelSending(file, of: user) : cancelReceiving(file, of: user)
  }

  private func cancelSending(_ file: StoredFile, of user: User) throws -> ChatResponse {
    let meta = try rows.sent(file)
    let recipients = try rows.recipients(of: file)
    try withdraw(file, of: user)
    let shown = try item(of: file, user)
    if let shown, let id = shown.chatItem.meta.itemSharedMsgId.flatMap({ SharedMsgId(text: $0) }) {
      try tellCancelled(id, in: shown.chatInfo, of: user)
    }
    return .response2(
      .sndFileCancelled(user: user, chatItem_: shown, fileTransferMeta: meta, sndFileTransfers: recipients))
  }

  /// Tells those who got a file that it is not there any more; a chat that nothing can be sent to is left out.
  private func tellCancelled(_ id: SharedMsgId, in chat: ChatInfo, of user: User) throws {
    switch chat {
    case .direct(let contact):
      guard (try? contact.sendingConnection()) != nil else { return }
      try send(.fileCancel(msgId: id), to: contact)
    case .group(let group, let scope):
      var place = GroupChat(user: user, group: group)
      place.scope = scope
      guard group.membership.memberCurrentOrPending else { return }
      try GroupConversation(place: place).deliver([.fileCancel(msgId: id)], in: self)
    default: break
    }
  }

  private func cancelReceiving(_ file: StoredFile, of user: User) throws -> ChatResponse {
    guard file.step != .complete else {
      throw ChatErrorType.fileCancel(fileId: file.id, message: "file transfer is complete")
    }
    let transfer = try rows.received(file)
    guard file.fileProtocol == .xftp, file.itemId != nil else {
      try cancelReceiving(file)
      return .response2(
        .rcvFileCancelled(user: user, chatItem_: try item(of: file, user), rcvFileTransfer: transfer))
    }
    if let id = AgentFileID(text: file.agentId), !file.isAgentDeleted {
      try command(.file(.deleteReceived(id, unfinished: file.unfinishedPath)))
    }
    try removeUnfinished(file)
    try rows.resetFile(file.id, .rcvInvitation)
    return .response2(.rcvFileCancelled(user: user, chatItem_: try item(of: file, user), rcvFileTransfer: transfer))
  }

  /// Cancels sending a file, its redirects, and the file that it redirects to, and deletes them at relays.
  private func withdraw(_ file: StoredFile, of user: User) throws {
    var transfers = [file] + (try rows.redirects(to: file.id))
    if let original = try redirected(by: file) { transfers.append(original) }
    for transfer in transfers { try endSending(transfer, .sndCancelled, of: user) }
  }

  /// Ends sending one file, and deletes it at relays. An upload in progress is deleted when its end is reported.
  func endSending(_ file: StoredFile, _ status: CIFileStatus, of user: User) throws {
    try rows.cancelFile(file.id, status)
    try deleteSent(file, agentUser: try user.agentID)
    try rows.setAgentDeleted(ofFile: file.id)
  }

  /// The file that a redirect leads to; nil for other files, and where it is cancelled.
  func redirected(by file: StoredFile) throws -> StoredFile? {
    guard let original = try file.redirectFor.flatMap({ try rows.fileIfPresent($0) }), !original.isCancelled else {
      return nil
    }
    return original
  }

  /// Lets the agent forget a file that was sent, and delete what is at relays.
  private func deleteSent(_ file: StoredFile, agentUser: UserID?) throws {
    guard let id = AgentFileID(text: file.agentId), !file.isAgentDeleted else { return }
    if let agentUser, let description = try rows.description(.sender, ofFile: file.id) {
      try command(.file(.deleteAtRelays(id, user: agentUser, description.fileDescrText)))
    } else {
      try command(.file(.deleteSent(id)))
    }
  }

  // MARK: With items

  /// Ends the transfers of items that are marked as deleted; local files stay.
  func endTransfers(of items: [ChatItem], user: User) throws {
    for item in items {
      guard let shown = item.file, !shown.fileStatus.isEnded else { continue }
      try endTransfer(shown.fileId, of: user)
    }
  }

  /// Ends a transfer where it has not ended.
  func endTransfer(_ id: Int64, of user: User) throws {
    guard let file = try rows.fileIfPresent(id), !file.isCancelled, !file.status.isEnded else { return }
    if file.isSent { try withdraw(file, of: user) } else { try cancelReceiving(file) }
  }

  /// Removes a file whose item is gone. What is at relays stays where all recipients have their descriptions: they may
  /// still receive it.
  /// - Parameter agentUser: whose file it is for the agent; nil where that user is gone.
  func forget(_ file: StoredFile, agentUser: UserID?) throws {
    if file.isSent, file.fileProtocol == .xftp {
      if file.status.isEnded {
        if let id = AgentFileID(text: file.agentId), !file.isAgentDeleted { try command(.file(.deleteSent(id))) }
      } else {
        try deleteSent(file, agentUser: agentUser)
      }
    } else if let id = AgentFileID(text: file.agentId), !file.isAgentDeleted {
      try command(.file(.deleteReceived(id, unfinished: file.unfinishedPath)))
    }
    try rows.deleteFile(file.id)
  }
}
