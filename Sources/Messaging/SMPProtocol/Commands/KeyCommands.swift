import WireCodec

// KEY, SKEY and RKEY set the keys of a queue. Source: simplex-messaging.md, "Secure queue by recipient", "Secure queue
// by sender", "Set queue recipient keys".

extension Command {
  static let keyForm = MessageForm<Command>(
    "KEY", .recipient, .both, AuthorizationKey.codec, { .key($0) },
    { if case .key(let key) = $0 { key } else { nil } })

  // Added by version 9, but the reference sends and accepts it in every version: queues that the sender secures are
  // joined by clients with older versions too.
  static let skeyForm = MessageForm<Command>(
    "SKEY", .sender, .both, AuthorizationKey.codec, { .skey($0) },
    { if case .skey(let key) = $0 { key } else { nil } })

  static let rkeyForm = MessageForm<Command>(
    "RKEY", since: SMPVersion.shortLinks, .recipient, .both, AuthorizationKey.codec.nonEmptyList, { .rkey($0) },
    { if case .rkey(let keys) = $0 { keys } else { nil } })
}
