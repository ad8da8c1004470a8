import NotificationProtocol
import SMPProtocol
import SimplexCrypto

/// A number of a token that is never used again.
public struct TokenNumber: Hashable, Sendable {
  /// The number; positive.
  public let value: Int64

  public init(_ value: Int64) { self.value = value }
}

/// The registration of a device.
public struct TokenRecord: Equatable, Sendable {
  /// The identifier that the client knows.
  public var id: EntityID
  /// The device.
  public var device: PushDevice
  /// Its status.
  public var status: TokenStatus
  /// The key that authorizes its commands, and those of its subscriptions.
  public var verifyKey: AuthorizationKey
  /// The client's key for the boxes of pushes.
  public var clientKey: X25519.PublicKey
  /// The server's key for them.
  public var serverKey: X25519.PrivateKey
  /// The key of the boxes, which both keys make.
  public var boxKey: BoxKey
  /// The code that the device has to return.
  public var code: RegistrationCode
  /// Whether the code still has to be pushed.
  public var isCodeDue: Bool
  /// Minutes between periodic pushes; 0 for none.
  public var interval: UInt16
  /// When the last periodic push was sent, or the interval set; seconds since 1970.
  public var checkedAt: Int64
  /// When the device was registered or replaced; seconds since 1970.
  public var registeredAt: Int64
  /// Whether the device has ever returned the code.
  public var wasVerified: Bool
  /// The day of the last command, in days since 1970.
  public var usedDay: Int64

  public init(
    id: EntityID, device: PushDevice, status: TokenStatus, verifyKey: AuthorizationKey, clientKey: X25519.PublicKey,
    serverKey: X25519.PrivateKey, boxKey: BoxKey, code: RegistrationCode, registeredAt: Int64
  ) {
    self.id = id
    self.device = device
    self.status = status
    self.verifyKey = verifyKey
    self.clientKey = clientKey
    self.serverKey = serverKey
    self.boxKey = boxKey
    self.code = code
    self.registeredAt = registeredAt
    isCodeDue = true
    interval = 0
    checkedAt = registeredAt
    wasVerified = false
    usedDay = registeredAt / 86_400
  }
}

/// A token as a store returns it.
public struct StoredToken: Equatable, Sendable {
  /// Its number.
  public let number: TokenNumber
  /// What is stored.
  public var record: TokenRecord

  public init(number: TokenNumber, record: TokenRecord) {
    self.number = number
    self.record = record
  }
}
