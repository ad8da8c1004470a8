import WireCodec

// The recipient's other commands on a queue. Source: simplex-messaging.md, "Recipient commands".

extension Command {
  static let subForm = MessageForm<Command>("SUB", .recipient, .both, .sub)

  static let subsForm = MessageForm<Command>(
    "SUBS", since: SMPVersion.services, parametersSince: SMPVersion.serviceQueues, otherwise: .unknown,
    .recipientService, .both, ServiceQueues.codec, { .subs($0) },
    { if case .subs(let queues) = $0 { queues } else { nil } })

  static let getForm = MessageForm<Command>("GET", .recipient, .both, .get)

  static let ackForm = MessageForm<Command>(
    "ACK", .recipient, .both, MessageID.codec, { .ack($0) }, { if case .ack(let message) = $0 { message } else { nil } }
  )

  static let offForm = MessageForm<Command>("OFF", .recipient, .both, .off)

  static let delForm = MessageForm<Command>("DEL", .recipient, .both, .del)

  static let queForm = MessageForm<Command>("QUE", .recipient, .both, .que)

  static let pingForm = MessageForm<Command>("PING", .idleClient, .none, .ping)
}
