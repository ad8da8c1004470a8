import ChatAPI
import ChatStore
import SimplexJSON

/// What the reference's database has for values that ours keeps as numbers or in another spelling; the reverse of
/// `StatusText` and `FileStatusText`.
enum ItemText {
  // MARK: Contents

  /// The content of an item; what cannot be read stays as it is.
  static func content(_ text: String) -> String {
    guard let content = try? CIContent(jsonText: text) else { return text }
    // The only sum within contents that the reference writes as its API does.
    if case .rcvMsgError(let error) = content {
      return "{\"rcvMsgError\":{\"rcvMsgError\":\(error.jsonText())}}"
    }
    return content.jsonText(sums: .bare)
  }

  /// The name of the kind of content.
  static func contentTag(_ text: String) -> String {
    guard (try? CIContent(jsonText: text)) != nil, let tag = try? Tag(jsonText: text) else { return "invalidJSON" }
    return tag.name
  }

  private struct Tag: JSONDecodable {
    let name: String

    init(json: JSONNode) throws(JSONError) { name = try json.sum().tag }
  }

  // MARK: Statuses

  static func status(_ code: Int64, _ detail: String?) -> String { text(ItemStatusCode.status(code, detail)) }

  static func recipientStatus(_ code: Int64, _ detail: String?) -> String {
    switch RecipientStatusCode.status(code, detail) {
    case .new: text(.sndNew)
    case .forwarded: "snd_forwarded"
    case .inactive: "snd_inactive"
    case .sent: text(.sndSent(sndProgress: .complete))
    case .rcvd(let receipt): text(.sndRcvd(msgRcptStatus: receipt, sndProgress: .complete))
    case .error(.auth): text(.sndErrorAuth)
    case .error(let error): text(.sndError(agentError: error))
    case .warning(let error): text(.sndWarning(agentError: error))
    case .invalid(let text): text
    }
  }

  static func text(_ status: CIStatus) -> String {
    switch status {
    case .sndNew: "snd_new"
    case .sndSent(let progress): "snd_sent \(text(progress))"
    case .sndRcvd(let receipt, let progress):
      "snd_rcvd \(receipt == .ok ? "ok" : "badMsgHash") \(text(progress))"
    case .sndErrorAuth: "snd_error_auth"
    case .sndError(let error): "snd_error \(text(error))"
    case .sndWarning(let error): "snd_warning \(text(error))"
    case .rcvNew: "rcv_new"
    case .rcvRead: "rcv_read"
    case .invalid(let text): text
    }
  }

  private static func text(_ progress: SndCIStatusProgress) -> String { progress == .partial ? "partial" : "complete" }

  private static func text(_ error: SndError) -> String {
    switch error {
    case .auth: "auth"
    case .quota: "quota"
    case .expired: "expired"
    case .relay(let error): "relay \(text(error))"
    case .proxy(let server, let error): "proxy \(server) \(text(error))"
    case .proxyRelay(let server, let error): "proxy_relay \(server) \(text(error))"
    case .other(let text): "other \(text)"
    }
  }

  private static func text(_ error: SrvError) -> String {
    switch error {
    case .host: "host"
    case .version: "version"
    case .other(let text): "other \(text)"
    }
  }

  // MARK: Files

  /// The state of a file, of which `json` is ours.
  static func fileStatus(_ json: String) -> String? { (try? CIFileStatus(jsonText: json)).map(text) }

  static func text(_ status: CIFileStatus) -> String {
    switch status {
    case .sndStored: "snd_stored"
    case .sndTransfer(let sent, let total): "snd_transfer \(sent) \(total)"
    case .sndCancelled: "snd_cancelled"
    case .sndComplete: "snd_complete"
    case .sndError(let error): "snd_error \(text(error))"
    case .sndWarning(let error): "snd_warning \(text(error))"
    case .rcvInvitation: "rcv_invitation"
    case .rcvAccepted: "rcv_accepted"
    case .rcvTransfer(let received, let total): "rcv_transfer \(received) \(total)"
    case .rcvAborted: "rcv_aborted"
    case .rcvComplete: "rcv_complete"
    case .rcvCancelled: "rcv_cancelled"
    case .rcvError(let error): "rcv_error \(text(error))"
    case .rcvWarning(let error): "rcv_warning \(text(error))"
    case .invalid(let text): text
    }
  }

  private static func text(_ error: FileError) -> String {
    switch error {
    case .auth: "auth"
    case .blocked(let server, let info): "blocked \(server) reason=\(info.reason.rawValue)"
    case .noFile: "no_file"
    case .relay(let error): "relay \(text(error))"
    case .other(let text): "other \(text)"
    }
  }
}
