import SMPProtocol
import SimplexCrypto
import WireCodec

/// A command of a client to a notification server. Source: push-notifications.md, "NTF protocol".
public enum NotificationCommand: Hashable, Sendable {
  /// Registers the token of a device.
  case tnew(NewTokenRequest)
  /// Proves that the device received the code.
  case tvfy(RegistrationCode)
  /// Requests the status of the token.
  case tchk
  /// Replaces the device of the token; identifier, keys and subscriptions are kept.
  case trpl(PushDevice)
  /// Deletes the token with its subscriptions.
  case tdel
  /// Sets the interval of periodic pushes in minutes; 0 for none.
  case tcrn(UInt16)
  /// Subscribes to the notifications of a queue.
  case snew(NewSubscriptionRequest)
  /// Requests the status of the subscription.
  case schk
  /// Deletes the subscription.
  case sdel
  /// Keeps the connection alive.
  case ping
}

/// The entity that a command is about.
public enum NotificationEntity: Hashable, Sendable {
  case token, subscription
}

/// The parameters of TNEW.
public struct NewTokenRequest: Hashable, Sendable {
  /// The device.
  public var device: PushDevice
  /// The key that authorizes the token's commands, beginning with TNEW.
  public var verifyKey: AuthorizationKey
  /// The client's key; with the server's it makes the key of the boxes in pushes.
  public var dhKey: X25519.PublicKey

  /// A request of its parameters.
  public init(device: PushDevice, verifyKey: AuthorizationKey, dhKey: X25519.PublicKey) {
    self.device = device
    self.verifyKey = verifyKey
    self.dhKey = dhKey
  }

  static let codec = Codec<NewTokenRequest>.record(
    Field("device", \.device, PushDevice.codec), Field("verifyKey", \.verifyKey, AuthorizationKey.codec),
    Field("dhKey", \.dhKey, X25519.PublicKey.codec),
    build: { NewTokenRequest(device: $0, verifyKey: $1, dhKey: $2) }
  ).after("T")
}

/// The parameters of SNEW.
public struct NewSubscriptionRequest: Equatable, Sendable {
  /// The token whose key authorizes the subscription's commands.
  public var token: EntityID
  /// The queue.
  public var queue: NotifierQueue
  /// The key that authorizes the notifier's commands at the relay.
  public var notifierKey: AuthorizationPrivateKey

  /// A request of its parameters.
  public init(token: EntityID, queue: NotifierQueue, notifierKey: AuthorizationPrivateKey) {
    self.token = token
    self.queue = queue
    self.notifierKey = notifierKey
  }

  static let codec = Codec<NewSubscriptionRequest>.record(
    Field("token", \.token, EntityID.codec), Field("queue", \.queue, NotifierQueue.codec),
    Field("notifierKey", \.notifierKey, privateKey),
    build: { NewSubscriptionRequest(token: $0, queue: $1, notifierKey: $2) }
  ).after("S")

  /// PKCS#8 DER after a 1-byte length.
  private static let privateKey = Codec<[UInt8]>.short.compactMap(
    "a private key in DER", { AuthorizationPrivateKey(der: $0) }, { [UInt8](copying: $0.der.bytes) })
}

extension NewSubscriptionRequest: Hashable {
  /// Hashes everything but the secret.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(token)
    hasher.combine(queue)
  }
}

extension NotificationCommand: ProtocolMessage {
  /// The entity that it is about.
  public typealias Role = NotificationEntity

  /// The forms of all commands.
  public static let forms = MessageForms<NotificationCommand>([
    tnewForm, tvfyForm, tchkForm, trplForm, tdelForm, tcrnForm, snewForm, schkForm, sdelForm, pingForm,
  ])

  /// The form of this command.
  public var form: MessageForm<NotificationCommand> {
    switch self {
    case .tnew: Self.tnewForm
    case .tvfy: Self.tvfyForm
    case .tchk: Self.tchkForm
    case .trpl: Self.trplForm
    case .tdel: Self.tdelForm
    case .tcrn: Self.tcrnForm
    case .snew: Self.snewForm
    case .schk: Self.schkForm
    case .sdel: Self.sdelForm
    case .ping: Self.pingForm
    }
  }

  /// Authorized by a key in the command or of the token that it names, and about no entity yet.
  private static let creating = CredentialRule(authorization: .required, entity: .forbidden)

  private static let tnewForm = MessageForm<NotificationCommand>(
    "TNEW", .token, creating, NewTokenRequest.codec, { .tnew($0) },
    { if case .tnew(let request) = $0 { request } else { nil } })

  private static let tvfyForm = MessageForm<NotificationCommand>(
    "TVFY", .token, .both, RegistrationCode.codec, { .tvfy($0) },
    { if case .tvfy(let code) = $0 { code } else { nil } })

  private static let tchkForm = MessageForm<NotificationCommand>("TCHK", .token, .both, .tchk)

  private static let trplForm = MessageForm<NotificationCommand>(
    "TRPL", .token, .both, PushDevice.codec, { .trpl($0) },
    { if case .trpl(let device) = $0 { device } else { nil } })

  private static let tdelForm = MessageForm<NotificationCommand>("TDEL", .token, .both, .tdel)

  private static let tcrnForm = MessageForm<NotificationCommand>(
    "TCRN", .token, .both, Codec<UInt16>.integer, { .tcrn($0) },
    { if case .tcrn(let minutes) = $0 { minutes } else { nil } })

  private static let snewForm = MessageForm<NotificationCommand>(
    "SNEW", .subscription, creating, NewSubscriptionRequest.codec, { .snew($0) },
    { if case .snew(let request) = $0 { request } else { nil } })

  private static let schkForm = MessageForm<NotificationCommand>("SCHK", .subscription, .both, .schk)

  private static let sdelForm = MessageForm<NotificationCommand>("SDEL", .subscription, .both, .sdel)

  private static let pingForm = MessageForm<NotificationCommand>("PING", .subscription, .none, .ping)
}
