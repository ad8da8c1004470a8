import AgentCore
import AgentStore
import SMPProtocol
import SQLiteKit
import SimplexCrypto

extension AgentImport {
  /// The queues that messages of a connection are received from.
  mutating func importReceiveQueues(of id: [UInt8], number: Int64) throws(ProfileImportError) {
    let rows = try source.rows(
      "rcv_queues", where: "conn_id = ? AND deleted = 0", [.blob(id)], key: "rcv_queue_id",
      secrets: [
        "rcv_private_key", "rcv_dh_secret", "e2e_priv_key", "e2e_dh_secret", "link_priv_sig_key", "ntf_private_key",
        "rcv_ntf_dh_secret",
      ])
    for row in rows {
      var queue = ReceiveQueue(
        connection: number, server: try server(row), recipientID: EntityID(try row.bytes("rcv_id")),
        senderID: EntityID(try row.bytes("snd_id")), key: try authorizationKey(row, "rcv_private_key"),
        deliveryKey: try boxKey(row, "rcv_dh_secret"), privateKey: try x25519Key(row, "e2e_priv_key"),
        mode: try mode(row), clientVersion: try clientVersion(row), isSubscribed: try !row.bool("to_subscribe"))
      if row.secrets["e2e_dh_secret"] != nil { queue.sharedKey = try boxKey(row, "e2e_dh_secret") }
      queue.status = try status(row)
      queue.isPrimary = try row.bool("rcv_primary")
      queue.link = try link(row)
      queue.notifier = try notifier(row)
      queue.replaces = try replaced(row, "replace_rcv_queue_id", of: id, in: receiveQueues)
      queue.switchStatus = try receiveSwitch(row)
      let stored = queue
      receiveQueues[QueueKey(connection: id, queue: try row.integer("rcv_queue_id"))] = try writing {
        (target) throws(SQLFailure) in
        var numbered = stored
        numbered.number = try target.insert(stored)
        try target.update(numbered)
        return numbered.number
      }
    }
  }

  /// The queues that messages of a connection are sent to.
  mutating func importSendQueues(of id: [UInt8], number: Int64) throws(ProfileImportError) {
    let rows = try source.rows(
      "snd_queues", where: "conn_id = ?", [.blob(id)], key: "snd_queue_id",
      secrets: ["snd_private_key", "e2e_dh_secret"])
    for row in rows {
      var queue = SendQueue(
        connection: number, server: try server(row), senderID: EntityID(try row.bytes("snd_id")),
        key: try authorizationKey(row, "snd_private_key"), publicKey: try publicKey(row),
        sharedKey: try boxKey(row, "e2e_dh_secret"), mode: try mode(row), clientVersion: try clientVersion(row))
      queue.status = try status(row)
      queue.replaces = try replaced(row, "replace_snd_queue_id", of: id, in: sendQueues)
      queue.switchStatus = try sendSwitch(row)
      // The reference uses a replacement first although it does not send to it yet.
      queue.isPrimary = try row.bool("snd_primary") && queue.replaces == nil
      let stored = queue
      sendQueues[QueueKey(connection: id, queue: try row.integer("snd_queue_id"))] = try writing {
        (target) throws(SQLFailure) in
        var numbered = stored
        numbered.number = try target.insert(stored)
        try target.update(numbered)
        return numbered.number
      }
    }
  }

  // MARK: Columns

  private func status(_ row: SourceRow) throws(ProfileImportError) -> AgentQueueStatus {
    switch try row.text("status") {
    case "new": .new
    case "confirmed": .confirmed
    case "secured": .secured
    case "active": .active
    case "disabled": .disabled
    default: throw row.unusable("status", "it is not known")
    }
  }

  /// The queue that a queue replaces; nil where that is not there any more.
  private func replaced(
    _ row: SourceRow, _ column: String, of id: [UInt8], in queues: [QueueKey: Int64]
  ) throws(ProfileImportError) -> Int64? {
    try row.optionalInteger(column).flatMap { queues[QueueKey(connection: id, queue: $0)] }
  }

  private func receiveSwitch(_ row: SourceRow) throws(ProfileImportError) -> ReceiveSwitchStatus? {
    switch try row.optionalText("switch_status") {
    case nil: nil
    case "switch_started": .started
    case "sending_qadd": .sendingQADD
    case "sending_quse": .sendingQUSE
    case "received_message": .receivedMessage
    default: throw row.unusable("switch_status", "it is not known")
    }
  }

  private func sendSwitch(_ row: SourceRow) throws(ProfileImportError) -> SendSwitchStatus? {
    switch try row.optionalText("switch_status") {
    case nil: nil
    case "sending_qkey": .sendingQKEY
    case "sending_qtest": .sendingQTEST
    default: throw row.unusable("switch_status", "it is not known")
    }
  }

  private func mode(_ row: SourceRow) throws(ProfileImportError) -> QueueMode? {
    switch try row.optionalText("queue_mode") {
    // Before version 6.3.7 there is only this flag.
    case nil: try row.bool("snd_secure") ? .messaging : nil
    case "M": .messaging
    case "C": .contact
    default: throw row.unusable("queue_mode", "it is not known")
    }
  }

  private func clientVersion(_ row: SourceRow) throws(ProfileImportError) -> UInt16 {
    row["smp_client_version"] == .null ? 1 : try version(row, "smp_client_version")
  }

  private func link(_ row: SourceRow) throws(ProfileImportError) -> LinkCredentials? {
    guard row["link_id"] != .null, row["link_key"] != .null, row.secrets["link_priv_sig_key"] != nil else { return nil }
    return LinkCredentials(
      linkID: EntityID(try row.bytes("link_id")), linkKey: try row.bytes("link_key"),
      signingKey: try ed25519Key(row, "link_priv_sig_key"),
      fixedData: try row.optionalBytes("link_enc_fixed_data") ?? [])
  }

  private func notifier(_ row: SourceRow) throws(ProfileImportError) -> NotifierCredentials? {
    guard row["ntf_id"] != .null, row.secrets["ntf_private_key"] != nil, row.secrets["rcv_ntf_dh_secret"] != nil else {
      return nil
    }
    // One with a key of another kind is made again.
    guard case .ed25519(let key) = try authorizationKey(row, "ntf_private_key") else { return nil }
    return NotifierCredentials(
      notifierID: EntityID(try row.bytes("ntf_id")), key: key,
      boxKey: try boxKey(row, "rcv_ntf_dh_secret"))
  }

  // MARK: Keys

  /// The sender's key of the boxes. It went with the first message, and old rows do not have it any more.
  private func publicKey(_ row: SourceRow) throws(ProfileImportError) -> X25519.PublicKey? {
    guard let bytes = try row.optionalBytes("e2e_pub_key") else { return nil }
    guard let key = try? X25519.PublicKey(der: bytes) else { throw row.unusable("e2e_pub_key", "it is not a key") }
    return key
  }

  func authorizationKey(
    _ row: SourceRow, _ column: String
  ) throws(ProfileImportError) -> AuthorizationPrivateKey {
    let secret = try row.secret(column)
    if let key = try? Ed25519.PrivateKey(der: secret.bytes) { return .ed25519(key) }
    if let key = try? X25519.PrivateKey(der: secret.bytes) { return .x25519(key) }
    if let key = try? Ed448.PrivateKey(der: secret.bytes) { return .ed448(key) }
    throw row.unusable(column, "it is not a key")
  }

  private func ed25519Key(_ row: SourceRow, _ column: String) throws(ProfileImportError) -> Ed25519.PrivateKey {
    let secret = try row.secret(column)
    guard let key = try? Ed25519.PrivateKey(der: secret.bytes) else {
      throw row.unusable(column, "it is not a key")
    }
    return key
  }

  private func x25519Key(_ row: SourceRow, _ column: String) throws(ProfileImportError) -> X25519.PrivateKey {
    let secret = try row.secret(column)
    guard let key = try? X25519.PrivateKey(der: secret.bytes) else {
      throw row.unusable(column, "it is not a key")
    }
    return key
  }

  private func boxKey(_ row: SourceRow, _ column: String) throws(ProfileImportError) -> BoxKey {
    guard let key = try? BoxKey(try row.secret(column)) else { throw row.unusable(column, "it is not a key") }
    return key
  }
}
