import AgentCore
import AgentStore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

extension AgentExport {
  /// The queues that messages of a connection are received from.
  mutating func exportReceiveQueues(of connection: StoredConnection) throws(ProfileImportError) {
    let queues = try reading(connection.number) { (source) throws(SQLFailure) in
      try source.receiveQueues(of: connection.number).sorted { $0.number < $1.number }
    }
    let numbers = Dictionary(zip(queues.map(\.number), Int64(1)...)) { first, _ in first }
    for (index, queue) in queues.enumerated() {
      let relay = try server(queue.server)
      let notifierKey = queue.notifier.map { AuthorizationPrivateKey.ed25519($0.key) }
      try writing { (target) throws(SQLFailure) in
        try target.execute(
          """
          INSERT INTO rcv_queues (host, port, server_key_hash, rcv_id, conn_id, rcv_private_key, rcv_dh_secret, \
          e2e_priv_key, e2e_dh_secret, snd_id, status, smp_server_version, smp_client_version, ntf_public_key, \
          ntf_private_key, ntf_id, rcv_ntf_dh_secret, rcv_queue_id, rcv_primary, deleted, link_id, link_key, \
          link_priv_sig_key, link_enc_fixed_data, queue_mode, to_subscribe, replace_rcv_queue_id, switch_status) \
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)
          """, relay.host, relay.port, relay.keyHash, queue.recipientID.bytes, connection.id.bytes, queue.key.der,
          queue.deliveryKey.secret, queue.privateKey.der, queue.sharedKey?.secret, queue.senderID.bytes,
          queue.status.name, Int64(queue.clientVersion), queue.notifier?.key.publicKey.der, notifierKey?.der,
          queue.notifier?.notifierID.bytes, queue.notifier?.boxKey.secret, Int64(index + 1), queue.isPrimary,
          queue.link?.linkID.bytes, queue.link?.linkKey, queue.link?.signingKey.der, queue.link?.fixedData,
          queue.mode?.name, !queue.isSubscribed, queue.replaces.flatMap { numbers[$0] }, queue.switchStatus?.name)
      }
      if queue.switchStatus == .receivedMessage { try exportDeletion(of: queue, relay, connection) }
    }
  }

  /// The command that deletes a queue which was replaced.
  private func exportDeletion(
    of queue: ReceiveQueue, _ relay: (host: String, port: String, keyHash: [UInt8]?), _ connection: StoredConnection
  ) throws(ProfileImportError) {
    try target.insert(
      into: "commands",
      [
        "conn_id": .blob(connection.id.bytes), "host": .text(relay.host), "port": .text(relay.port),
        "server_key_hash": relay.keyHash.map(SQLiteValue.blob) ?? .null, "corr_id": .blob([]),
        "command_tag": .blob(Array("INTERNAL QDELETE".utf8)),
        "command": .blob(Array("INTERNAL QDELETE \(Base64URL.string(queue.recipientID.bytes))".utf8)),
        "agent_version": .integer(1), "created_at": .text(now),
      ])
  }

  /// The queues that messages of a connection are sent to. Returns the reference's numbers by ours.
  mutating func exportSendQueues(of connection: StoredConnection) throws(ProfileImportError) -> [Int64: Int64] {
    let queues = try reading(connection.number) { (source) throws(SQLFailure) in
      try source.sendQueues(of: connection.number).sorted { $0.number < $1.number }
    }
    let numbers = Dictionary(zip(queues.map(\.number), Int64(1)...)) { first, _ in first }
    for (index, queue) in queues.enumerated() {
      let relay = try server(queue.server)
      try writing { (target) throws(SQLFailure) in
        try target.execute(
          """
          INSERT INTO snd_queues (host, port, server_key_hash, snd_id, conn_id, snd_private_key, e2e_dh_secret, \
          e2e_pub_key, status, smp_server_version, smp_client_version, snd_queue_id, snd_primary, queue_mode, \
          replace_snd_queue_id, switch_status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
          """, relay.host, relay.port, relay.keyHash, queue.senderID.bytes, connection.id.bytes, queue.key.der,
          queue.sharedKey.secret, queue.publicKey?.der, queue.status.name, Int64(queue.clientVersion),
          // The reference uses a replacement first although it does not send to it yet.
          Int64(index + 1), queue.isPrimary || queue.replaces != nil, queue.mode?.name,
          queue.replaces.flatMap { numbers[$0] }, queue.switchStatus?.name)
      }
    }
    return numbers
  }
}

extension AgentQueueStatus {
  /// The word that the reference has for it.
  fileprivate var name: String {
    switch self {
    case .new: "new"
    case .confirmed: "confirmed"
    case .secured: "secured"
    case .active: "active"
    case .disabled: "disabled"
    }
  }
}

extension ReceiveSwitchStatus {
  fileprivate var name: String {
    switch self {
    case .started: "switch_started"
    case .sendingQADD: "sending_qadd"
    case .sendingQUSE: "sending_quse"
    case .receivedMessage: "received_message"
    }
  }
}

extension SendSwitchStatus {
  fileprivate var name: String { self == .sendingQKEY ? "sending_qkey" : "sending_qtest" }
}

extension QueueMode {
  fileprivate var name: String { self == .messaging ? "M" : "C" }
}

extension AuthorizationPrivateKey {
  /// The PKCS#8 form.
  var der: SecretBytes {
    switch self {
    case .ed25519(let key): key.der
    case .ed448(let key): key.der
    case .x25519(let key): key.der
    }
  }
}
