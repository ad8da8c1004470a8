import Foundation
import SimplexJSON

/// Writing and parsing an object of about 2 KB, the size of a chat item with its profile, compared with Foundation.
func jsonSuite(_ bench: Bench) throws {
  let text = JSONSample.object.jsonText()
  let bytes = Array(text.utf8)
  let data = Data(bytes)
  let value = JSONSample.object
  let foundationValue = try JSONSerialization.jsonObject(with: data)
  bench.record("sample size", Double(bytes.count), unit: "bytes")

  func record(_ name: String, goal: Double? = nil, _ callsPerSecond: Double) {
    bench.record(name, 1_000_000 / callsPerSecond, unit: "µs", goal: goal, lessIsBetter: true)
  }
  record("write JSONValue", goal: 5, bench.rate { blackHole(value.jsonBytes().count) })
  record("parse to JSONValue", goal: 12, try bench.rate { blackHole(try JSONValue(jsonBytes: bytes)) })
  record("parse to tokens", try bench.rate { blackHole(try JSONDocument(parsing: bytes)) })
  record(
    "JSONSerialization write",
    try bench.rate { blackHole(try JSONSerialization.data(withJSONObject: foundationValue).count) })
  record(
    "JSONSerialization parse",
    try bench.rate { blackHole(try JSONSerialization.jsonObject(with: data)) })
}

private enum JSONSample {
  /// A user with profile and preferences, ten short items and a paragraph of text.
  static let object: JSONValue = [
    "userId": 1, "agentUserId": "1", "localDisplayName": "alice", "activeUser": true, "activeOrder": 1,
    "profile": [
      "profileId": 1, "displayName": "alice", "fullName": "Alice Liddell", "localAlias": "",
      "image": .string("data:image/jpg;base64," + String(repeating: "QUJDRA", count: 60)),
    ],
    "fullPreferences": [
      "timedMessages": ["allow": "yes"], "fullDelete": ["allow": "no"], "reactions": ["allow": "yes"],
      "voice": ["allow": "yes"], "files": ["allow": "always"], "calls": ["allow": "yes"], "commands": [],
    ],
    "items": .array(
      (0..<10).map { number in
        [
          "itemId": .integer(1_000_000 + number), "itemText": "Hello \"there\", señor — how are you?\n",
          "createdAt": "2024-05-06T07:08:09.123456Z", "itemEdited": false,
        ]
      }),
    "text": .string(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 5)),
  ]
}
