import SMPProtocol
import WireCodec

/// Why a line of a log of the reference server cannot be taken over. It names no part of the line, which has secrets.
struct LogLineError: Error {
  let reason: String
}

/// The fields of a line, which single spaces separate. Fields may be empty.
struct LogFields {
  private var rest: ArraySlice<Substring>

  init(_ line: some StringProtocol) {
    rest = line.split(separator: " ", omittingEmptySubsequences: false).map { Substring($0) }[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next field as it stands.
  mutating func word() throws(LogLineError) -> Substring {
    guard let word = rest.popFirst() else { throw LogLineError(reason: "a field is missing") }
    return word
  }

  /// The next field, which begins with `name=`, without that.
  mutating func word(_ name: String) throws(LogLineError) -> Substring {
    guard let word = optionalWord(name) else { throw LogLineError(reason: "the field \(name) is missing") }
    return word
  }

  /// The same; nil, and nothing taken, where the next field is another.
  mutating func optionalWord(_ name: String) -> Substring? {
    guard let word = rest.first, word.hasPrefix("\(name)=") else { return nil }
    rest.removeFirst()
    return word.dropFirst(name.utf8.count + 1)
  }

  mutating func bytes() throws(LogLineError) -> [UInt8] { try Self.bytes(try word()) }
  mutating func bytes(_ name: String) throws(LogLineError) -> [UInt8] { try Self.bytes(try word(name)) }

  mutating func optionalBytes(_ name: String) throws(LogLineError) -> [UInt8]? {
    guard let word = optionalWord(name) else { return nil }
    return try Self.bytes(word)
  }

  /// A secret between the relay and a recipient: 32 bytes.
  static func secret(_ bytes: [UInt8]) throws(LogLineError) -> [UInt8] {
    guard bytes.count == 32 else { throw LogLineError(reason: "a secret has not 32 bytes") }
    return bytes
  }

  /// A public key that authorizes commands, in its X.509 encoding.
  static func key(_ text: Substring) throws(LogLineError) -> [UInt8] {
    guard (try? AuthorizationKey.textCodec.decode(text: String(text))) != nil else {
      throw LogLineError(reason: "a key cannot be used")
    }
    return try bytes(text)
  }

  /// Several keys, separated by commas.
  static func keys(_ text: Substring) throws(LogLineError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) { keys.append(try key(part)) }
    return keys
  }

  /// An identifier or other binary, in base64url.
  static func bytes(_ text: Substring) throws(LogLineError) -> [UInt8] {
    guard let bytes = Base64URL.decode(String(text)) else { throw LogLineError(reason: "a field is not base64") }
    return bytes
  }

  static func number(_ text: Substring) throws(LogLineError) -> Int64 {
    guard let number = Int64(text) else { throw LogLineError(reason: "a field is not a number") }
    return number
  }
}
