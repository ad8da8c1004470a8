import AgentCore
import AgentStore
import SMPProtocol
import SQLiteKit
import SimplexCrypto

extension AgentExport {
  /// The queues that messages of a connection are received from.
  mutating func exportReceiveQueues(of connection: StoredConnection) throws(ProfileImportError) {
    let queues = try reading(connection.number) { (source) throws(SQLFailure) in
      try source.receiveQueues(of: connection.number).sorted { $0.number < $1.number }
    }
    for (index, queue) in queues.enumerated() {
      let relay = try server(queue.server)
      let notifierKey = queue.notifier.map { AuthorizationPrivateKey.ed25519($0.key) }
      try writing { (target) throws(SQLFailure) in
        try target.execute(
          """
          INSERT INTO rcv_queues (host, port, server_key_hash, rcv_id, conn_id, rcv_private_key, rcv_dh_secret, \
          e2e_priv_key, e2e_dh_secret, snd_id, status, smp_server_version, smp_client_version, ntf_public_key, \
          ntf_private_key, ntf_id, rcv_ntf_dh_secret, rcv_queue_id, rcv_primary, deleted, link_id, link_key, \
          link_priv_sig_key, link_enc_fixed_data, queue_mode, to_subscribe) \
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
          """, relay.host, relay.port, relay.keyHash, queue.recipientID.bytes, connection.id.bytes, queue.key.der,
          queue.deliveryKey.secret, queue.privateKey.der, queue.sharedKey?.secret, queue.senderID.bytes,
          queue.status.name, Int64(queue.clientVersion), queue.notifier?.key.publicKey.der, notifierKey?.der,
          queue.notifier?.notifierID.bytes, queue.notifier?.boxKey.secret, Int64(index + 1), queue.isPrimary,
          queue.link?.linkID.bytes, queue.link?.linkKey, queue.link?.signingKey.der, queue.link?.fixedData,
          queue.mode?.name, !queue.isSubscribed)
      }
    }
  }

  /// The queues that messages of a connection are sent to. Returns the reference's numbers by ours.
  mutating func exportSendQueues(of connection: StoredConnection) throws(ProfileImportError) -> [Int64: Int64] {
    let queues = try reading(connection.number) { (source) throws(SQLFailure) in
      try source.sendQueues(of: connection.number).sorted { $0.number < $1.number }
    }
    var numbers: [Int64: Int64] = [:]
    for (index, queue) in queues.enumerated() {
      let relay = try server(queue.server)
      try writing { (target) throws(SQLFailure) in
        try target.execute(
          """
          INSERT INTO snd_queues (host, port, server_key_hash, snd_id, conn_id, snd_private_key, e2e_dh_secret, \
          e2e_pub_key, status, smp_server_version, smp_client_version, snd_queue_id, snd_primary, queue_mode) \
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
          """, relay.host, relay.port, relay.keyHash, queue.senderID.bytes, connection.id.bytes, queue.key.der,
          queue.sharedKey.secret, queue.publicKey?.der, queue.status.name, Int64(queue.clientVersion),
          Int64(index + 1), queue.isPrimary, queue.mode?.name)
      }
      numbers[queue.number] = Int64(index + 1)
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

extension QueueMode {
  fileprivate var name: String { self == .messaging ? "M" : "C" }
}

extension AuthorizationPrivateKey {
  /// The PKCS#8 form.
  fileprivate var der: SecretBytes {
    switch self {
    case .ed25519(let key): key.der
    case .ed448(let key): key.der
    case .x25519(let key): key.der
    }
  }
}
