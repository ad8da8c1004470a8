import SimplexTesting
import Testing
import WireCodec

/// Both directions of a primitive as text: what the reference wrote down as `value`.
private struct Primitive: Sendable {
  let encode: @Sendable (Golden) throws -> [UInt8]
  let reencode: @Sendable ([UInt8]) throws -> [UInt8]

  init<T>(_ codec: Codec<T>, _ value: @escaping @Sendable (Golden) throws -> T) {
    encode = { try codec.encode(try value($0)) }
    reencode = { try codec.encode(try codec.decode($0)) }
  }
}

private func int64(_ golden: Golden) throws -> Int64 {
  if let text = try? golden.string() { return try #require(Int64(text)) }
  return Int64(try golden.int())
}

private func bytes(_ golden: Golden) throws -> [UInt8] {
  let text = try golden.string()
  return try #require([UInt8](hex: text.hasPrefix("hex:") ? text.dropFirst(4) : text[...]))
}

private func range(_ golden: Golden) throws -> VersionRange {
  let bounds = try golden.elements().map { UInt16(try $0.int()) }
  return try #require(VersionRange(bounds[0], bounds[1]))
}

private typealias Triple = (UInt16, [UInt8], Bool?)

private let tripleCodec = Codec<Triple>.record(
  Field("0", \.0, .integer), Field("1", \.1, .short), Field("2", \.2, Codec<Bool>.bool.optional),
  build: { ($0, $1, $2) })

private let binary: [String: Primitive] = [
  "Word16": Primitive(.integer) { UInt16(try $0.int()) },
  "Word32": Primitive(.integer) { UInt32(try $0.int()) },
  "Int64": Primitive(.integer, int64),
  "Bool": Primitive(.bool) { try $0.bool() },
  "Char": Primitive(.integer) { try #require(try $0.string().utf8.first) },
  "ByteString": Primitive(.short, bytes),
  "Large": Primitive(.large, bytes),
  "Tail": Primitive(.tail, bytes),
  "Maybe ByteString": Primitive(Codec<[UInt8]>.short.optional) { $0.isNull ? nil : try bytes($0) },
  "Maybe Word16": Primitive(Codec<UInt16>.integer.optional) { UInt16(try $0.int()) },
  "NonEmpty ByteString": Primitive(Codec<[UInt8]>.short.nonEmptyList) { try $0.elements().map(bytes) },
  "NonEmpty Word16": Primitive(Codec<UInt16>.integer.nonEmptyList) { try $0.elements().map { UInt16(try $0.int()) } },
  "Text (utf8)": Primitive(.shortText) { try $0.string() },
  "SystemTime": Primitive(UTCTime.secondsCodec) { try #require(UTCTime(seconds: Int64(try $0.int()))) },
  "Version": Primitive(.integer) { UInt16(try $0.int()) },
  "VersionRange": Primitive(VersionRange.codec, range),
  "(Word16, ByteString, Maybe Bool)": Primitive(tripleCodec) {
    let parts = try $0.elements()
    return (UInt16(try parts[0].int()), try parts[1].hex(), try parts[2].bool())
  },
]

private let textual: [String: Primitive] = [
  "ByteString (base64url, padded)": Primitive(.base64url, bytes),
  "KeyHash": Primitive(.base64url, bytes),
  "Word16": Primitive(.decimal) { UInt16(try $0.int()) },
  "Int64": Primitive(.decimal) { Int64(try $0.int()) },
  "Bool": Primitive(.bool) { try $0.bool() },
  "list of Int (comma)": Primitive(Codec<Int>.decimal.separated()) { try $0.elements().map { try $0.int() } },
  "(Int, Bool) (space)": Primitive(Codec<Int>.decimal.pair(.bool)) {
    let parts = try $0.elements()
    return (try parts[0].int(), try parts[1].bool())
  },
  "SystemTime": Primitive(.decimal) { Int64(try $0.int()) },
  "UTCTime": Primitive(UTCTime.textCodec) { _ in try #require(UTCTime(seconds: 1_700_000_000, nanoseconds: 123_000_000))
  },
  "VersionRange": Primitive(VersionRange.textCodec, range),
]

@Suite struct PrimitiveVectorTests {
  @Test(arguments: try Vectors.load("wire-primitives.json").elements("smp"))
  func binaryForm(_ vector: Golden) throws {
    let primitive = try #require(binary[try vector.string("type")], "\(vector.path): unknown type")
    let expected = try vector.hex("smp")
    #expect(try primitive.encode(vector.memberOrNull("value")) == expected)
    #expect(try primitive.reencode(expected) == expected)
  }

  @Test(arguments: try Vectors.load("wire-primitives.json").member("smpLists").elements("cases"))
  func lists(_ vector: Golden) throws {
    let codec = Codec<[UInt8]>.short.list
    let expected = try vector.hex("smp")
    #expect(try codec.encode(try vector.elements("value").map(bytes)) == expected)
    #expect(try codec.encode(try codec.decode(expected)) == expected)
  }

  @Test(arguments: try Vectors.load("wire-primitives.json").elements("smpInvalid"))
  func refused(_ vector: Golden) throws {
    let primitive = try #require(binary[try vector.string("type")])
    let input = try vector.hex("smp")
    #expect(throws: WireError.self) { try primitive.reencode(input) }
  }

  @Test(arguments: try Vectors.load("wire-primitives.json").elements("str"))
  func textualForm(_ vector: Golden) throws {
    let primitive = try #require(textual[try vector.string("type")], "\(vector.path): unknown type")
    let expected = Array(try vector.string("str").utf8)
    #expect(try primitive.encode(vector.memberOrNull("value")) == expected)
    #expect(try primitive.reencode(expected) == expected)
  }
}
