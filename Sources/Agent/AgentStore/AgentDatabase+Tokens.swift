import AgentCore
import NotificationProtocol
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

extension TokenAction {
  /// The stored form.
  static let storedCodec = Codec<TokenAction>.tagged(
    "the action of a token", Alternative("R", .register),
    Alternative("D", PushDevice.codec, { .replace($0) }, { if case .replace(let device) = $0 { device } else { nil } }),
    Alternative(
      "V", RegistrationCode.codec, { .verify($0) }, { if case .verify(let code) = $0 { code } else { nil } }),
    Alternative("I", .setInterval), Alternative("C", .check))
}

extension SQLiteRow {
  fileprivate func notificationServer(_ column: Int) throws(SQLiteError) -> NotificationServer {
    let bytes = try bytes(column)
    return try readStored { () throws(WireError) in try NotificationServer.codec.decode(bytes) }
  }

  fileprivate func notificationToken() throws(SQLiteError) -> NotificationToken {
    let device = try bytes(2)
    var token = NotificationToken(
      server: try notificationServer(1),
      device: try readStored { () throws(WireError) in try PushDevice.codec.decode(device) },
      key: try authorizationKey(3), dhKey: try x25519Key(4), mode: try value(9))
    token.number = try integer(0)
    token.id = try optionalBytes(5).map { EntityID($0) }
    token.boxKey = isNull(6) ? nil : try boxKey(6)
    guard let status = TokenStatus(text: try text(7)) else { throw SQLiteError(.damaged, "the status of a token") }
    token.status = status
    if let action = try optionalSecret(8) {
      token.action = try readStored { () throws(WireError) in try TokenAction.storedCodec.decodeAll(action.bytes) }
    }
    token.dueAt = try optionalInteger(10)
    token.attempts = try integer(11)
    token.failingSince = try optionalInteger(12)
    return token
  }

  fileprivate func tokenDeletion() throws(SQLiteError) -> TokenDeletion {
    var deletion = TokenDeletion(
      server: try notificationServer(1), id: EntityID(try bytes(2)), key: try authorizationKey(3),
      createdAt: try integer(4))
    deletion.number = try integer(0)
    deletion.dueAt = try integer(5)
    deletion.attempts = try integer(6)
    return deletion
  }
}

extension AgentDatabase {
  /// The token of this device; nil without one.
  public func notificationToken() throws(SQLiteError) -> NotificationToken? {
    try database.first(AgentSQL.notificationToken) { (row) throws(SQLiteError) in try row.notificationToken() }
  }

  /// Stores a new token, in place of the one that is there, and returns its number.
  @discardableResult
  public func insert(_ token: NotificationToken) throws(SQLiteError) -> Int64 {
    try removeNotificationToken()
    try database.execute(
      AgentSQL.insertToken, try Self.bytes(of: token.server), try Self.bytes(of: token.device), token.key.stored,
      token.dhKey.storedPair, token.id?.bytes, token.boxKey?.secret, token.status.text, try Self.action(of: token),
      token.mode.rawValue, token.dueAt, token.attempts, token.failingSince)
    return database.lastInsertedRow
  }

  /// Stores what can change of a token.
  public func update(_ token: NotificationToken) throws(SQLiteError) {
    try database.execute(
      AgentSQL.updateToken, token.number, try Self.bytes(of: token.device), token.id?.bytes, token.boxKey?.secret,
      token.status.text, try Self.action(of: token), token.mode.rawValue, token.dueAt, token.attempts,
      token.failingSince)
  }

  /// Removes the token.
  public func removeNotificationToken() throws(SQLiteError) {
    try database.execute("DELETE FROM notification_tokens")
  }

  /// The tokens to delete at their servers.
  public func tokenDeletions() throws(SQLiteError) -> [TokenDeletion] {
    try database.all(AgentSQL.tokenDeletions) { (row) throws(SQLiteError) in try row.tokenDeletion() }
  }

  /// Stores a token to delete at its server.
  public func insert(_ deletion: TokenDeletion) throws(SQLiteError) {
    try database.execute(
      AgentSQL.insertTokenDeletion, try Self.bytes(of: deletion.server), deletion.id.bytes, deletion.key.stored,
      deletion.createdAt, deletion.dueAt)
  }

  /// Notes when a token is to be deleted, after this number of attempts.
  public func delayTokenDeletion(_ number: Int64, attempts: Int64, until time: Int64) throws(SQLiteError) {
    try database.execute(AgentSQL.delayTokenDeletion, number, time, attempts)
  }

  /// Removes the deletion of a token.
  public func removeTokenDeletion(_ number: Int64) throws(SQLiteError) {
    try database.execute("DELETE FROM token_deletions WHERE number = ?", number)
  }

  private static func bytes(of server: NotificationServer) throws(SQLiteError) -> [UInt8] {
    try stored { () throws(WireError) in try NotificationServer.codec.encode(server) }
  }

  private static func bytes(of device: PushDevice) throws(SQLiteError) -> [UInt8] {
    try stored { () throws(WireError) in try PushDevice.codec.encode(device) }
  }

  private static func action(of token: NotificationToken) throws(SQLiteError) -> SecretBytes? {
    guard let action = token.action else { return nil }
    return SecretBytes(try stored { () throws(WireError) in try TokenAction.storedCodec.encode(action) })
  }
}
