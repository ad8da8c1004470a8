import AgentCore
import AgentStore
import NotificationProtocol
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

// The token of the device at its notification server, with what is subscribed there, and tokens to delete: a phone that
// moves in keeps its pushes.

extension AgentImport {
  /// Takes the rows about push notifications, all or none.
  /// - Returns: false where there are none, or some that cannot be used: they are kept as they are then.
  mutating func importNotifications() throws(ProfileImportError) -> Bool {
    guard try source.has("ntf_tokens"), try source.has("ntf_servers") else { return false }
    let (before, number) = (report, taskCount)
    try writing { (target) throws(SQLFailure) in try target.beginNested() }
    do throws(ProfileImportError) {
      let isTaken = try importTokens()
      try writing { (target) throws(SQLFailure) in try target.commitNested() }
      return isTaken
    } catch {
      target.rollbackNested()
      guard error.isAboutValues else { throw error }
      (report, taskCount) = (before, number)
      return false
    }
  }

  private mutating func importTokens() throws(ProfileImportError) -> Bool {
    var servers: [String: [UInt8]] = [:]
    for row in try source.rows("ntf_servers", key: "ntf_host") {
      let (host, port, hash) = (try row.text("ntf_host"), try row.text("ntf_port"), try row.bytes("ntf_key_hash"))
      servers[host + ":" + port] = hash
    }
    // There is one; of several the last one that was changed.
    let tokens = try source.rows(
      "ntf_tokens", order: "updated_at DESC", key: "device_token", secrets: ForeignTables.agent.secrets)
    let deletions =
      try source.has("ntf_tokens_to_delete")
      ? try source.rows(
        "ntf_tokens_to_delete", key: "ntf_token_to_delete_id", secrets: ForeignTables.agent.secrets) : []
    guard !tokens.isEmpty || !deletions.isEmpty else { return false }
    for row in deletions { try importDeletion(row) }
    guard let row = tokens.first else { return true }
    let token = try token(row, servers)
    try writing { (target) throws(SQLFailure) in _ = try target.insert(token) }
    report.take(.tokens)
    if token.mode == .instant, let id = token.id { try importSubscriptions(of: id) }
    return true
  }

  private func token(_ row: SourceRow, _ servers: [String: [UInt8]]) throws(ProfileImportError) -> NotificationToken {
    let (host, port) = (try row.text("ntf_host"), try row.text("ntf_port"))
    guard let hash = servers[host + ":" + port] else { throw row.unusable("ntf_host", "the server is not known") }
    guard let service = PushService(rawValue: try row.text("provider")) else {
      throw row.unusable("provider", "it is not known")
    }
    let mode: NotificationMode =
      switch try row.optionalText("ntf_mode") {
      case "INSTANT": .instant
      case nil, "PERIODIC": .periodic
      default: throw row.unusable("ntf_mode", "it is not known")
      }
    var token = NotificationToken(
      server: try notificationServer(row, hash: hash),
      device: PushDevice(service: service, token: String(decoding: try row.bytes("device_token"), as: UTF8.self)),
      key: try authorizationKey(row, "tkn_priv_key"), dhKey: try row.privateKey("tkn_priv_dh_key"), mode: mode)
    token.id = try row.optionalBytes("tkn_id").map { EntityID($0) }
    if row.secrets["tkn_dh_secret"] != nil {
      guard let key = try? BoxKey(try row.secret("tkn_dh_secret")) else {
        throw row.unusable("tkn_dh_secret", "it is not a key")
      }
      token.boxKey = key
    }
    guard let status = TokenStatus(text: try row.text("tkn_status")) else {
      throw row.unusable("tkn_status", "it is not known")
    }
    token.status = status
    if let action = try row.optionalBytes("tkn_action") {
      do throws(WireError) {
        token.action = try Self.action(action)
      } catch {
        throw row.unusable("tkn_action", "it is not known")
      }
      // With the next start.
      if token.action != nil { token.dueAt = 0 }
    }
    return token
  }

  /// What the reference does next; nil where it deletes the token, as old versions did.
  private static func action(_ bytes: [UInt8]) throws(WireError) -> TokenAction? {
    switch bytes.first {
    case UInt8(ascii: "R"): .register
    case UInt8(ascii: "C"): .check
    case UInt8(ascii: "V"): .verify(try RegistrationCode.codec.decode(Array(bytes.dropFirst())))
    case UInt8(ascii: "D"): nil
    default: throw WireError(.expected("an action"))
    }
  }

  private func notificationServer(
    _ row: SourceRow, hash: [UInt8]
  ) throws(ProfileImportError) -> NotificationServer {
    let (host, port) = (try row.text("ntf_host"), try row.text("ntf_port"))
    let text =
      "ntf://\(String(decoding: hash, as: UTF8.self))@\(host)" + (port.isEmpty ? "" : ":\(port)")
    guard let server = try? NotificationServer.textCodec.decode(text: text) else {
      throw row.unusable("ntf_host", "it is not the address of a notification server")
    }
    return server
  }

  private func importDeletion(_ row: SourceRow) throws(ProfileImportError) {
    let created = try row.optionalTime("created_at") ?? 0
    let deletion = TokenDeletion(
      server: try notificationServer(row, hash: try row.bytes("ntf_key_hash")),
      id: EntityID(try row.bytes("tkn_id")), key: try authorizationKey(row, "tkn_priv_key"),
      createdAt: created / 1_000)
    try writing { (target) throws(SQLFailure) in try target.insert(deletion) }
  }

  /// Takes the subscriptions of queues that are there. The others are made when the device is registered again.
  private mutating func importSubscriptions(of token: EntityID) throws(ProfileImportError) {
    guard try source.has("ntf_subscriptions") else { return }
    for row in try source.rows("ntf_subscriptions", where: "ntf_sub_id IS NOT NULL", key: "conn_id") {
      guard let notifier = try row.optionalBytes("smp_ntf_id").map({ EntityID($0) }),
        let host = try row.optionalText("smp_host"),
        let relay = try? SMPServerAddress.textCodec.decode(text: "smp://AA==@\(host)")
      else { continue }
      let subscription = EntityID(try row.bytes("ntf_sub_id"))
      try writing { (target) throws(SQLFailure) in
        guard let queue = try target.notifiedQueue(NotifierQueue(relay: relay, notifier: notifier)) else { return }
        var stored = QueueNotifications(queue: queue.number)
        stored.subscribed(subscription, notifier: notifier, token: token, now: 0)
        // Whether the server has it still is asked with the next start.
        stored.dueAt = 0
        try target.put(stored, place: 0)
      }
    }
  }
}

extension SourceRow {
  fileprivate func privateKey(_ column: String) throws(ProfileImportError) -> X25519.PrivateKey {
    let secret = try secret(column)
    guard let key = try? X25519.PrivateKey(der: secret.bytes) else {
      throw unusable(column, "it is not a key")
    }
    return key
  }
}
