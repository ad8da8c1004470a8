import WireCodec

// Messages of a relay with no parameters, or with a single one.

extension BrokerMessage {
  static let okForm = MessageForm<BrokerMessage>("OK", (), .response, .ok)

  static let pongForm = MessageForm<BrokerMessage>("PONG", (), .bareResponse, .pong)

  static let errForm = MessageForm<BrokerMessage>(
    "ERR", (), .anyResponse, ProtocolErrorType.codec, { .err($0) },
    { if case .err(let error) = $0 { error } else { nil } })

  static let sokForm = MessageForm<BrokerMessage>(
    "SOK", since: SMPVersion.services, (), .response, EntityID.codec.optional, { .sok($0) },
    { if case .sok(let service) = $0 { .some(service) } else { nil } })

  static let soksForm = MessageForm<BrokerMessage>(
    "SOKS", since: SMPVersion.services, (), .response, ServiceQueues.responseCodec, { .soks($0) },
    { if case .soks(let queues) = $0 { queues } else { nil } })

  static let allsForm = MessageForm<BrokerMessage>(
    "ALLS", since: SMPVersion.serviceQueues, (), .bareResponse, .alls)

  static let endForm = MessageForm<BrokerMessage>("END", (), .response, .end)

  static let endsForm = MessageForm<BrokerMessage>(
    "ENDS", since: SMPVersion.services, (), .response, ServiceQueues.responseCodec, { .ends($0) },
    { if case .ends(let queues) = $0 { queues } else { nil } })

  static let deldForm = MessageForm<BrokerMessage>("DELD", since: SMPVersion.deletedEvent, (), .response, .deld)
}
