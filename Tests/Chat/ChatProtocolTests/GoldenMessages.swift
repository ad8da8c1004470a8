import ChatProtocol
import Foundation
import SimplexJSON
import SimplexTesting

/// The reference's data, as JSON values.
enum GoldenMessages {
  /// Versions 1 to 16.
  static let file = load("chat-messages.json")
  /// What versions 17 to 19 added.
  static let newer = load("chat-messages-19.json")

  private static func load(_ name: String) -> JSONValue {
    let url = Vectors.folder.appending(path: name)
    guard let data = try? Data(contentsOf: url), let value = try? JSONValue(jsonBytes: Array(data)) else {
      return .null
    }
    return value
  }

  static func list(_ name: String) -> [JSONValue] { file[name]?.arrayValue ?? [] }
}

/// One message in the data: what the reference wrote for it, or that it refused it.
struct Expected: Sendable {
  let encoded: JSONValue?
  let forward: JSONValue?
  let signed: JSONValue?

  init(_ value: JSONValue) {
    encoded = value["encoded"]
    forward = value["forward"]
    signed = value["signed"]
  }
}

extension JSONValue {
  var bytes: [UInt8] { [UInt8](hex: stringValue ?? "") ?? [] }
  var results: [Expected] { (self["parsed"] ?? self["result"])?.arrayValue?.map(Expected.init) ?? [] }
}

/// The JSON of a message as a value.
func jsonValue(_ element: MessageElement) throws -> JSONValue? {
  guard case .message(let message) = element.content else { return nil }
  return try JSONValue(jsonText: message.jsonText())
}

extension Result {
  var value: Success? { try? get() }
}
