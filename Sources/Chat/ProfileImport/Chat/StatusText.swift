import ChatAPI

/// The statuses of items as the reference's database has them: words, and a text at the end.
enum StatusText {
  /// What cannot be read is kept as it is.
  static func status(_ text: String) -> CIStatus {
    let (name, rest) = split(text)
    switch name {
    case "snd_new": return .sndNew
    case "snd_sent": return .sndSent(sndProgress: progress(rest))
    case "snd_rcvd":
      let (receipt, rest) = split(rest ?? "")
      guard receipt == "ok" || receipt == "badMsgHash" else { break }
      return .sndRcvd(msgRcptStatus: receipt == "ok" ? .ok : .badMsgHash, sndProgress: progress(rest))
    case "snd_error_auth": return .sndErrorAuth
    case "snd_error": return .sndError(agentError: error(rest ?? ""))
    case "snd_warning": return .sndWarning(agentError: error(rest ?? ""))
    case "rcv_new": return .rcvNew
    case "rcv_read": return .rcvRead
    default: break
    }
    return .invalid(text: text)
  }

  /// The status of a message for one member of a group.
  static func recipientStatus(_ text: String) -> GroupSndStatus {
    switch text {
    case "snd_forwarded": .forwarded
    case "snd_inactive": .inactive
    default:
      switch status(text) {
      case .sndNew: .new
      case .sndSent: .sent
      case .sndRcvd(let receipt, _): .rcvd(msgRcptStatus: receipt)
      case .sndErrorAuth: .error(agentError: .auth)
      case .sndError(let error): .error(agentError: error)
      case .sndWarning(let error): .warning(agentError: error)
      case .rcvNew, .rcvRead, .invalid: .invalid(text: text)
      }
    }
  }

  /// The first word, and what follows it.
  private static func split(_ text: String) -> (String, String?) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : nil)
  }

  private static func progress(_ text: String?) -> SndCIStatusProgress { text == "partial" ? .partial : .complete }

  private static func error(_ text: String) -> SndError {
    let (name, rest) = split(text)
    switch (name, rest) {
    case ("auth", nil): return .auth
    case ("quota", nil): return .quota
    case ("expired", nil): return .expired
    case ("relay", let rest?): if let error = serverError(rest) { return .relay(srvError: error) }
    case ("proxy", let rest?):
      let (server, rest) = split(rest)
      if let error = serverError(rest ?? "") { return .proxy(proxyServer: server, srvError: error) }
    case ("proxy_relay", let rest?):
      let (server, rest) = split(rest)
      if let error = serverError(rest ?? "") { return .proxyRelay(proxyServer: server, srvError: error) }
    case ("other", let rest?): return .other(sndError: rest)
    default: break
    }
    return .other(sndError: text)
  }

  static func serverError(_ text: String) -> SrvError? {
    let (name, rest) = split(text)
    switch name {
    case "host": return .host
    case "version": return .version
    case "other": return .other(srvError: rest ?? "")
    default: return nil
    }
  }
}
