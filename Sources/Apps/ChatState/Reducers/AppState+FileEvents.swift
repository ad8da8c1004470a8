import ChatAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AppState {
  /// Events of files.
  mutating func reduceFile(_ event: ChatEvent, _ now: Date) -> [StateEffect]? {
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
    case .rcvFileAcceptedSndCancelled, .rcvStandaloneFileComplete, .sndFileRedirectStartXFTP,
      .sndStandaloneFileComplete:
      return [.ignored(event)]
    default: return nil
    }
  }
}
