import WireCodec

/// A message as in a block: identifiers, flags and a body of 16 KB.
private struct SampleMessage {
  var correlationID: [UInt8]
  var entityID: [UInt8]
  var timestamp: Int64
  var isNotified: Bool
  var body: [UInt8]

  static let codec = Codec<SampleMessage>.record(
    Field("correlationID", \.correlationID, .short),
    Field("entityID", \.entityID, .short),
    Field("timestamp", \.timestamp, .integer),
    Field("isNotified", \.isNotified, .bool),
    Field("body", \.body, .large),
    build: { SampleMessage(correlationID: $0, entityID: $1, timestamp: $2, isNotified: $3, body: $4) })
}

/// The cost of the codec layer beyond copying the bytes.
func codecSuite(_ bench: Bench) throws {
  let body = [UInt8](repeating: 7, count: 16_000)
  let message = SampleMessage(
    correlationID: [UInt8](repeating: 1, count: 24), entityID: [UInt8](repeating: 2, count: 24),
    timestamp: 1_700_000_000, isNotified: true, body: body)
  let encoded = try SampleMessage.codec.encode(message)

  var target = [UInt8](repeating: 0, count: body.count)
  bench.gigabytesPerSecond("memcpy of a 16 KB body", bytes: body.count) {
    target.withUnsafeMutableBytes { target in body.withUnsafeBytes { target.copyMemory(from: $0) } }
    blackHole(target[0])
  }
  bench.gigabytesPerSecond("allocate and copy a 16 KB body", bytes: body.count) {
    blackHole([UInt8](copying: body.span.bytes))
  }
  try bench.gigabytesPerSecond("decode a 16 KB message", bytes: encoded.count, note: "one copy of the body") {
    blackHole(try SampleMessage.codec.decode(encoded))
  }
  var buffer: [UInt8] = []
  buffer.reserveCapacity(16_384)
  try bench.gigabytesPerSecond("encode a 16 KB message", bytes: encoded.count, note: "one copy, buffer reused") {
    buffer.removeAll(keepingCapacity: true)
    var writer = Writer(reusing: buffer)
    buffer = []
    try SampleMessage.codec.encode(message, &writer)
    buffer = writer.finish()
    blackHole(buffer.count)
  }
  let small = SampleMessage(
    correlationID: message.correlationID, entityID: message.entityID, timestamp: 0, isNotified: false, body: [1])
  let encodedSmall = try SampleMessage.codec.encode(small)
  try bench.perSecond("decode a message of 5 fields") { blackHole(try SampleMessage.codec.decode(encodedSmall)) }
  try bench.perSecond("encode a message of 5 fields") { blackHole(try SampleMessage.codec.encode(small)) }
  bench.gigabytesPerSecond("base64url encode 16 KB", bytes: body.count) { blackHole(Base64URL.encode(body)) }
  let text = Base64URL.encode(body)
  bench.gigabytesPerSecond("base64url decode 16 KB", bytes: body.count) { blackHole(Base64URL.decode(text)) }
}
