import SMPProtocol
import SimplexCrypto
import WireCodec

/// A response of a notification server. Source: push-notifications.md, "NTF protocol".
public enum NotificationResponse: Hashable, Sendable {
  /// The token was registered: its identifier, and the server's key for the boxes in pushes.
  case idtkn(EntityID, dhKey: X25519.PublicKey)
  /// The subscription was created: its identifier.
  case idsub(EntityID)
  /// The command succeeded.
  case ok
  /// The command failed.
  case err(ProtocolErrorType)
  /// The status of a token.
  case tkn(TokenStatus)
  /// The status of a subscription.
  case sub(NotifierStatus)
  /// The response to PING.
  case pong
}

extension NotificationResponse: ProtocolMessage {
  /// Responses have no additional properties.
  public typealias Role = Void

  /// The forms of all responses.
  public static let forms = MessageForms<NotificationResponse>([
    idtknForm, idsubForm, okForm, errForm, tknForm, subForm, pongForm,
  ])

  /// The form of this response.
  public var form: MessageForm<NotificationResponse> {
    switch self {
    case .idtkn: Self.idtknForm
    case .idsub: Self.idsubForm
    case .ok: Self.okForm
    case .err: Self.errForm
    case .tkn: Self.tknForm
    case .sub: Self.subForm
    case .pong: Self.pongForm
    }
  }

  /// The replacement for older clients: the status without a reason.
  public func downgraded(to version: UInt16) -> NotificationResponse {
    if case .tkn(.invalid) = self, version < NotificationVersion.invalidReason { .tkn(.invalid(nil)) } else { self }
  }

  private static let aboutEntity = CredentialRule(authorization: .optional, entity: .required)
  private static let aboutNone = CredentialRule(authorization: .optional, entity: .forbidden)

  private static let idtknForm = MessageForm<NotificationResponse>(
    "IDTKN", (), aboutNone, EntityID.codec.pair(X25519.PublicKey.codec, separator: ""),
    { .idtkn($0.0, dhKey: $0.1) }, { if case .idtkn(let token, let key) = $0 { (token, key) } else { nil } })

  private static let idsubForm = MessageForm<NotificationResponse>(
    "IDSUB", (), aboutNone, EntityID.codec, { .idsub($0) },
    { if case .idsub(let subscription) = $0 { subscription } else { nil } })

  private static let okForm = MessageForm<NotificationResponse>("OK", (), aboutEntity, .ok)

  private static let errForm = MessageForm<NotificationResponse>(
    "ERR", (), CredentialRule(authorization: .optional, entity: .optional), ProtocolErrorType.codec, { .err($0) },
    { if case .err(let error) = $0 { error } else { nil } })

  private static let tknForm = MessageForm<NotificationResponse>(
    "TKN", (), aboutEntity, TokenStatus.codec, { .tkn($0) },
    { if case .tkn(let status) = $0 { status } else { nil } })

  private static let subForm = MessageForm<NotificationResponse>(
    "SUB", (), aboutEntity, NotifierStatus.codec, { .sub($0) },
    { if case .sub(let status) = $0 { status } else { nil } })

  private static let pongForm = MessageForm<NotificationResponse>("PONG", (), aboutNone, .pong)
}
