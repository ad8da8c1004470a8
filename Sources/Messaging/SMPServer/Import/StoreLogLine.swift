import SMPProtocol
import SMPServerCore
import SimplexCrypto
import WireCodec

/// A line of the reference server's store log, `smp-server-store.log`: the creation or a change of one queue or
/// service.
///
/// Words are separated by single spaces; keys, identifiers and secrets are base64url, times seconds since 1970.
enum StoreLogLine {
  /// A queue with all its data.
  case create(QueueRecord, LinkData?)
  /// A change of the queue with this recipient's identifier.
  case change([UInt8], @Sendable (QueueNumber) -> StoreOperation)
  /// A service.
  case service(ServiceRecord)

  /// Reads a line; nil where it is malformed. `today`, in days since 1970, is for queues without a date.
  init?(_ line: String, today: Int64) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let keyword = words.first else { return nil }
    switch keyword {
    case "CREATE":
      guard let (record, link) = Self.queue(LogFields(words.dropFirst()), today) else { return nil }
      self = .create(record, link)
    case "NEW_SERVICE":
      guard let service = Self.service(LogFields(words.dropFirst())) else { return nil }
      self = .service(service)
    default:
      guard words.count >= 2, let queue = identifier(words[1]), let change = Self.change(keyword, words.dropFirst(2))
      else { return nil }
      self = .change(queue, change)
    }
  }

  private static func change(
    _ keyword: String, _ words: ArraySlice<String>
  ) -> (@Sendable (QueueNumber) -> StoreOperation)? {
    let words = Array(words)
    switch (keyword, words.count) {
    case ("LINK", 3):
      guard let id = identifier(words[0]), let data = linkData(words[1], words[2]) else { return nil }
      return { .setLink($0, linkID: id, data) }
    case ("LDELETE", 0): return { .deleteLink($0) }
    case ("SECURE", 1):
      guard let key = publicKey(words[0]) else { return nil }
      return { .secure($0, senderKey: key) }
    case ("KEYS", 1):
      guard let keys = publicKeys(words[0]) else { return nil }
      return { .setRecipientKeys($0, keys) }
    case ("NOTIFIER", 3...):
      guard let notifier = notifier(words) else { return nil }
      return { .setNotifier($0, notifier) }
    case ("NDELETE", 0): return { .deleteNotifier($0) }
    case ("SUSPEND", 0): return { .setStatus($0, .off) }
    case ("BLOCK", 1...):
      let blocking = Array(words.joined(separator: " ").utf8)
      return { .setStatus($0, .blocked(blocking)) }
    case ("UNBLOCK", 0): return { .setStatus($0, .active) }
    case ("DELETE", 0): return { .deleteQueue($0) }
    case ("TIME", 1):
      guard let time = Int64(words[0]) else { return nil }
      return { .touch($0, day: time / 86_400) }
    case ("QUEUE_SERVICE", 2):
      let service = identifier(words[1])
      guard service != nil || words[1].isEmpty else { return nil }
      switch words[0] {
      case "R": return { .setService($0, serviceID: service) }
      case "N": return { .setNotifierService($0, serviceID: service) }
      default: return nil
      }
    default: return nil
    }
  }

  private static func queue(_ fields: LogFields, _ today: Int64) -> (QueueRecord, LinkData?)? {
    guard let recipient = fields.identifier("rid"), let sender = fields.identifier("sid"),
      let keys = fields["rk"].first.flatMap(publicKeys), let secret = fields["rdh"].first.flatMap(sharedSecret),
      let senderKey = fields["sk"].first
    else { return nil }
    let mode: QueueRecord.Mode?
    switch (fields["queue_mode"].first, fields["sndSecure"].first) {
    case ("M", _), (nil, "T"): mode = .messaging
    case ("C", _), (nil, "F"): mode = .contact
    case (nil, nil): mode = nil
    default: return nil
    }
    let day = fields["updated_at"].first.map { Int64($0).map { $0 / 86_400 } } ?? today
    guard let day else { return nil }
    var record = QueueRecord(
      recipientID: recipient, senderID: sender, recipientKeys: keys, deliverySecret: secret, mode: mode, usedDay: day)
    if !senderKey.isEmpty {
      guard let key = publicKey(senderKey) else { return nil }
      record.senderKey = key
    }
    if !fields["notifier"].isEmpty {
      guard let notifier = notifier(fields["notifier"] + fields["nsrv"].map { "nsrv=" + $0 }) else { return nil }
      record.notifier = notifier
    }
    switch fields["status"].joined(separator: " ") {
    case "", "active": break
    case "off": record.status = .off
    case let text where text.hasPrefix("blocked,"): record.status = .blocked(Array(text.utf8.dropFirst(8)))
    default: return nil
    }
    record.serviceID = fields.identifier("rsrv")
    record.linkID = fields.identifier("link_id")
    guard record.linkID != nil else { return (record, nil) }
    guard fields["queue_data"].count == 2, let data = linkData(fields["queue_data"][0], fields["queue_data"][1])
    else { return nil }
    return (record, data)
  }

  private static func service(_ fields: LogFields) -> ServiceRecord? {
    guard let id = fields.identifier("service_id"), let role = fields["role"].first?.utf8, role.count == 1,
      let role = role.first.flatMap(ServiceRole.init(letter:)), let hash = fields.identifier("cert_hash"),
      hash.count == 32,
      let time = fields["created_at"].first.flatMap({ Int64($0) })
    else { return nil }
    return ServiceRecord(id: id, role: role, certificateHash: hash, createdDay: time / 86_400)
  }

  private static func notifier(_ words: [String]) -> QueueRecord.Notifier? {
    guard (3...4).contains(words.count), let id = identifier(words[0]), let key = publicKey(words[1]),
      let secret = sharedSecret(words[2])
    else { return nil }
    guard words.count == 4 else { return QueueRecord.Notifier(id: id, key: key, secret: secret) }
    guard words[3].hasPrefix("nsrv="), let service = identifier(words[3].dropFirst(5)) else { return nil }
    return QueueRecord.Notifier(id: id, key: key, secret: secret, serviceID: service)
  }
}

/// The named values of a line. Some have several words, of which only the first has the name.
private struct LogFields {
  private static let names: Set<String> = [
    "rid", "rk", "rdh", "sid", "sk", "sndSecure", "queue_mode", "link_id", "queue_data", "notifier", "nsrv",
    "updated_at", "status", "rsrv", "service_id", "role", "cert", "cert_hash", "created_at",
  ]

  private var values: [String: [String]] = [:]

  init(_ words: ArraySlice<String>) {
    var last = ""
    // A notice about blocking is JSON and extends to the end of the line.
    var isOpen = false
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if !isOpen, parts.count == 2, Self.names.contains(parts[0]) {
        last = parts[0]
        values[last] = [parts[1]]
        isOpen = last == "status" && parts[1].contains("notice=")
      } else {
        values[last, default: []].append(word)
      }
    }
  }

  subscript(_ name: String) -> [String] { values[name] ?? [] }

  func identifier(_ name: String) -> [UInt8]? { self[name].first.flatMap { SMPServer.identifier($0) } }
}

/// Nonempty bytes.
func identifier(_ text: some StringProtocol) -> [UInt8]? {
  Base64URL.decode(Array(text.utf8)).flatMap { $0.isEmpty ? nil : $0 }
}

private func publicKey(_ text: String) -> [UInt8]? {
  guard let key = identifier(text), (try? AnyPublicKey(der: key.span.bytes)) != nil else { return nil }
  return key
}

private func publicKeys(_ text: String) -> [[UInt8]]? {
  let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  let keys = words.compactMap(publicKey)
  return keys.count == words.count ? keys : nil
}

private func sharedSecret(_ text: String) -> [UInt8]? { identifier(text).flatMap { $0.count == 32 ? $0 : nil } }

private func linkData(_ fixed: String, _ user: String) -> LinkData? {
  guard let fixed = identifier(fixed), let user = identifier(user) else { return nil }
  return LinkData(fixed: fixed, user: user)
}
