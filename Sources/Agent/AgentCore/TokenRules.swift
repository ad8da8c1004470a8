import NotificationProtocol
import SMPClientCore
import SMPProtocol
import SimplexCrypto

// How a token changes: a table without effects. Each change is stored before the command that follows from it is sent,
// and every command can be repeated.

extension NotificationToken {
  /// The interval of periodic pushes in minutes, which also find messages whose push was lost.
  public static let interval: UInt16 = 20
  /// The time between checks of a verified token, in milliseconds.
  public static let checkInterval: Int64 = 86_400_000

  /// The command of the action; nil where there is none, or the server does not know the token yet.
  public var command: NotificationCommand? {
    switch action {
    case nil: nil
    case .register:
      .tnew(NewTokenRequest(device: device, verifyKey: key.publicKey, dhKey: dhKey.publicKey))
    case .replace(let device): .trpl(device)
    case .verify(let code): .tvfy(code)
    case .setInterval: .tcrn(Self.interval)
    case .check: .tchk
    }
  }

  /// Whether queues are subscribed for pushes: the token is verified, and each message is pushed.
  public var pushesMessages: Bool { id != nil && status == .active && mode == .instant }

  /// The application registers the device, again or for the first time.
  public mutating func register(_ device: PushDevice, mode: NotificationMode, now: Int64) {
    self.mode = mode
    dueAt = now
    guard id != nil else {
      self.device = device
      action = .register
      return
    }
    guard device == self.device else {
      action = .replace(device)
      return
    }
    switch action {
    // The server pushes the same code again.
    case nil, .register: action = .register
    case .verify: break
    case .check, .setInterval: action = .check
    // The server may have the other device already.
    case .replace: action = .replace(device)
    }
  }

  /// The application received the code.
  public mutating func verify(_ code: RegistrationCode, now: Int64) {
    status = .confirmed
    schedule(.verify(code), at: now)
  }

  /// The server registered the token.
  public mutating func registered(_ id: EntityID, boxKey: BoxKey) {
    self.id = id
    self.boxKey = boxKey
    status = .registered
    schedule(nil)
  }

  /// The server has another device.
  public mutating func replaced(_ device: PushDevice) {
    self.device = device
    status = .registered
    schedule(nil)
  }

  /// The server accepted the code.
  public mutating func verified(now: Int64) {
    status = .active
    schedule(.setInterval, at: now)
  }

  /// The server knows the interval of periodic pushes.
  public mutating func intervalSet(now: Int64) { schedule(.check, at: now + Self.checkInterval) }

  /// The server told the status.
  public mutating func checked(_ status: TokenStatus, now: Int64) {
    self.status = status
    failingSince = nil
    attempts = 0
    switch (status, action) {
    case (_, .replace), (.active, .setInterval): break
    case (.active, _): schedule(.setInterval, at: now)
    // The next registration begins anew.
    case (.invalid, _), (.expired, _): schedule(nil)
    // The code comes again with the next registration.
    case (.new, .check), (.registered, .check), (.confirmed, .check): schedule(nil)
    case (.new, .setInterval), (.registered, .setInterval), (.confirmed, .setInterval): schedule(nil)
    case (.new, _), (.registered, _), (.confirmed, _): break
    }
  }

  /// An attempt failed, and another one follows.
  public mutating func failed(at now: Int64, retryAt time: Int64) {
    attempts += 1
    dueAt = time
    failingSince = failingSince ?? now
  }

  private mutating func schedule(_ action: TokenAction?, at time: Int64? = nil) {
    self.action = action
    dueAt = action == nil ? nil : time
    attempts = 0
    failingSince = nil
  }
}

/// The consequence of a failure of a token's step.
public enum TokenFailure: Hashable, Sendable {
  /// The step is tried again later.
  case retry
  /// The server does not know the token, or no longer: the device is registered anew, with new keys.
  case renew
  /// The command is not for this server: the token goes on without it.
  case skip

  /// The consequence of an error.
  public init(_ error: SMPClientError, of action: TokenAction) {
    self =
      switch (error, action) {
      case (.relay(.AUTH), _): .renew
      // The reference's server refuses intervals that are too short for it.
      case (.relay(.QUOTA), .setInterval): .skip
      // A server that cannot replace the device gets a new registration.
      case (let error, .replace) where !error.isTemporary && !error.isHostError: .renew
      default: .retry
      }
  }
}
