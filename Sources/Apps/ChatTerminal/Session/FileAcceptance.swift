import ChatAPI
import SimpleXChat

/// Receives files without asking, as the options `-a` and `--auto-accept-files` say.
struct FileAcceptance: Sendable {
  let core: ChatController
  /// Files with fewer bytes are received; 0 for none.
  let limit: Int64

  /// Accepts the files of new messages, and returns what is to be told of each, behind the event.
  func accept(filesOf event: APIResult<ChatEvent>) async -> [APIResult<ChatEvent>] {
    var events: [APIResult<ChatEvent>] = []
    for id in Self.files(of: event, below: limit) {
      let result = await core.send(
        .receiveFile(fileId: id, userApprovedRelays: false, encrypted: nil, inline: nil, filePath: nil))
      switch result {
      case .result(.response2(.rcvFileAccepted(let user, let item))):
        events.append(.result(.rcvFileAccepted(user: user, chatItem: item)))
      case .result(.response2(.rcvFileAcceptedSndCancelled(let user, let file))):
        events.append(.result(.rcvFileAcceptedSndCancelled(user: user, rcvFileTransfer: file)))
      case .error(let error): events.append(.error(error))
      default: break
      }
    }
    return events
  }

  /// The ids of the files to receive: those that are offered by messages, but not of members who are blocked.
  static func files(of event: APIResult<ChatEvent>, below limit: Int64) -> [Int64] {
    guard limit > 0, case .result(.newChatItems(_, let items)) = event else { return [] }
    return items.compactMap { item in
      guard let file = item.chatItem.file, !item.chatItem.chatDir.sent, file.fileStatus == .rcvInvitation,
        file.fileSize < limit
      else { return nil }
      if case .groupRcv(let member) = item.chatItem.chatDir, member.blocked { return nil }
      return file.fileId
    }
  }
}
