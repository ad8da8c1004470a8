import Foundation
import NotificationProtocol
import SMPClient
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import SimplexTransport
import Testing
import WireCodec

struct Unexpected: Error {
  let text: String
}

/// A minimal client of a notification server: one connection, commands one after the other or many at once.
final class NotificationTestClient {
  struct Closed: Error {}

  let connection: AsyncBlockConnection
  let session: EstablishedSession
  private var blocks: AsyncBlockConnection.Blocks.AsyncIterator
  private var received: [ReceivedTransmission<NotificationResponse>] = []
  private var random = SystemRandom()

  private init(
    _ connection: AsyncBlockConnection, _ blocks: AsyncBlockConnection.Blocks.AsyncIterator,
    _ session: EstablishedSession
  ) {
    self.connection = connection
    self.blocks = blocks
    self.session = session
  }

  static func connect(
    port: Int, fingerprint: [UInt8], versions: VersionRange = NotificationVersion.supported,
    protocols: [String] = [NotificationTransport.applicationProtocol], keyHash: [UInt8]? = nil
  ) async throws -> NotificationTestClient {
    let transport = try TransportClient(TLSClientConfiguration(applicationProtocols: protocols))
    let options = TransportClient.Options(blockSize: NotificationTransport.blockSize)
    let connection = try await AsyncBlockConnection.connect(
      transport, host: "127.0.0.1", port: port, policy: .relay(fingerprint: fingerprint), options: options)
    var blocks = connection.blocks.makeAsyncIterator()
    guard let hello = try await blocks.next(), let leaf = connection.session.peerCertificates.leaf else {
      throw Closed()
    }
    let handshake = NotificationHandshake(
      sessionID: SessionID(connection.session.identifier), serverKey: try AnyPublicKey(der: leaf.publicKeyDER()))
    let (block, session) = try handshake.answer(block: hello, keyHash: keyHash ?? fingerprint, versions: versions)
    try await connection.send(block)
    return NotificationTestClient(connection, blocks, session)
  }

  /// Sends a command, and returns its correlation.
  func send(
    _ command: NotificationCommand, _ entity: EntityID = .none, key: AuthorizationPrivateKey? = nil
  ) async throws -> CorrelationID {
    let correlation = CorrelationID(using: &random)
    let context = session.context
    let signer = try key.map { try CommandSigner($0, serverKey: session.serverKey) }
    var batch = BlockBatch(context)
    try batch.add { (writer) throws(WireError) in
      if let signer {
        try context.write(command, entity: entity, correlation: correlation, signer: signer, to: &writer)
      } else {
        try context.write(command, entity: entity, correlation: correlation, to: &writer)
      }
    }
    var sealing = BlockSealing()
    try await connection.send(blocks: try batch.takeBlocks(sealing: &sealing))
    return correlation
  }

  /// The next response.
  func response() async throws -> (correlation: CorrelationID, message: NotificationResponse) {
    while received.isEmpty {
      guard let block = try await blocks.next() else { throw Closed() }
      let content = try Padding.unpad(block.span.bytes)
      received += session.context.transmissions(of: NotificationResponse.self, in: content)
    }
    let first = received.removeFirst()
    return (first.correlationID, try first.message.get())
  }

  /// Sends a command and waits for its response.
  func ask(
    _ command: NotificationCommand, _ entity: EntityID = .none, key: AuthorizationPrivateKey? = nil
  ) async throws -> NotificationResponse {
    let correlation = try await send(command, entity, key: key)
    let response = try await response()
    #expect(response.correlation == correlation)
    return response.message
  }

  /// Sends a block as it is.
  func send(block: [UInt8]) async throws { try await connection.send(block) }
}

/// A device that registers at a notification server.
struct TestDevice {
  let device: PushDevice
  let key: AuthorizationPrivateKey
  let dhKey: X25519.PrivateKey

  init(_ device: PushDevice, usesSignatures: Bool = true) {
    var random = SystemRandom()
    self.device = device
    key = usesSignatures ? .ed25519(Ed25519.PrivateKey(using: &random)) : .x25519(X25519.PrivateKey(using: &random))
    dhKey = X25519.PrivateKey(using: &random)
  }

  /// Registers; returns the identifier, and the key of the boxes in pushes.
  func register(_ client: NotificationTestClient) async throws -> (id: EntityID, boxKey: BoxKey) {
    let request = NewTokenRequest(device: device, verifyKey: key.publicKey, dhKey: dhKey.publicKey)
    let response = try await client.ask(.tnew(request), key: key)
    guard case .idtkn(let id, let serverKey) = response else { throw Unexpected(text: "\(response)") }
    return (id, try dhKey.boxKey(with: serverKey))
  }
}

/// A queue with a notifier at a relay, and its two parties.
final class NotifiedQueue: Sendable {
  let relay: SMPServerAddress
  let recipient: SMPConnection
  let ids: QueueIDs
  let key: AuthorizationPrivateKey
  let notifierKey: AuthorizationPrivateKey
  let notifierID: EntityID
  /// Opens the metadata of notifications.
  let metadataKey: BoxKey

  private init(
    _ relay: SMPServerAddress, _ recipient: SMPConnection, _ ids: QueueIDs, _ key: AuthorizationPrivateKey,
    _ notifierKey: AuthorizationPrivateKey, _ notifierID: EntityID, _ metadataKey: BoxKey
  ) {
    self.relay = relay
    self.recipient = recipient
    self.ids = ids
    self.key = key
    self.notifierKey = notifierKey
    self.notifierID = notifierID
    self.metadataKey = metadataKey
  }

  static func make(at relay: SMPServerAddress) async throws -> NotifiedQueue {
    var random = SystemRandom()
    let recipient = try await SMPConnection.connect(to: relay)
    let key = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let dhKey = X25519.PrivateKey(using: &random)
    let request = NewQueueRequest(
      recipientKey: key.publicKey, recipientDHKey: dhKey.publicKey, basicAuth: nil, subscription: .onlyCreate,
      purpose: .messaging(nil), notifier: nil)
    let created = try await recipient.perform(RequestPipeline.Request(.new(request), key: key))
    guard case .ids(let ids) = created else { throw Unexpected(text: "\(created)") }
    let notifierKey = AuthorizationPrivateKey.ed25519(Ed25519.PrivateKey(using: &random))
    let notifierDH = X25519.PrivateKey(using: &random)
    let keys = NotifierKeys(notifierKey: notifierKey.publicKey, recipientDHKey: notifierDH.publicKey)
    let answer = try await recipient.perform(
      RequestPipeline.Request(.nkey(keys), entity: ids.recipientID, key: key))
    guard case .nid(let notifier) = answer else { throw Unexpected(text: "\(answer)") }
    return NotifiedQueue(
      relay, recipient, ids, key, notifierKey, notifier.notifierID,
      try notifierDH.boxKey(with: notifier.serverDHKey))
  }

  var queue: NotifierQueue { NotifierQueue(relay: relay, notifier: notifierID) }

  /// Sends a message that asks for a notification.
  func sendMessage(_ body: [UInt8] = [1]) async throws {
    let request = SendRequest(flags: MessageFlags(notification: true), body: body)
    let answer = try await recipient.perform(RequestPipeline.Request(.send(request), entity: ids.senderID))
    #expect(answer == .ok)
  }

  func subscription(of token: EntityID) -> NotificationCommand {
    .snew(NewSubscriptionRequest(token: token, queue: queue, notifierKey: notifierKey))
  }

  /// Deletes the queue.
  func delete() async throws {
    #expect(
      try await recipient.perform(RequestPipeline.Request(.del, entity: ids.recipientID, key: key)) == .ok)
  }
}
