import Testing

@testable import SimplexJSON

@Suite("JSON parser")
struct JSONParserTests {
  @Test(
    arguments: [
      ("null", JSONValue.null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .number("9223372036854775808")), ("1.50", .number("1.50")), ("1e3", .number("1e3")),
      (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\uD83D\uDE00""#, "é😀"),
      (#""\u0000""#, "\0"), (#""é😀""#, "é😀"), (" [ ] ", []), ("[1, [2],{}]", [1, [2], [:]]),
      (#"{"a":1,"b":{"c":null}}"#, ["a": 1, "b": ["c": .null]]), (#"{"\u0061":1}"#, ["a": 1]),
    ] as [(String, JSONValue)])
  func accepts(text: String, value: JSONValue) throws {
    #expect(try JSONValue(jsonText: text) == value)
  }

  @Test(
    arguments: [
      ("", .unexpectedEnd), ("  ", .unexpectedEnd), ("nul", .unexpectedEnd), ("nulL", .unexpectedByte(0x4C)),
      ("[1", .unexpectedEnd), ("[1,]", .unexpectedByte(0x5D)), ("[1 2]", .unexpectedByte(0x32)),
      (#"{"a"}"#, .unexpectedByte(0x7D)), (#"{"a":}"#, .unexpectedByte(0x7D)), (#"{"a":1,}"#, .unexpectedByte(0x7D)),
      ("{1:2}", .unexpectedByte(0x31)), ("1 1", .trailingBytes), ("01", .invalidNumber), ("-", .invalidNumber),
      ("1.", .invalidNumber), ("1e", .invalidNumber), (".5", .unexpectedByte(0x2E)), ("+1", .unexpectedByte(0x2B)),
      (#""abc"#, .unexpectedEnd), (#""\x""#, .invalidEscape), (#""\u12g4""#, .invalidEscape),
      (#""\uD800""#, .invalidEscape), (#""\uDC00""#, .invalidEscape), (#""\uD800\u0041""#, .invalidEscape),
      ("\"\n\"", .unexpectedByte(0x0A)), ("'a'", .unexpectedByte(0x27)), ("NaN", .unexpectedByte(0x4E)),
    ] as [(String, JSONError.Reason)])
  func rejects(text: String, reason: JSONError.Reason) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: text) }
    #expect(error?.reason == reason)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xC3, 0x41], [0xFF],
    ] as [[UInt8]])
  func rejectsInvalidUTF8(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: [0x22] + bytes + [0x22]) }
    #expect(error?.reason == .invalidUTF8)
  }

  /// Strings are scanned in words: every significant byte is detected at every position of a word.
  @Test(arguments: 0..<17)
  func noticesSpecialBytesAtEveryPlace(place: Int) throws {
    let before = String(repeating: "~", count: place)
    let escapes = [
      (#"\""#, "\""), (#"\\"#, "\\"), (#"\u00e9"#, "é"), ("é", "é"), ("\u{7F}", "\u{7F}"), ("!#[]", "!#[]"),
    ]
    for after in ["", String(repeating: " ", count: 20)] {
      for (escape, text) in escapes {
        #expect(try JSONValue(jsonText: "\"\(before)\(escape)\(after)\"") == .string(before + text + after))
      }
      for control in UInt8(0)..<0x20 {
        let bytes = Array("\"\(before)".utf8) + [control] + Array("\(after)\"".utf8)
        #expect(throws: JSONError(.unexpectedByte(control), offset: place + 1)) { try JSONDocument(parsing: bytes) }
      }
    }
  }

  @Test func boundsDepthAndLength() {
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(throws: JSONError(.tooDeep(limit: 128), offset: 128)) { try JSONDocument(parsing: deep) }
    #expect(throws: Never.self) { try JSONDocument(parsing: deep, limits: JSONLimits(depth: 200)) }
    #expect(throws: JSONError(.tooLarge(limit: 3))) {
      try JSONDocument(parsing: "null", limits: JSONLimits(bytes: 3))
    }
  }

  /// What parsing takes is in proportion to the text, however many values it has.
  @Test(arguments: [1_000, 100_000, 700_000]) func boundsMemory(size: Int) throws {
    let elements = ["1,", "[],", "{},", #""","#, #"{"":0},"#, #"{"a":[1]},"#, #"["abcdefghijklmnopqrstuvwxyz"],"#]
    for element in elements {
      let text = "[" + String(repeating: element, count: size / element.utf8.count) + "0]"
      do throws(JSONError) {
        let document = try JSONDocument(parsing: text, limits: .caller)
        // While it grows, the memory before is there as well.
        #expect(document.tokens.size * 3 / 2 <= max(3 * size, 3 << 19) + (16 << 10))
      } catch {
        #expect(error.reason == .tooManyValues(limit: max(1 << 16, text.utf8.count / 8)))
      }
      // Texts of others have no such limit.
      _ = try JSONDocument(parsing: text)
    }
    let string = try JSONDocument(parsing: "\"" + String(repeating: "a", count: size) + "\"", limits: .caller)
    #expect(string.tokens.size <= 128 << 10)
  }

  @Test func everyPrefixOfATextIsRejectedWithoutTrap() throws {
    let text = #"{"a":[1,-2.5e+3,"x\u00e9\n","😀"],"b":{"c":true,"d":null},"e":false}"#
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      #expect(throws: JSONError.self) { try JSONDocument(parsing: Array(bytes[..<count])) }
    }
    #expect(try JSONValue(jsonBytes: bytes).members?.count == 3)
  }

  /// Any change of one byte either parses or is an error; a value that parses is written and read back the same.
  @Test func mutatedTextsNeverTrap() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let original = Array(#"{"a":[1,-2.5e+3,"x\uD83D\uDE00\n","é"],"_owsf":true,"b":{"type":"t","n":null}}"#.utf8)
    for _ in 0..<20_000 {
      var bytes = original
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      guard let value = try? JSONValue(jsonBytes: bytes) else { continue }
      #expect(try JSONValue(jsonBytes: value.jsonBytes()) == value, "seed \(seed)")
    }
  }
}

struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
