import AgentCore
import AgentEngine
import AgentProtocol
import SMPProtocol
import SimplexCrypto

// Links that are known before their queues are created.

extension Agent {
  /// Prepares the link of an address, at one of the user's relays. Nothing is sent or stored: the application keeps the
  /// link until the address is created.
  /// - Parameters:
  ///   - root: the key that signs the data of the link.
  ///   - entityID: the application's identifier, in the part of the data that never changes.
  ///   - clientData: text of the application in the full link.
  public nonisolated(nonsending) func prepareLink(
    _ user: UserID, root: Ed25519.PrivateKey, entityID: [UInt8], clientData: String? = nil
  ) async throws(AgentError) -> PreparedLink {
    try await look { (engine, now) throws(AgentError) in
      try engine.prepareLink(user, root: root, entityID: entityID, clientData: clientData, now: now)
    }
  }

  /// Creates the address of a prepared link, with one command.
  /// - Parameters:
  ///   - id: the identifier of the connection, which makes the operation repeatable.
  ///   - linkData: what the short link shows. Its versions are filled in.
  public nonisolated(nonsending) func createConnection(
    _ user: UserID, connection id: ConnectionID, for link: PreparedLink, linkData: UserLinkData,
    options: ConnectionOptions = ConnectionOptions()
  ) async throws(AgentError) -> CreatedLink {
    let (_, outcome) = try await call(
      { (engine, now) throws(AgentError) in
        try engine.createConnection(
          user, connection: id, for: link, linkData: linkData, options: options, now: now)
      }, { $0.call })
    guard case .created(_, let link) = outcome else { throw .unexpected(outcome) }
    return link
  }

  /// Creates the address of a prepared link in the background, also after restarts; the event `created` says when, or
  /// `failed` why not.
  public nonisolated(nonsending) func createConnectionAsync(
    _ user: UserID, connection id: ConnectionID, for link: PreparedLink, linkData: UserLinkData,
    options: ConnectionOptions = ConnectionOptions(), tag: CorrelationTag? = nil
  ) async throws(AgentError) {
    _ = try await run { (engine, now) throws(AgentError) in
      try engine.createConnection(
        user, connection: id, for: link, linkData: linkData, options: options, waiting: .event(tag), now: now)
    }
  }

  /// The key that signs the data of a connection's short link; nil where there is no short link.
  public nonisolated(nonsending) func linkSigningKey(
    _ connection: ConnectionID
  ) async throws(AgentError) -> Ed25519.PrivateKey? {
    try await look { (engine, now) throws(AgentError) in try engine.linkSigningKey(connection) }
  }
}
