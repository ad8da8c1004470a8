import SimplexJSON
import WireCodec

// Members whose JSON form is the textual form of the lower protocols: links, keys, times, version ranges, base64url.

extension JSONFields {
  /// Reads a member that holds the textual form of a value.
  mutating func get<Value>(_ key: StaticString, _ codec: Codec<Value>) throws(JSONError) -> Value {
    guard let value = try getIfPresent(key, codec) else { throw JSONError(.missingField, path: [key.description]) }
    return value
  }

  /// Reads such a member; nil if it is absent or null.
  mutating func getIfPresent<Value>(_ key: StaticString, _ codec: Codec<Value>) throws(JSONError) -> Value? {
    guard let text: String = try get(key) else { return nil }
    do throws(WireError) {
      return try codec.decode(text: text)
    } catch {
      throw JSONError(.invalidText(type: "\(error.kind)"), path: [key.description])
    }
  }
}

extension JSONWriter {
  /// Writes a member with the textual form of `value`, or nothing if it is nil.
  ///
  /// Every value that was read or made by its initializer has such a form; one without it would be an empty text,
  /// which no peer accepts.
  mutating func field<Value>(_ key: StaticString, _ value: Value?, _ codec: Codec<Value>) {
    guard let value else { return }
    field(key, (try? codec.text(value)) ?? "")
  }
}
