/// A response or an event of a relay. Source: simplex-messaging.md, "Server messages".
public enum BrokerMessage: Hashable, Sendable {
  /// The queue was created.
  case ids(QueueIDs)
  /// The data of a link.
  case lnk(LinkResponse)
  /// Subscribed; the service that the queue is now associated with, if there is one.
  case sok(EntityID?)
  /// The service subscribed to these queues.
  case soks(ServiceQueues)
  /// The service has received the first message of each queue that had one when it subscribed.
  case alls
  /// A message.
  case msg(SealedMessage)
  /// The notifier was created.
  case nid(NotifierIDs)
  /// A queue has a message for its recipient.
  case nmsg(NotificationMessage)
  /// A session with another relay.
  case pkey(ProxySession)
  /// The other relay's response to the proxy: the box of a ``ForwardedResponse``.
  case rres([UInt8])
  /// The other relay's response to the client: the box of a block.
  case pres([UInt8])
  /// Another connection subscribed to the queue.
  case end
  /// Another connection of the service subscribed; this one is no longer subscribed to these queues.
  case ends(ServiceQueues)
  /// The queue was deleted.
  case deld
  /// The state of the queue.
  case info(QueueInfo)
  /// The command succeeded.
  case ok
  /// The command failed.
  case err(ProtocolErrorType)
  /// The response to PING.
  case pong
  /// The record of a name. Indirect, since it is large and rare.
  indirect case rname(NameRecord)
}

extension BrokerMessage: ProtocolMessage {
  /// Messages of a relay have no additional properties.
  public typealias Role = Void

  /// The forms of all messages.
  public static let forms = MessageForms<BrokerMessage>([
    idsForm, lnkForm, sokForm, soksForm, allsForm, msgForm, nidForm, nmsgForm, pkeyForm, rresForm, presForm, endForm,
    endsForm, deldForm, infoForm, okForm, errForm, pongForm, rnameForm,
  ])

  /// The form of this message.
  public var form: MessageForm<BrokerMessage> {
    switch self {
    case .ids: Self.idsForm
    case .lnk: Self.lnkForm
    case .sok: Self.sokForm
    case .soks: Self.soksForm
    case .alls: Self.allsForm
    case .msg: Self.msgForm
    case .nid: Self.nidForm
    case .nmsg: Self.nmsgForm
    case .pkey: Self.pkeyForm
    case .rres: Self.rresForm
    case .pres: Self.presForm
    case .end: Self.endForm
    case .ends: Self.endsForm
    case .deld: Self.deldForm
    case .info: Self.infoForm
    case .ok: Self.okForm
    case .err: Self.errForm
    case .pong: Self.pongForm
    case .rname: Self.rnameForm
    }
  }

  /// The replacement for older clients: `END` for `DELD`, `OK` for `SOK`, and errors that they know.
  public func downgraded(to version: UInt16) -> BrokerMessage {
    switch self {
    case .deld where version < SMPVersion.deletedEvent: .end
    case .sok where version < SMPVersion.services: .ok
    case .err(let error): .err(error.downgraded(to: version))
    default: self
    }
  }
}

extension CredentialRule {
  /// A message of a relay about an entity.
  static let response = CredentialRule(authorization: .optional, entity: .required)
  /// A message of a relay that may be about an entity.
  static let anyResponse = CredentialRule(authorization: .optional, entity: .optional)
  /// A message of a relay that is about no entity.
  static let bareResponse = CredentialRule(authorization: .optional, entity: .forbidden)
}
