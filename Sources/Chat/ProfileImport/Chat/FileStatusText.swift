import ChatAPI

/// The states of files as the reference's database has them: words, and a text at the end.
enum FileStatusText {
  /// What cannot be read is kept as it is.
  static func status(_ text: String) -> CIFileStatus {
    let (name, rest) = split(text)
    switch name {
    case "snd_stored": return .sndStored
    case "snd_transfer":
      let (sent, total) = progress(rest)
      return .sndTransfer(sndProgress: sent, sndTotal: total)
    case "snd_cancelled": return .sndCancelled
    case "snd_complete": return .sndComplete
    case "snd_error": return .sndError(sndFileError: error(rest))
    case "snd_warning": return .sndWarning(sndFileError: error(rest))
    case "rcv_invitation": return .rcvInvitation
    case "rcv_accepted": return .rcvAccepted
    case "rcv_transfer":
      let (received, total) = progress(rest)
      return .rcvTransfer(rcvProgress: received, rcvTotal: total)
    case "rcv_aborted": return .rcvAborted
    case "rcv_complete": return .rcvComplete
    case "rcv_cancelled": return .rcvCancelled
    case "rcv_error": return .rcvError(rcvFileError: error(rest))
    case "rcv_warning": return .rcvWarning(rcvFileError: error(rest))
    default: return .invalid(text: text)
    }
  }

  private static func split(_ text: String) -> (String, String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
  }

  private static func progress(_ text: String) -> (Int64, Int64) {
    let (done, total) = split(text)
    guard let done = Int64(done), let total = Int64(total) else { return (0, 1) }
    return (done, total)
  }

  private static func error(_ text: String) -> FileError {
    let (name, rest) = split(text)
    switch name {
    case "auth": return .auth
    case "no_file": return .noFile
    case "relay": if let error = StatusText.serverError(rest) { return .relay(srvError: error) }
    case "blocked":
      let (server, reason) = split(rest)
      for known in BlockingReason.allCases where reason.hasPrefix("reason=\(known.rawValue)") {
        return .blocked(server: server, blockInfo: BlockingInfo(reason: known, notice: nil))
      }
    case "other": return .other(fileError: rest)
    default: break
    }
    return .other(fileError: text)
  }
}
