/// What a client asks of a relay. Source: simplex-messaging.md, "SMP commands".
public enum Command: Hashable, Sendable {
  /// Creates a queue.
  case new(NewQueueRequest)
  /// Subscribes the recipient to a queue.
  case sub
  /// Subscribes a service to all queues that are associated with it; it says which ones it expects.
  case subs(ServiceQueues)
  /// The recipient gives the key that the sender's commands are checked with.
  case key(AuthorizationKey)
  /// The recipient replaces the keys that its own commands are checked with; one to 255 of them.
  case rkey([AuthorizationKey])
  /// Stores the data of the queue's short link.
  case lset(LinkUpdate)
  /// Deletes the data of the queue's short link.
  case ldel
  /// Creates or replaces the queue's notifier.
  case nkey(NotifierKeys)
  /// Deletes the queue's notifier.
  case ndel
  /// Asks for one message without subscribing.
  case get
  /// Confirms that a message was received; it is deleted and the next one delivered.
  case ack(MessageID)
  /// The queue takes no more messages.
  case off
  /// Deletes the queue.
  case del
  /// Asks for the state of the queue.
  case que
  /// The sender gives the key that its commands are checked with.
  case skey(AuthorizationKey)
  /// Sends a message.
  case send(SendRequest)
  /// Keeps the connection alive.
  case ping
  /// Who opens a link gives its sender's key, and asks for the link's data.
  case lkey(AuthorizationKey)
  /// Who opens a link asks for its data.
  case lget
  /// Subscribes the notifier to a queue.
  case nsub
  /// Subscribes a service to the notifications of all queues that are associated with it; it says which ones it
  /// expects.
  case nsubs(ServiceQueues)
  /// Asks a proxy for a session with another relay.
  case prxy(ProxyRequest)
  /// Asks a proxy to forward a command to another relay.
  case pfwd(ForwardRequest)
  /// A proxy forwards a command: the box of a ``ForwardedTransmission``.
  case rfwd([UInt8])
  /// Asks what a name stands for.
  case rslv(DomainName)
}

/// Who sends a command, as seen by the relay.
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
  /// Who sends it.
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

  /// Who sends it.
  public var party: Party { form.role }

  /// The message that is sent.
  public var tail: [UInt8] { if case .send(let request) = self { request.body } else { [] } }

  /// Whether a service signs it as well, in a session with a service certificate: commands that associate a queue
  /// with the service.
  public var needsServiceSignature: Bool {
    switch self {
    case .new, .sub, .nsub: true
    default: false
    }
  }
}
