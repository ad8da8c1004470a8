import SMPProtocol
import WireCodec

private let versions: ClosedRange<UInt16> = 6...20

let smpProtocolTargets: [FuzzTarget] = [
  // Unknown flags are skipped, and JSON has many spellings.
  .codec(
    "smp-command", Command.codec, versions: versions, lenient: true,
    seeds: [Array("SEND T hello".utf8), Array("RSLV alice.simplex".utf8)]),
  .codec("smp-message", BrokerMessage.codec, versions: versions, lenient: true, seeds: [Array("ERR CMD SYNTAX".utf8)]),
  .codec("smp-error", ProtocolErrorType.codec, lenient: true, seeds: [Array("PROXY BROKER NETWORK".utf8)]),
  .codec("smp-error-text", ProtocolErrorType.textCodec, lenient: true, seeds: [Array("BLOCKED reason=spam".utf8)]),
  .codec("smp-server-hello", ServerHello.codec, lenient: true),
  .codec("smp-client-hello", ClientHello.codec, lenient: true),
  .codec("smp-service-response", ServiceResponse.codec),
  .codec("smp-signed-key", SignedKey.codec),
  .codec("smp-certified-key", CertifiedKey.codec),
  .codec("smp-host", TransportHost.textCodec, lenient: true, seeds: [Array("[2001:db8::1]".utf8)]),
  .codec("smp-server", SMPServerAddress.codec, lenient: true),
  .codec(
    "smp-server-text", ServerWithAuth<SMPScheme>.textCodec, lenient: true, seeds: [Array("smp://MQ==@a,b:1".utf8)]),
  .codec("smp-queue-uri", QueueURI.codec, lenient: true),
  .codec(
    "smp-queue-uri-text", QueueURI.textCodec, lenient: true,
    seeds: [
      Array(
        "smp://MQ==@a/MQ==#/?v=1-4&dh=MCowBQYDK2VuAyEANC4at3CbYw6PBIpQR2yDwOzCu2vzuDzzuMWzNsLzhEI%3D&q=m".utf8)
    ]),
  .codec("smp-queue-info", QueueInfoAddress.codec, lenient: true),
  .codec("smp-sent-message", SentMessage.codec),
  .codec("smp-client-message", ClientMessage.codec),
  .codec("smp-delivered-message", DeliveredMessage.codec, lenient: true),
  .codec("smp-notification", NotificationMetadata.codec, lenient: true),
  .codec("smp-forwarded-transmission", ForwardedTransmission.codec),
  .codec("smp-forwarded-response", ForwardedResponse.codec),
  FuzzTarget("smp-block", seeds: [[12, 1, 0, 8, 0, 1, 5, 0, 80, 73, 78, 71]]) { input in
    let version = versions.lowerBound + UInt16(Int(input.first ?? 0) % versions.count)
    let session = SessionContext(version: version, sessionID: SessionID([1]))
    let content = Array(input.dropFirst())
    let commands = session.transmissions(of: Command.self, in: content.span.bytes)
    let messages = session.transmissions(of: BrokerMessage.self, in: content.span.bytes)
    precondition(!commands.isEmpty && !messages.isEmpty, "smp-block: nothing to answer")
  },
]
