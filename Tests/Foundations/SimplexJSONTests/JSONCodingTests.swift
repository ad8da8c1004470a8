import Foundation
import SimplexJSON
import Testing

private struct Person: JSONCodable, Equatable {
  var id: Int64
  var name: String
  var nick: String?
  var friends: [String: Int]

  init(id: Int64, name: String, nick: String? = nil, friends: [String: Int] = [:]) {
    (self.id, self.name, self.nick, self.friends) = (id, name, nick, friends)
  }

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.fields()
    id = try fields.get("id")
    name = try fields.get("name")
    nick = try fields.get("nick")
    friends = try fields.get("friends", default: [:])
  }

  func encode(to json: inout JSONWriter) {
    json.beginObject()
    json.field("id", id)
    json.field("name", name)
    json.field("nick", nick)
    json.field("friends", friends)
    json.endObject()
  }
}

private enum Shape: JSONCodable, Equatable {
  case point
  case circle(radius: Int)
  case wrapped(Person)

  init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "point": self = .point
    case "circle": self = .circle(radius: try fields.get("radius"))
    case "wrapped": self = .wrapped(try fields.getPayload())
    default: throw fields.unknownTag()
    }
  }

  func encode(to json: inout JSONWriter) {
    switch self {
    case .point: json.tag("point")
    case .circle(let radius):
      json.beginSum("circle")
      json.field("radius", radius)
      json.endSum()
    case .wrapped(let person): json.payload("wrapped", person)
    }
  }
}

private enum Colour: String, JSONCodable {
  case red, green
}

@Suite("JSON coding")
struct JSONCodingTests {
  @Test(
    arguments: [
      (Shape.point, #"{"type":"point"}"#, #"{"_owsf":true,"point":{}}"#),
      (.circle(radius: 3), #"{"type":"circle","radius":3}"#, #"{"_owsf":true,"circle":{"radius":3}}"#),
      (
        .wrapped(Person(id: 1, name: "a")), #"{"type":"wrapped","data":{"id":1,"name":"a","friends":{}}}"#,
        #"{"_owsf":true,"wrapped":{"id":1,"name":"a","friends":{}}}"#
      ),
    ] as [(Shape, String, String)])
  fileprivate func sumsHaveTwoSpellings(shape: Shape, tagged: String, singleField: String) throws {
    #expect(shape.jsonText(sums: .tagged) == tagged)
    #expect(shape.jsonText(sums: .singleField) == singleField)
    #expect(try Shape(jsonText: tagged) == shape)
    #expect(try Shape(jsonText: singleField) == shape)
  }

  @Test(
    arguments: [
      #"{"circle":{"radius":3}}"#, #"{"circle":{"radius":3},"_owsf":true}"#, #"{"radius":3,"type":"circle"}"#,
      #"{"type":"circle","other":[{}],"radius":3}"#, #"{"_owsf":true,"circle":{"x":{},"radius":3}}"#,
    ])
  func everySpellingOfASumIsRead(text: String) throws {
    #expect(try Shape(jsonText: text) == .circle(radius: 3))
  }

  @Test(
    arguments: [
      #"{"circle":{"radius":3},"x":1}"#, #"{"_owsf":true}"#, "{}", "[]", #""circle""#, #"{"_owsf":false,"point":{}}"#,
      #"{"_owsf":true,"point":{},"x":1}"#, #"{"type":"square"}"#, #"{"square":{}}"#, #"{"type":7}"#,
    ])
  func otherObjectsAreNoSums(text: String) {
    #expect(throws: JSONError.self) { try Shape(jsonText: text) }
  }

  @Test func optionalMembersAreOmittedAndReadFromNull() throws {
    let person = Person(id: 1, name: "a")
    #expect(person.jsonText() == #"{"id":1,"name":"a","friends":{}}"#)
    #expect(try Person(jsonText: #"{"name":"a","nick":null,"id":1}"#) == person)
    #expect([1, nil].jsonText() == "[1,null]")
    #expect(try [Int?](jsonText: "[1,null]") == [1, nil])
  }

  @Test func membersAreFoundInAnyOrder() throws {
    let text = #"{"friends":{"b":2,"a":1},"nick":"n","x":[[{}]],"name":"a","id":1}"#
    let person = try Person(jsonText: text)
    #expect(person == Person(id: 1, name: "a", nick: "n", friends: ["a": 1, "b": 2]))
    #expect(person.jsonText() == #"{"id":1,"name":"a","nick":"n","friends":{"a":1,"b":2}}"#)
  }

  @Test func alikeAndEscapedKeysAreToldApart() throws {
    let person = Person(id: 1, name: "a")
    #expect(try Person(jsonText: #"{"nome":2,"":3,"i":4,"name":"a","name":"b","id":1}"#) == person)
    #expect(try Person(jsonText: #"{"\u006eame":"a","i\u0064":1}"#) == person)
    #expect(throws: JSONError(.missingField, path: ["name"])) { try Person(jsonText: #"{"nome":"a","id":1}"#) }
  }

  @Test(
    arguments: [
      ("[{}]", "0.id: missing"), (#"[{"id":1,"name":2}]"#, "0.name: expected a string"),
      (#"[{"id":1,"name":"","friends":{"x":true}}]"#, "0.friends.x: expected a number"),
      (#"[{"id":99999999999999999999,"name":""}]"#, "0.id: out of range for Int64"), ("7", "expected an array"),
    ])
  func errorsNameTheirPlace(text: String, description: String) {
    let error = #expect(throws: JSONError.self) { try [Person](jsonText: text) }
    #expect(error?.description == description)
  }

  @Test func namedCases() throws {
    #expect(try [Colour](jsonText: #"["red","green"]"#) == [.red, .green])
    #expect(Colour.red.jsonText() == #""red""#)
    #expect(throws: JSONError(.unknownCase("blue"))) { try Colour(jsonText: #""blue""#) }
  }

  @Test(arguments: [0, 1, -1, 10, -10, 999, .max, .min] as [Int64])
  func integers(value: Int64) throws {
    #expect(value.jsonText() == String(value))
    #expect(try Int64(jsonText: value.jsonText()) == value)
  }

  @Test func numbersKeepTheirRange() throws {
    #expect(try UInt64(jsonText: "18446744073709551615") == .max)
    #expect(UInt64.max.jsonText() == "18446744073709551615")
    #expect(try Int(jsonText: "1.5e1") == 15)
    #expect(try Double(jsonText: "-1.25e2") == -125)
    #expect(throws: JSONError(.outOfRange(type: "UInt16"))) { try UInt16(jsonText: "65536") }
    #expect(throws: JSONError(.outOfRange(type: "Int"))) { try Int(jsonText: "1.5") }
    #expect(throws: JSONError(.outOfRange(type: "Double"))) { try Double(jsonText: "1e999") }
  }

  @Test func textsAreEscapedOnlyWhereNeeded() throws {
    let text = "a/\"\\\u{8}\u{c}\n\r\t\u{1}é😀"
    #expect(text.jsonText() == #""a/\"\\\b\f\n\r\t\u0001é😀""#)
    #expect(try String(jsonText: text.jsonText()) == text)
  }

  @Test func valuesKeepOrderAndNumbers() throws {
    let text = #"{"b":1.50,"a":[9223372036854775808,null],"c":{"z":"","y":true}}"#
    #expect(try JSONValue(jsonText: text).jsonText() == text)
    #expect(try JSONValue(jsonText: text)["c"]?["y"] == true)
    #expect(try JSONValue(jsonText: text)["a"]?[1] == .null)
  }
}

@Suite("JSON dates")
struct JSONDateTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799), ("2024-05-06T07:08:09.5Z", 1_714_979_289.5),
      ("1969-12-31T23:59:59.999999Z", -0.000001), ("0000-03-01T00:00:00Z", -62_162_035_200),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("2100-03-01T00:00:00.000001Z", 4_107_542_400.000001),
    ])
  func textAndMoment(text: String, seconds: Double) throws {
    let date = try JSONDate(jsonText: text.jsonText())
    #expect(date.secondsSince1970 == seconds)
    #expect(date == JSONDate(secondsSince1970: seconds))
    #expect(date.iso8601Text == text)
    #expect(JSONDate(iso8601: text) == date)
  }

  @Test(
    arguments: [
      ("2024-05-06T07:08:09.120000Z", "2024-05-06T07:08:09.12Z"),
      ("2024-05-06T07:08:09.123456789012Z", "2024-05-06T07:08:09.123456Z"),
      ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"), ("2024-05-06T07:08:09-0130", "2024-05-06T08:38:09Z"),
    ])
  func otherSpellings(text: String, canonical: String) throws {
    #expect(try JSONDate(jsonText: text.jsonText()).iso8601Text == canonical)
  }

  @Test(
    arguments: [
      "", "2024-05-06", "2024-05-06T07:08:09", "2024-13-06T07:08:09Z", "2023-02-29T07:08:09Z", "2024-05-06T24:08:09Z",
      "2024-05-06T07:08:09.Z", "2024-05-06T07:08:09Zx", "2024-05-06 07:08:09Z", "2024-05-06T07:08:09.1234567890123Z",
    ])
  func rejected(text: String) {
    #expect(throws: JSONError(.invalidText(type: "date"))) { try JSONDate(jsonText: text.jsonText()) }
  }

  @Test func everyMomentWithMicrosecondsSurvives() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<5_000 {
      let microseconds = Int64.random(in: -2_000_000_000_000_000...4_000_000_000_000_000, using: &random)
      let date = JSONDate(microseconds: microseconds)
      #expect(date.microseconds == microseconds)
      #expect(try JSONDate(jsonText: date.jsonText()) == date, "seed \(seed)")
    }
  }

  @Test(
    arguments: [
      (.infinity, "9999-12-31T23:59:59Z"), (-.infinity, "0000-01-01T00:00:00Z"), (.nan, "1970-01-01T00:00:00Z"),
      (1e300, "9999-12-31T23:59:59Z"), (-1e13, "0000-01-01T00:00:00Z"),
    ] as [(Double, String)])
  func momentsOutsideOfTheCalendarAreBounded(seconds: Double, text: String) {
    #expect(JSONDate(secondsSince1970: seconds).iso8601Text == text)
  }
}
