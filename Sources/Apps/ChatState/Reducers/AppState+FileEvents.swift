import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of files.
  mutating func reduceFile(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    let effects = reduceItemFile(event, now) ?? reduceStandaloneFile(event)
    if effects != nil { followTransfer(event) }
    return effects
  }

  /// What happens to items.
  private mutating func reduceItemFile(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
    switch event {
    case .rcvFileAccepted(let user, let item), .rcvFileStart(let user, let item),
      .rcvFileComplete(let user, let item), .rcvFileDescrReady(let user, let item, _, _),
      .sndFileStart(let user, let item, _), .sndFileCompleteXFTP(let user, let item, _):
      return updated(of: user, changed: item, at: now)
    case .rcvFileSndCancelled(let user, let item, _), .sndFileComplete(let user, let item, _):
      return updated(of: user, changed: item, at: now) + [.cleanupFile(item)]
    case .rcvFileProgressXFTP(let user, let item, _, _, _), .rcvFileWarning(let user, let item, _, _),
      .sndFileProgressXFTP(let user, let item, _, _, _), .sndFileWarning(let user, let item, _, _):
      return item.map { updated(of: user, changed: $0, at: now) } ?? []
    case .rcvFileError(let user, let item, _, _), .sndFileError(let user, let item, _, _),
      .sndFileRcvCancelled(let user, let item, _):
      return item.map { updated(of: user, changed: $0, at: now) + [.cleanupFile($0)] } ?? []
    default: return nil
    }
  }

  private func reduceStandaloneFile(_ event: ChatEvent) -> [StateEffect]? {
    switch event {
    case .rcvFileAcceptedSndCancelled: [.ignored(event)]
    case .rcvStandaloneFileComplete, .sndFileRedirectStartXFTP, .sndStandaloneFileComplete: []
    default: nil
    }
  }

  // MARK: Transfers

  /// What happens to files on their way.
  private mutating func followTransfer(_ event: ChatEvent) {
    changes.insert(.transfers)
    switch event {
    case .rcvFileAccepted(let user, let item), .rcvFileStart(let user, let item), .sndFileStart(let user, let item, _):
      transfers.begin(item, of: user)
    case .rcvFileProgressXFTP(let user, let item, let done, let total, let file):
      transfers.begin(file, item, of: user)
      transfers.progress(file.fileId, done, of: total)
    // The file that leads to a large one is not one of its own.
    case .sndFileProgressXFTP(let user, let item, let file, let done, let total) where file.xftpRedirectFor == nil:
      transfers.begin(file, item, of: user)
      transfers.progress(file.fileId, done, of: total)
    case .rcvFileWarning(_, _, let error, let file): transfers.warn(file.fileId, error.text)
    case .sndFileWarning(_, _, let file, let reason): transfers.warn(file.xftpRedirectFor ?? file.fileId, reason)
    case .rcvStandaloneFileComplete(let user, let path, let file):
      transfers.begin(file, nil, of: user)
      transfers.end(file.fileId, .received(path: path))
    case .sndStandaloneFileComplete(let user, let file, let links):
      transfers.begin(file, nil, of: user)
      transfers.end(file.fileId, .sent(links: links))
    case .rcvFileError(let user, let item, let error, let file):
      transfers.begin(file, item, of: user)
      transfers.end(file.fileId, .failed(reason: error.text))
    case .sndFileError(let user, let item, let file, let reason):
      if file.xftpRedirectFor == nil { transfers.begin(file, item, of: user) }
      transfers.end(file.xftpRedirectFor ?? file.fileId, .failed(reason: reason))
    case .rcvFileComplete(_, let item), .sndFileComplete(_, let item, _):
      if let file = item.chatItem.file { transfers.end(file.fileId) }
    case .rcvFileSndCancelled(_, _, let file), .rcvFileAcceptedSndCancelled(_, let file): transfers.end(file.fileId)
    case .sndFileCompleteXFTP(_, _, let file): transfers.end(file.fileId)
    default: break
    }
  }

  /// A changed item says that its file is not on its way any more, as when its servers are not approved.
  mutating func endTransfer(ofFileIn item: AChatItem) {
    guard let file = item.chatItem.file, !file.fileStatus.isRunning, transfers.files[file.fileId] != nil else { return }
    transfers.end(file.fileId)
    changes.insert(.transfers)
  }

  /// The user cancelled a file.
  mutating func cancelledFile(_ fileId: Int64, _ item: AChatItem?, of user: User, at now: Date) -> [StateEffect] {
    transfers.end(fileId)
    changes.insert(.transfers)
    return item.map { updated(of: user, changed: $0, at: now) + [.cleanupFile($0)] } ?? []
  }

  /// A chat has no files any more, and none on their way.
  mutating func removeTransfers(of id: ChatId) {
    if transfers.remove(of: id) { changes.insert(.transfers) }
  }

  /// Removes a file outside of chats whose transfer has ended.
  mutating func forgetFile(_ fileId: Int64) {
    guard let file = transfers.files[fileId], file.phase != .running else { return }
    transfers.end(fileId)
    changes.insert(.transfers)
  }
}

extension CIFileStatus {
  /// Whether the file is being transferred, or will be.
  fileprivate var isRunning: Bool {
    switch self {
    case .sndStored, .sndTransfer, .sndWarning, .rcvAccepted, .rcvTransfer, .rcvWarning: true
    default: false
    }
  }
}
