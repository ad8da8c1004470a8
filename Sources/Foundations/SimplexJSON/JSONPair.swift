/// Two values that are a list of two in JSON.
public struct JSONPair<First: JSONCodable, Second: JSONCodable>: JSONDecodable, JSONEncodable {
  /// The first element.
  public var first: First
  /// The second element.
  public var second: Second

  public init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  /// Reads a list of exactly two.
  public init(json: JSONNode) throws(JSONError) {
    let first = try json.firstElement()
    let end = Int(json.token.next)
    let second = first < end ? Int(json.tokens[first].next) : end
    guard second < end, json.tokens[second].next == end else {
      throw JSONError(.wrongType(expected: "an array of two"))
    }
    self.first = try First(json: JSONNode(bytes: json.bytes, tokens: json.tokens, index: first))
    self.second = try Second(json: JSONNode(bytes: json.bytes, tokens: json.tokens, index: second))
  }

  /// Writes the list.
  public func encode(to json: inout JSONWriter) {
    json.beginArray()
    first.encode(to: &json)
    second.encode(to: &json)
    json.endArray()
  }
}
