import NotificationProtocol
import NotificationServerCore
import SMPProtocol
import SQLiteKit
import SimplexCrypto
import WireCodec

/// The tables of a notification server. Used by one thread at a time.
final class NotificationDatabase {
  let connection: SQLiteConnection
  /// Keeps other processes out; nil for a connection that only reads.
  private let lease: DatabaseLease?
  /// The numbers of relays by their addresses, as far as they are known.
  private var relays: [String: Int64] = [:]
  private var relayTexts: [SMPServerAddress: String] = [:]
  /// The number of the last notification.
  private var lastNotification: Int64 = 0
  private static let cacheLimit = 10_000

  /// Opens or creates the database.
  init(path: String) throws(SQLiteError) {
    let opening = DatabaseOpening(path, migrations: NotificationSchema.migrations)
    let lock: DatabaseLease
    (connection, lock) = try opening.open { () throws(SQLiteError) in
      let lease = DatabaseLease(path: path + ".lock")
      try lease.takeSoon()
      return lease
    } check: { () throws(SQLiteError) in
      try opening.requireKnownVersion()
    } settings: { (connection) throws(SQLiteError) in
      try connection.setBusyTimeout(milliseconds: 1000)
      try connection.setPragma("foreign_keys", "ON")
      try connection.setPragma("cache_size", "-16384")
      try connection.useWriteAheadLog(synchronous: .full)
    }
    lease = lock
    lastNotification =
      try connection.first("SELECT coalesce(max(number), 0) FROM notifications") { (row) throws(SQLiteError) in
        try row.integer(0)
      } ?? 0
  }

  /// Opens the database to read it.
  init(reading path: String) throws(SQLiteError) {
    connection = try SQLiteConnection(path: path, access: .readOnly)
    try connection.setBusyTimeout(milliseconds: 5000)
    try connection.setPragma("cache_size", "-4096")
    lease = nil
  }

  // MARK: Transactions

  /// Runs `body` in one transaction.
  func commit(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    do throws(SQLiteError) {
      try connection.transaction(body)
    } catch {
      // They may have been of relays that were added in this transaction.
      relays = [:]
      throw error
    }
  }

  /// A part of a transaction, which is reverted alone where it fails.
  func step<Value>(_ body: () throws(NotificationStoreError) -> Value) throws(NotificationStoreError) -> Value {
    // A failure of an earlier operation (disk full, I/O) may have rolled back all of them.
    guard connection.isInTransaction else { throw .failed("the transaction has failed") }
    try attempt { () throws(SQLiteError) in try connection.execute("SAVEPOINT step") }
    do {
      let value = try body()
      try attempt { () throws(SQLiteError) in try connection.execute("RELEASE step") }
      return value
    } catch {
      relays = [:]
      if connection.isInTransaction {
        _ = try? connection.execute("ROLLBACK TO step")
        _ = try? connection.execute("RELEASE step")
      }
      throw error
    }
  }

  /// Runs statements; their errors are those of stores.
  @discardableResult
  func attempt<Value>(_ body: () throws(SQLiteError) -> Value) throws(NotificationStoreError) -> Value {
    do { return try body() } catch { throw NotificationStoreError(error) }
  }

  // MARK: Relays

  func text(of relay: SMPServerAddress) throws(SQLiteError) -> String {
    if let text = relayTexts[relay] { return text }
    guard let text = try? SMPServerAddress.textCodec.text(relay) else {
      throw SQLiteError(.other, "an address of a relay has no text form")
    }
    if relayTexts.count >= Self.cacheLimit { relayTexts = [:] }
    relayTexts[relay] = text
    return text
  }

  /// The number of a relay; nil where it is not known.
  func number(of relay: SMPServerAddress) throws(SQLiteError) -> Int64? {
    let text = try text(of: relay)
    if let number = relays[text] { return number }
    let number = try connection.first("SELECT relay_no FROM relays WHERE address = ?", text) {
      (row) throws(SQLiteError) in try row.integer(0)
    }
    if let number { keep(number, text) }
    return number
  }

  /// The number of a relay, which is added where it is not known.
  func addedNumber(of relay: SMPServerAddress) throws(SQLiteError) -> Int64 {
    if let number = try number(of: relay) { return number }
    let text = try text(of: relay)
    try connection.execute("INSERT INTO relays (address) VALUES (?)", text)
    let number = connection.lastInsertedRow
    keep(number, text)
    return number
  }

  private func keep(_ number: Int64, _ text: String) {
    if relays.count >= Self.cacheLimit { relays = [:] }
    relays[text] = number
  }

  /// The next number of a notification.
  func nextNotification() -> Int64 {
    lastNotification += 1
    return lastNotification
  }

  // MARK: Rows

  static let tokenColumns = """
    token_no, token_id, service, device, status, verify_key, client_key, server_key, box_key, code, is_code_due, \
    interval, checked_at, registered_at, was_verified, used_day
    """

  static func token(_ row: borrowing SQLiteRow) throws(SQLiteError) -> StoredToken {
    let (verifyBytes, clientBytes) = (try row.bytes(5), try row.bytes(6))
    let (serverSecret, boxSecret) = (try row.secret(7), try row.secret(8))
    guard let service = PushService(rawValue: try row.text(2)), let status = TokenStatus(text: try row.text(4)),
      let interval = UInt16(exactly: try row.integer(11)),
      let verifyKey = try? AuthorizationKey.codec.decode(verifyBytes),
      let clientKey = try? X25519.PublicKey.codec.decode(clientBytes),
      let serverKey = try? X25519.PrivateKey(der: serverSecret.bytes), let boxKey = try? BoxKey(boxSecret)
    else { throw SQLiteError(.other, "a token is damaged") }
    var record = TokenRecord(
      id: EntityID(try row.bytes(1)), device: PushDevice(service: service, token: try row.text(3)), status: status,
      verifyKey: verifyKey, clientKey: clientKey, serverKey: serverKey, boxKey: boxKey,
      code: RegistrationCode(try row.bytes(9)), registeredAt: try row.integer(13))
    record.isCodeDue = try row.bool(10)
    record.interval = interval
    record.checkedAt = try row.integer(12)
    record.wasVerified = try row.bool(14)
    record.usedDay = try row.integer(15)
    return StoredToken(number: TokenNumber(try row.integer(0)), record: record)
  }

  static func queue(_ row: borrowing SQLiteRow, address: Int, notifier: Int) throws(SQLiteError) -> NotifierQueue {
    guard let relay = try? SMPServerAddress.textCodec.decode(text: try row.text(address)) else {
      throw SQLiteError(.other, "the address of a relay is damaged")
    }
    return NotifierQueue(relay: relay, notifier: EntityID(try row.bytes(notifier)))
  }

  static func key(_ row: borrowing SQLiteRow, _ column: Int) throws(SQLiteError) -> AuthorizationPrivateKey {
    let secret = try row.secret(column)
    let bytes = [UInt8](copying: secret.bytes)
    guard let key = AuthorizationPrivateKey(der: bytes) else {
      throw SQLiteError(.other, "the key of a subscription is damaged")
    }
    return key
  }
}

extension NotificationStoreError {
  init(_ error: SQLiteError) {
    switch error.kind {
    case .constraint(.unique): self = .duplicate
    case .diskFull: self = .full
    case .busy: self = .inUse
    default: self = .failed("\(error)")
    }
  }
}
