import NotificationProtocol
import NotificationServerCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

extension NotificationDatabase: NotificationRecords {
  func token(_ id: EntityID) throws(NotificationStoreError) -> StoredToken? {
    try attempt { () throws(SQLiteError) in
      try connection.first("SELECT \(Self.tokenColumns) FROM tokens WHERE token_id = ?", id.bytes) {
        (row) throws(SQLiteError) in try Self.token(row)
      }
    }
  }

  func token(_ number: TokenNumber) throws(NotificationStoreError) -> StoredToken? {
    try attempt { () throws(SQLiteError) in
      try connection.first("SELECT \(Self.tokenColumns) FROM tokens WHERE token_no = ?", number.value) {
        (row) throws(SQLiteError) in try Self.token(row)
      }
    }
  }

  func token(
    of device: PushDevice, verifyKey: AuthorizationKey
  ) throws(NotificationStoreError) -> StoredToken? {
    let key = try Self.bytes(of: verifyKey)
    return try attempt { () throws(SQLiteError) in
      try connection.first(
        "SELECT \(Self.tokenColumns) FROM tokens WHERE device = ? AND service = ? AND verify_key = ?",
        device.token, device.service.rawValue, key
      ) { (row) throws(SQLiteError) in try Self.token(row) }
    }
  }

  func insert(_ token: TokenRecord) throws(NotificationStoreError) -> TokenNumber {
    let verifyKey = try Self.bytes(of: token.verifyKey)
    let clientKey: [UInt8]
    do { clientKey = try X25519.PublicKey.codec.encode(token.clientKey) } catch { throw .failed("\(error)") }
    return try attempt { () throws(SQLiteError) in
      try connection.execute(
        """
        INSERT INTO tokens (token_id, service, device, status, verify_key, client_key, server_key, box_key, code,
          is_code_due, interval, checked_at, registered_at, was_verified, used_day)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        token.id.bytes, token.device.service.rawValue, token.device.token, token.status.text, verifyKey, clientKey,
        token.serverKey.der, token.boxKey.secret, token.code.bytes, token.isCodeDue, Int(token.interval),
        token.checkedAt, token.registeredAt, token.wasVerified, token.usedDay)
      return TokenNumber(connection.lastInsertedRow)
    }
  }

  func update(_ token: StoredToken) throws(NotificationStoreError) {
    let record = token.record
    try attempt { () throws(SQLiteError) in
      try connection.execute(
        """
        UPDATE tokens SET service = ?, device = ?, status = ?, code = ?, is_code_due = ?, interval = ?,
          checked_at = ?, registered_at = ?, was_verified = ?, used_day = ? WHERE token_no = ?
        """,
        record.device.service.rawValue, record.device.token, record.status.text, record.code.bytes, record.isCodeDue,
        Int(record.interval), record.checkedAt, record.registeredAt, record.wasVerified, record.usedDay,
        token.number.value)
    }
  }

  func deleteToken(_ number: TokenNumber) throws(NotificationStoreError) -> [NotifierQueue] {
    try attempt { () throws(SQLiteError) in
      let queues = try connection.all(
        """
        SELECT address, notifier_id FROM subscriptions JOIN relays USING (relay_no) WHERE token_no = ?
        """, number.value
      ) { (row) throws(SQLiteError) in try Self.queue(row, address: 0, notifier: 1) }
      try connection.execute("DELETE FROM tokens WHERE token_no = ?", number.value)
      return queues
    }
  }

  func tokens(of device: PushDevice) throws(NotificationStoreError) -> [TokenNumber] {
    try numbers("device = ? AND service = ?", device.token, device.service.rawValue)
  }

  func unverifiedTokens(
    registeredBefore time: Int64, limit: Int
  ) throws(NotificationStoreError) -> [TokenNumber] {
    try numbers("was_verified = 0 AND registered_at < ? ORDER BY registered_at LIMIT ?", time, limit)
  }

  func tokensToCheck(at time: Int64, limit: Int) throws(NotificationStoreError) -> [StoredToken] {
    try tokens(
      "interval > 0 AND status = 'ACTIVE' AND checked_at + 60 * interval <= ? ORDER BY checked_at + 60 * interval LIMIT ?",
      time, limit)
  }

  func tokensWithPushes(after number: TokenNumber, limit: Int) throws(NotificationStoreError) -> [StoredToken] {
    try tokens(
      """
      token_no > ? AND (is_code_due = 1 OR unsent > 0) AND (is_code_due = 1 OR status = 'ACTIVE')
      ORDER BY token_no LIMIT ?
      """, number.value, limit)
  }

  private func tokens<each Value: SQLiteBindable>(
    _ condition: String, _ values: repeat each Value
  ) throws(NotificationStoreError) -> [StoredToken] {
    try attempt { () throws(SQLiteError) in
      try connection.all("SELECT \(Self.tokenColumns) FROM tokens WHERE \(condition)", repeat each values) {
        (row) throws(SQLiteError) in try Self.token(row)
      }
    }
  }

  private func numbers<each Value: SQLiteBindable>(
    _ condition: String, _ values: repeat each Value
  ) throws(NotificationStoreError) -> [TokenNumber] {
    try attempt { () throws(SQLiteError) in
      try connection.all("SELECT token_no FROM tokens WHERE \(condition)", repeat each values) {
        (row) throws(SQLiteError) in TokenNumber(try row.integer(0))
      }
    }
  }

  private static func bytes(of key: AuthorizationKey) throws(NotificationStoreError) -> [UInt8] {
    do { return try AuthorizationKey.codec.encode(key) } catch { throw .failed("\(error)") }
  }
}
