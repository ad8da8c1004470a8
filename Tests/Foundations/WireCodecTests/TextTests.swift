import SimplexTesting
import Testing
import WireCodec

@Suite struct TextTests {
  @Test(arguments: ["0", "-1", "9223372036854775807", "-9223372036854775808"])
  func decimalsRoundTrip(text: String) throws {
    #expect(try Codec<Int64>.decimal.text(try Codec<Int64>.decimal.decode(text: text)) == text)
  }

  @Test(arguments: ["", "-", "+1", "9223372036854775808", "-9223372036854775809", "1x", " 1", "１"])
  func wrongDecimalsAreRefused(text: String) {
    #expect(throws: WireError.self) { try Codec<Int64>.decimal.decode(text: text) }
  }

  @Test func unsignedDecimalsHaveNoSign() {
    #expect(throws: WireError.self) { try Codec<UInt16>.decimal.decode(text: "-1") }
    #expect(throws: WireError.self) { try Codec<UInt16>.decimal.decode(text: "65536") }
  }

  @Test func wordsEndAtTheirDelimiters() throws {
    let codec = Codec<String>.word(endingAt: " ,").pair(.tailText, separator: ",")
    let (word, rest) = try codec.decode(text: "привет,a b, c")
    #expect(word == "привет")
    #expect(rest == "a b, c")
    #expect(throws: WireError.self) { try Codec<String>.word().encode("two words") }
    #expect(throws: WireError.self) { try Codec<String>.word().encode("") }
    #expect(throws: WireError.self) { try Codec<String>.word().decode([0xFF]) }
  }

  @Test func separatedListsMayBeEmptyOnlyWhereAllowed() throws {
    let codec = Codec<Int>.decimal.separated(by: ";", atLeast: 0)
    #expect(try codec.decode(text: "") == [])
    #expect(try codec.decode(text: "1;2") == [1, 2])
    #expect(throws: WireError.self) { try codec.decode(text: "1;") }
    #expect(throws: WireError.self) { try Codec<Int>.decimal.separated().encode([]) }
  }

  @Test func literalsSurroundValues() throws {
    let codec = Codec<Int>.decimal.after("[").followed(by: "]")
    #expect(try codec.decode(text: "[5]") == 5)
    #expect(try codec.text(5) == "[5]")
    #expect(throws: WireError(.expected("\"]\""), offset: 2)) { try codec.decode(text: "[5") }
    #expect(throws: WireError(.expected("\"[\""))) { try codec.decode(text: "5]") }
  }
}

@Suite struct Base64URLTests {
  @Test(arguments: propertySeeds(10))
  func roundTrips(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in 0..<100 {
      let bytes = generator.bytes(count)
      let text = Base64URL.string(bytes)
      #expect(text.utf8.count % 4 == 0)
      #expect(Base64URL.decode(text) == bytes, "seed \(seed)")
      #expect(Base64URL.decode(String(text.prefix { $0 != "=" })) == bytes, "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func rfc4648Examples(plain: String, text: String) {
    #expect(Base64URL.string(Array(plain.utf8)) == text)
    #expect(Base64URL.decode(text) == Array(plain.utf8))
  }

  @Test(arguments: ["A", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm+v", "Zm/v", "Z g==", "Zg==Zg==", "====", "é"])
  func wrongTextIsRefused(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}

@Suite struct URITests {
  @Test(arguments: [
    "simplex:/contact#/?v=2-7&smp=a", "https://user@example.com:80/a/b?c=d#e?f#g", "smp://key:pw@host,other:5223",
    "//host", "path", "?q", "#f", "", "a:b:c", "1a:b", "http://", "x:?#",
  ])
  func partsGiveTheTextBack(text: String) throws {
    let uri = try URIReference.codec.decode(text: text)
    #expect(uri.description == text)
  }

  @Test func partsAreWhereTheStandardSays() throws {
    let uri = try URIReference.codec.decode(text: "https://user@example.com:80/a/b?c=d#e?f")
    #expect(uri.scheme == "https")
    #expect(uri.authority == "user@example.com:80")
    #expect(uri.path == "/a/b")
    #expect(uri.query == "c=d")
    #expect(uri.fragment == "e?f")
  }

  @Test func queriesKeepOrderAndBytes() throws {
    var query = QueryString()
    query.append("v", "2-7")
    try query.append("dh", [0xFB, 0xFF], .base64url)
    query.append("t", "a b&c=d/é")
    let text = try QueryString.codec.text(query)
    #expect(text == "v=2-7&dh=-_8%3D&t=a%20b%26c%3Dd%2F%C3%A9")
    let back = try QueryString.codec.decode(text: text)
    #expect(back == query)
    #expect(try back.required("v", VersionRange.textCodec) == VersionRange(2...7))
    #expect(try back.value("dh", .base64url) == [0xFB, 0xFF])
    #expect(try back.value("absent", .base64url) == nil)
    #expect(throws: WireError.self) { try back.required("absent", .base64url) }
  }

  @Test func readingQueriesIsLenientWhereLinksAre() throws {
    #expect(
      try QueryString.codec.decode(text: "a=1+2&&b&c=").parameters == [
        .init(name: "a", value: Array("1 2".utf8)), .init(name: "b", value: []), .init(name: "c", value: []),
      ])
    for wrong in ["a=%", "a=%4", "a=%zz", "%ff=1"] {
      #expect(throws: WireError.self) { try QueryString.codec.decode(text: wrong) }
    }
  }
}

@Suite struct UTCTimeTests {
  @Test(
    arguments: [
      (0, 0, "1970-01-01T00:00:00Z"), (1_700_000_000, 123_000_000, "2023-11-14T22:13:20.123Z"),
      (951_782_399, 999_999_999, "2000-02-28T23:59:59.999999999Z"), (951_782_400, 0, "2000-02-29T00:00:00Z"),
      (-1, 500_000_000, "1969-12-31T23:59:59.5Z"), (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
      (253_402_300_799, 0, "9999-12-31T23:59:59Z"), (4_107_542_400, 0, "2100-03-01T00:00:00Z"),
    ] as [(Int64, UInt32, String)])
  func knownMoments(seconds: Int64, nanoseconds: UInt32, text: String) throws {
    let time = try #require(UTCTime(seconds: seconds, nanoseconds: nanoseconds))
    #expect(time.description == text)
    #expect(UTCTime(iso8601: text) == time)
  }

  @Test(arguments: propertySeeds(5))
  func roundTrips(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let time = try #require(
        UTCTime(
          seconds: .random(in: UTCTime.secondsRange, using: &generator),
          nanoseconds: .random(in: 0..<1_000_000_000, using: &generator)))
      #expect(UTCTime(iso8601: time.description) == time, "seed \(seed)")
    }
  }

  @Test(arguments: [
    "", "2023-11-14", "2023-11-14T22:13:20", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-11-31T00:00:00Z",
    "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z", "2023-11-14T22:13:20.Z", "0000-01-01T00:00:00Z",
    "2023-11-14T22:13:20.123Zx", "2023-11-14 22:13:20Z", "2023-00-01T00:00:00Z", "2023-01-00T00:00:00Z",
  ])
  func wrongTextIsRefused(text: String) {
    #expect(UTCTime(iso8601: text) == nil)
  }

  @Test func outOfRangeIsRefused() {
    #expect(UTCTime(seconds: .max) == nil)
    #expect(UTCTime(seconds: 0, nanoseconds: 1_000_000_000) == nil)
    #expect(throws: WireError.self) {
      try UTCTime.secondsCodec.decode([0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    }
  }
}
