import AgentCore
import AgentProtocol
import AgentStore
import SMPClientCore
import SMPProtocol
import SimplexCrypto
import WireCodec

extension AgentMachine {
  /// Prepares the link of an address, at one of the user's relays. Nothing is sent or stored.
  /// - Parameters:
  ///   - root: the key that signs the data of the link.
  ///   - entityID: the application's identifier, in the part of the data that never changes.
  ///   - clientData: text of the application in the full link.
  public func prepareLink(
    _ user: UserID, root: Ed25519.PrivateKey, entityID: [UInt8], clientData: String? = nil, now: Int64
  ) throws(AgentError) -> PreparedLink {
    try read {
      try self.require(user)
      var random = self.random
      return try PreparedLink(
        root: root, entityID: entityID,
        server: try self.storageServer(QueueDemand(user: user, isAddress: true), now: now),
        agentVersions: self.configuration.agentVersions, clientVersions: self.configuration.clientVersions,
        clientData: clientData, random: &random)
    }
  }

  /// Creates the address of a prepared link. The call returns `created`, the event `created`.
  /// - Parameters:
  ///   - id: the identifier of the connection, which makes the operation idempotent as that of
  ///     ``createConnection(_:connection:mode:linkData:clientData:options:waiting:now:)``.
  ///   - linkData: what the short link shows. Its versions are filled in.
  public func createConnection(
    _ user: UserID, connection id: ConnectionID, for link: PreparedLink, linkData: UserLinkData,
    options: ConnectionOptions = ConnectionOptions(), waiting: Waiting = .call, now: Int64
  ) throws(AgentError) -> Accepted<(connection: ConnectionID, call: CallID?)> {
    let (value, effects) = try run(now) { transaction in
      try self.require(user)
      if let known = try self.store.connection(id) {
        return try self.resumeCreating(known, mode: .contact, caller: self.caller(waiting), in: transaction)
      }
      guard case .contact = linkData.kind, !options.pqKeysInLink else {
        throw AgentError.prohibited("createConnectionForLink")
      }
      let connection = try self.newConnection(
        user, id: id, mode: .contact, version: self.configuration.agentVersions.highest, pq: options.pq,
        notifications: options.notifications)
      let caller = self.caller(waiting)
      try self.add(
        .createQueue, to: .connection(connection.number), of: connection.number,
        payload: try QueuePlan.codec.encode(
          .prepared(link, linkData: linkData, subscribe: options.subscribe)), for: caller, in: transaction)
      return (connection: connection.id, call: caller.call)
    }
    return Accepted(value, effects)
  }

  /// The key that signs the data of a connection's short link; nil where there is no short link.
  public func linkSigningKey(_ id: ConnectionID) throws(AgentError) -> Ed25519.PrivateKey? {
    try read { try self.store.receiveQueues(of: try self.connection(id).number).first?.link?.signingKey }
  }
}

extension QueueMaterial {
  /// The keys of the queue of a prepared link. Those that are in the link, and the correlation, are the same at every
  /// attempt.
  init(_ link: PreparedLink, plan: QueuePlan, random: EngineRandom) {
    var random = random
    server = link.server
    self.plan = plan
    subscribes = plan.subscribes
    key = Ed25519.PrivateKey(using: &random)
    deliveryKey = X25519.PrivateKey(using: &random)
    privateKey = link.queueKey
    correlation = link.correlation
  }
}

extension LinkMaterial {
  /// Encrypts the data of a prepared link, and signs the part that can change.
  init(_ link: PreparedLink, data user: UserLinkData, versions: VersionRange, random: EngineRandom) throws {
    var random = random
    let (linkID, boxKey) = try LinkKeys.contact(linkKey: link.linkKey)
    let fixedData = try LinkContent.seal(
      link.signedFixedData, paddedTo: PaddedSize.fixedLinkData, key: boxKey, nonce: BoxNonce(using: &random))
    let userData = try Self.sealed(user, by: link.rootKey, key: boxKey, versions: versions, random: random)
    senderID = link.senderID
    request = link.request
    data = QueueLinkData(fixedData: fixedData, userData: userData)
    credentials = LinkCredentials(
      linkID: linkID, linkKey: link.linkKey, signingKey: link.rootKey, fixedData: fixedData)
  }
}
