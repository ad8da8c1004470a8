extension ChatInfo {
  /// Identifies the chat in user interfaces.
  public var id: ChatId {
    switch self {
    case .direct(let contact): "@\(contact.contactId)"
    case .group(let groupInfo, _): "#\(groupInfo.groupId)"
    case .local(let noteFolder): "*\(noteFolder.noteFolderId)"
    case .contactRequest(let request): "<@\(request.contactRequestId)"
    case .contactConnection(let connection): ":\(connection.pccConnId)"
    case .invalidJSON: "invalid"
    }
  }
}

extension CIDirection {
  /// Whether the user sent it.
  public var sent: Bool {
    switch self {
    case .directSnd, .groupSnd, .localSnd: true
    case .directRcv, .groupRcv, .channelRcv, .localRcv: false
    }
  }
}
