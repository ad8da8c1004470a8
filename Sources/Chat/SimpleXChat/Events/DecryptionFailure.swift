import AgentCore
import ChatAPI
import ChatStore

/// Why messages could not be decrypted, and how many.
struct DecryptionFailure {
  var kind: MsgDecryptError
  var count: UInt32

  init?(_ error: AgentError) {
    guard case .AGENT(.A_CRYPTO(let error)) = AgentErrorType(error) else { return nil }
    switch error {
    case .DECRYPT_AES, .DECRYPT_CB: (kind, count) = (.other, 1)
    case .RATCHET_HEADER: (kind, count) = (.ratchetHeader, 1)
    case .RATCHET_EARLIER: (kind, count) = (.ratchetEarlier, 1)
    case .RATCHET_SKIPPED(let number): (kind, count) = (.tooManySkipped, number)
    case .RATCHET_SYNC: (kind, count) = (.ratchetSync, 0)
    }
  }
}

extension Turn {
  /// Counts a failure in the item about the one before it. False where `last`, the last item of the chat or the member,
  /// is not about failures of this kind: it gets an item of its own.
  func count(
    _ failure: DecryptionFailure, in last: ChatItem?, at place: ChatRef, _ info: ChatInfo, of user: User
  ) throws -> Bool {
    guard let last, case .rcvDecryptionError(failure.kind, let count) = last.content else { return false }
    let (sum, overflow) = count.addingReportingOverflow(failure.count)
    let new =
      switch failure.kind {
      // The agent counts what it would have to skip, which includes the messages before.
      case .tooManySkipped: failure.count
      case .ratchetSync: UInt32(0)
      default: overflow ? .max : sum
      }
    let changed = try rows.updateItem(
      last.meta.itemId, in: place, to: .rcvDecryptionError(msgDecryptError: failure.kind, msgCount: new),
      edited: false, live: false, of: user)
    emit(.chatItemUpdated(user: user, chatItem: AChatItem(chatInfo: info, chatItem: changed)))
    return true
  }
}
