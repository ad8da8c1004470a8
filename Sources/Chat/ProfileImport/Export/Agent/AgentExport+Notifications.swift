import AgentCore
import AgentStore
import NotificationProtocol
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

extension AgentExport {
  /// The token of the device at its notification server, with what is subscribed there, and tokens to delete.
  mutating func exportNotifications() throws(ProfileImportError) {
    let deletions = try reading { (source) throws(SQLFailure) in try source.tokenDeletions() }
    for deletion in deletions {
      guard let place = Self.place(of: deletion.server) else { continue }
      try writing { (target) throws(SQLFailure) in
        try target.execute(
          """
          INSERT INTO ntf_tokens_to_delete (ntf_host, ntf_port, ntf_key_hash, tkn_id, tkn_priv_key) \
          VALUES (?, ?, ?, ?, ?)
          """, place.host, place.port, place.keyHash, deletion.id.bytes, deletion.key.der)
      }
    }
    let found = try reading { (source) throws(SQLFailure) in try source.notificationToken() }
    guard let token = found, let place = Self.place(of: token.server) else { return }
    try target.insert(
      into: "ntf_servers",
      ["ntf_host": .text(place.host), "ntf_port": .text(place.port), "ntf_key_hash": .blob(place.keyHash)])
    try writing { (target) throws(SQLFailure) in
      try target.execute(
        """
        INSERT INTO ntf_tokens (provider, device_token, ntf_host, ntf_port, tkn_id, tkn_pub_key, tkn_priv_key, \
        tkn_pub_dh_key, tkn_priv_dh_key, tkn_dh_secret, tkn_status, tkn_action, ntf_mode) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, token.device.service.rawValue, Array(token.device.token.utf8), place.host, place.port, token.id?.bytes,
        Self.der(token.key.publicKey), token.key.der, token.dhKey.publicKey.der, token.dhKey.der, token.boxKey?.secret,
        token.status.text, Self.action(token), token.mode == .instant ? "INSTANT" : "PERIODIC")
    }
    report.take(.tokens)
    try exportSubscriptions(of: token, at: place)
  }

  /// One row for each connection, as the reference has it: that of its first queue.
  private mutating func exportSubscriptions(
    of token: NotificationToken, at place: (host: String, port: String, keyHash: [UInt8])
  ) throws(ProfileImportError) {
    let rows = try reading { (source) throws(SQLFailure) in try source.allQueueNotifications() }
    var written: Set<Int64> = []
    for row in rows where row.isWanted && row.token != nil && row.token == token.id {
      let found = try reading { (source) throws(SQLFailure) in
        let queue = try source.receiveQueue(number: row.queue)
        return (queue, try queue.flatMap { (queue) throws(SQLFailure) in try source.connectionID(queue.connection) })
      }
      guard let subscription = row.subscription, let queue = found.0, let connection = found.1,
        taken.contains(Base64URL.string(connection.bytes)), row.notifier == queue.notifier?.notifierID,
        written.insert(queue.connection).inserted
      else { continue }
      let relay = try server(queue.server)
      let status = row.status.flatMap { try? NotifierStatus.codec.text($0) } ?? "NEW"
      try target.insert(
        into: "ntf_subscriptions",
        [
          "conn_id": .blob(connection.bytes), "smp_host": .text(relay.host), "smp_port": .text(relay.port),
          "smp_ntf_id": .blob(row.notifier?.bytes ?? []), "ntf_host": .text(place.host),
          "ntf_port": .text(place.port), "ntf_sub_id": .blob(subscription.bytes),
          "ntf_sub_status": .text("CREATED \(status)"), "ntf_sub_action": .text("C"), "ntf_sub_action_ts": .text(now),
          "smp_server_key_hash": relay.keyHash.map(SQLiteValue.blob) ?? .null,
        ])
    }
  }

  /// What the reference does next with a token.
  private static func action(_ token: NotificationToken) -> [UInt8]? {
    switch token.action {
    case nil: nil
    case .register: Array("R".utf8)
    // The app registers the other token of the device with its next start.
    case .replace, .setInterval, .check: Array("C".utf8)
    case .verify(let code): (try? RegistrationCode.codec.encode(code)).map { Array("V".utf8) + $0 }
    }
  }

  private static func der(_ key: AuthorizationKey) -> [UInt8] {
    switch key {
    case .ed25519(let key): key.der
    case .ed448(let key): key.der
    case .x25519(let key): key.der
    }
  }

  private static func place(
    of server: NotificationServer
  ) -> (host: String, port: String, keyHash: [UInt8])? {
    // `ntf://fingerprint@hosts:port`.
    let parts = server.description.dropFirst(6).split(separator: "@", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let port = server.port.map { String($0) } ?? ""
    let host = String(port.isEmpty ? parts[1] : parts[1].dropLast(port.utf8.count + 1))
    return (host, port, Array(parts[0].utf8))
  }
}
