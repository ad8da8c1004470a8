import ChatAPI
import FoundationTypes
import SQLiteKit
import SimplexCrypto

/// The call with a contact, of which there is one at most.
public struct ContactCall: Sendable {
  /// The contact, a database id.
  public var contactId: Int64
  /// The identifier that both sides know.
  public var callId: [UInt8]
  /// The identifier for the system's call screen, a UUID in lower case.
  public var callUUID: String
  /// The item that shows it, a database id; nil where it was deleted.
  public var itemId: Int64?
  /// The state of the signalling.
  public var state: CallStateTag
  /// Media and capabilities that the caller asked for.
  public var callType: CallType
  /// The time of the invitation; of a received one, the relay's time.
  public var callTs: Date
  /// The keys for its encryption, while they are needed.
  public var keys: CallKeys?
  /// When its connection was established; nil if it was not.
  public var connectedAt: Date?

  public init(
    contactId: Int64, callId: [UInt8], callUUID: String, itemId: Int64?, state: CallStateTag, callType: CallType,
    callTs: Date, keys: CallKeys? = nil
  ) {
    (self.contactId, self.callId, self.callUUID, self.itemId) = (contactId, callId, callUUID, itemId)
    (self.state, self.callType, self.callTs, self.keys) = (state, callType, callTs, keys)
  }

  /// A random UUID (RFC 9562, version 4) in lower case.
  public static func newUUID() -> String {
    var random = SystemRandom()
    var bytes = random.bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}

/// The keys for the encryption of a call's media, X25519.
public enum CallKeys: Sendable {
  /// The caller's private key, kept until the offer arrives.
  case own(SecretBytes)
  /// The callee's public key for the offer, and the shared secret; kept until the offer is sent.
  case agreed(publicKey: [UInt8], shared: SecretBytes)
}

extension ChatTransaction {
  private static let columns =
    "contact_id, call_id, call_uuid, item_id, state, call_type, call_ts, public_key, secret_key, connected_at"

  /// The call with a contact, a database id; nil where there is none.
  public func call(withContact id: Int64) throws(StoreError) -> ContactCall? {
    try first("SELECT \(Self.columns) FROM calls WHERE contact_id = ?", id, row: readCall)
  }

  /// The calls of all users in some states that began before a time, or at any time, oldest first.
  public func calls(in states: [CallStateTag], before time: Date? = nil) throws(StoreError) -> [ContactCall] {
    try all(
      """
      SELECT \(Self.columns) FROM calls WHERE state IN (SELECT value FROM json_each(?)) AND call_ts < ? ORDER BY call_ts
      """, states.map(\.rawValue).column, time?.microseconds ?? .max, row: readCall)
  }

  /// Stores a call, in the place of another one with its contact.
  public func setCall(_ call: ContactCall) throws(StoreError) {
    let keys: (publicKey: [UInt8]?, secret: SecretBytes?) =
      switch call.keys {
      case .own(let secret): (nil, secret)
      case .agreed(let publicKey, let shared): (publicKey, shared)
      case nil: (nil, nil)
      }
    try execute(
      "INSERT OR REPLACE INTO calls (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", call.contactId,
      call.callId, call.callUUID, call.itemId, call.state.rawValue, call.callType.column, call.callTs.microseconds,
      keys.publicKey, keys.secret, call.connectedAt?.microseconds)
  }

  /// Removes the call with a contact, a database id.
  public func removeCall(withContact id: Int64) throws(StoreError) {
    try execute("DELETE FROM calls WHERE contact_id = ?", id)
  }
}

private func readCall(_ row: borrowing SQLiteRow) throws(SQLFailure) -> ContactCall {
  var at = ColumnIndex()
  var call = ContactCall(
    contactId: try row.integer(&at), callId: try row.bytes(at.next()), callUUID: try row.text(&at),
    itemId: try row.optionalInteger(&at),
    // One that cannot be read is over, as are all of them after a start.
    state: try row.name(&at, otherwise: .negotiated),
    callType: try row.json(&at, otherwise: CallType(media: .audio, capabilities: CallCapabilities(encryption: false))),
    callTs: try row.date(&at))
  let publicKey = try row.optionalBytes(at.next())
  if let secret = try row.optionalSecret(at.next()) {
    if let publicKey { call.keys = .agreed(publicKey: publicKey, shared: secret) } else { call.keys = .own(secret) }
  }
  call.connectedAt = try row.optionalDate(&at)
  return call
}
