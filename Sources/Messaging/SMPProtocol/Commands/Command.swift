/// A command of a client. Source: simplex-messaging.md, "SMP commands".
public enum Command: Hashable, Sendable {
  /// Creates a queue.
  case new(NewQueueRequest)
  /// Subscribes the recipient to a queue.
  case sub
  /// Subscribes a service to all of its queues; carries the set that it expects.
  case subs(ServiceQueues)
  /// The recipient sets the key that authorizes the sender's commands.
  case key(AuthorizationKey)
  /// The recipient replaces the keys that authorize its own commands; one to 255 of them.
  case rkey([AuthorizationKey])
  /// Stores the data of the queue's short link.
  case lset(LinkUpdate)
  /// Deletes the data of the queue's short link.
  case ldel
  /// Creates or replaces the queue's notifier.
  case nkey(NotifierKeys)
  /// Deletes the queue's notifier.
  case ndel
  /// Requests one message without subscribing.
  case get
  /// Confirms that a message was received; it is deleted and the next one delivered.
  case ack(MessageID)
  /// Closes the queue for further messages.
  case off
  /// Deletes the queue.
  case del
  /// Requests the state of the queue.
  case que
  /// The sender sets the key that authorizes its commands.
  case skey(AuthorizationKey)
  /// Sends a message.
  case send(SendRequest)
  /// Keeps the connection alive.
  case ping
  /// A user of a link sets the sender's key, and requests the link's data.
  case lkey(AuthorizationKey)
  /// A user of a link requests its data.
  case lget
  /// Subscribes the notifier to a queue.
  case nsub
  /// Subscribes a service to the notifications of all of its queues; carries the set that it expects.
  case nsubs(ServiceQueues)
  /// Requests a session with another relay from a proxy.
  case prxy(ProxyRequest)
  /// Asks a proxy to forward a command to another relay.
  case pfwd(ForwardRequest)
  /// A proxy forwards a command: the box of a ``ForwardedTransmission``.
  case rfwd([UInt8])
  /// Resolves a name.
  case rslv(DomainName)
}

/// The party that sends a command, as seen by the relay.
public enum Party: Hashable, Sendable, CaseIterable {
  case creator, recipient, recipientService, sender, idleClient, notifier, notifierService, linkClient, proxiedClient,
    proxyService, resolverClient

  /// The role that a client with a service certificate needs to send the commands of this party; nil for any.
  public var serviceRole: ServiceRole? {
    switch self {
    case .idleClient: nil
    case .notifier, .notifierService: .notifier
    case .proxyService: .proxy
    case .creator, .recipient, .recipientService, .sender, .linkClient, .proxiedClient, .resolverClient: .messaging
    }
  }
}

extension Command: ProtocolMessage {
  /// The party that sends it.
  public typealias Role = Party

  /// The forms of all commands.
  public static let forms = MessageForms<Command>([
    newForm, subForm, subsForm, keyForm, rkeyForm, lsetForm, ldelForm, nkeyForm, ndelForm, getForm, ackForm, offForm,
    delForm, queForm, skeyForm, sendForm, pingForm, lkeyForm, lgetForm, nsubForm, nsubsForm, prxyForm, pfwdForm,
    rfwdForm, rslvForm,
  ])

  /// The form of this command.
  public var form: MessageForm<Command> {
    switch self {
    case .new: Self.newForm
    case .sub: Self.subForm
    case .subs: Self.subsForm
    case .key: Self.keyForm
    case .rkey: Self.rkeyForm
    case .lset: Self.lsetForm
    case .ldel: Self.ldelForm
    case .nkey: Self.nkeyForm
    case .ndel: Self.ndelForm
    case .get: Self.getForm
    case .ack: Self.ackForm
    case .off: Self.offForm
    case .del: Self.delForm
    case .que: Self.queForm
    case .skey: Self.skeyForm
    case .send: Self.sendForm
    case .ping: Self.pingForm
    case .lkey: Self.lkeyForm
    case .lget: Self.lgetForm
    case .nsub: Self.nsubForm
    case .nsubs: Self.nsubsForm
    case .prxy: Self.prxyForm
    case .pfwd: Self.pfwdForm
    case .rfwd: Self.rfwdForm
    case .rslv: Self.rslvForm
    }
  }

  /// The party that sends it.
  public var party: Party { form.role }

  /// The message that is sent.
  public var tail: [UInt8] { if case .send(let request) = self { request.body } else { [] } }

  /// Whether a service signs it as well, in a session with a service certificate: commands that associate a queue with
  /// the service.
  public var needsServiceSignature: Bool {
    switch self {
    case .new, .sub, .nsub: true
    default: false
    }
  }
}
