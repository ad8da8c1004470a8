import SimplexCrypto
import WireCodec

/// The keys of a queue's notifier, given with NKEY or NEW. Source: simplex-messaging.md, "Enable notifications
/// command".
public struct NotifierKeys: Hashable, Sendable {
  /// The key that authorizes the notifier's commands.
  public var notifierKey: AuthorizationKey
  /// The recipient's key for the box of the notifications' metadata.
  public var recipientDHKey: X25519.PublicKey

  public init(notifierKey: AuthorizationKey, recipientDHKey: X25519.PublicKey) {
    self.notifierKey = notifierKey
    self.recipientDHKey = recipientDHKey
  }

  static let codec = Codec<NotifierKeys>.record(
    Field("notifierKey", \.notifierKey, AuthorizationKey.codec),
    Field("recipientDHKey", \.recipientDHKey, X25519.PublicKey.codec),
    build: { NotifierKeys(notifierKey: $0, recipientDHKey: $1) })
}

extension Command {
  static let nkeyForm = MessageForm<Command>(
    "NKEY", .recipient, .both, NotifierKeys.codec, { .nkey($0) },
    { if case .nkey(let keys) = $0 { keys } else { nil } })

  static let ndelForm = MessageForm<Command>("NDEL", .recipient, .both, .ndel)

  static let nsubForm = MessageForm<Command>("NSUB", .notifier, .both, .nsub)

  static let nsubsForm = MessageForm<Command>(
    "NSUBS", since: SMPVersion.services, parametersSince: SMPVersion.serviceQueues, otherwise: .unknown,
    .notifierService, .both, ServiceQueues.codec, { .nsubs($0) },
    { if case .nsubs(let queues) = $0 { queues } else { nil } })
}
