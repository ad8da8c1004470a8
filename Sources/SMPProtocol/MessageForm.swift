import WireCodec

/// A message that a transmission can carry: commands in one direction, responses and events in the other.
///
/// Each message has one ``MessageForm``, which stands in the file of that message and holds all there is to know about
/// it on the wire.
public protocol ProtocolMessage: Hashable, Sendable {
  /// What else is known about every message of this kind, such as which party sends it.
  associatedtype Role: Sendable
  /// The forms of all messages.
  static var forms: MessageForms<Self> { get }
  /// The form of this message.
  var form: MessageForm<Self> { get }
  /// The bytes that the message has as they are, and that end it on the wire; empty where there are none.
  var tail: [UInt8] { get }
  /// The message that a peer gets instead that does not know this one in its version.
  func downgraded(to version: UInt16) -> Self
}

/// One message of a protocol on the wire: its keyword, the form of its parameters, and who may send it. A reference, as
/// it is looked at several times for each message.
public final class MessageForm<Message: ProtocolMessage>: Sendable {
  /// The word it begins with.
  public let keyword: String
  /// The version that introduced it; in older ones it does not exist.
  public let since: UInt16
  /// What else is known about it.
  public let role: Message.Role
  /// Which credentials its transmission has to have.
  public let credentials: CredentialRule
  /// The keyword, with the space that separates it from the parameters, if it has any.
  let prefix: [UInt8]
  let parameters: Codec<Message>

  /// A message without parameters.
  public init(
    _ keyword: String, since: UInt16 = 0, _ role: Message.Role, _ credentials: CredentialRule, _ message: Message
  ) {
    self.keyword = keyword
    self.since = since
    self.role = role
    self.credentials = credentials
    prefix = Array(keyword.utf8)
    parameters = Codec(decode: { (_) throws(WireError) in message }, encode: { (_, _) throws(WireError) in })
  }

  /// A message with parameters: their codec, how to make the message of them, and how to get them from it.
  public init<Parameters>(
    _ keyword: String, since: UInt16 = 0, _ role: Message.Role, _ credentials: CredentialRule,
    _ codec: Codec<Parameters>, _ embed: @escaping @Sendable (Parameters) -> Message,
    _ extract: @escaping @Sendable (Message) -> Parameters?
  ) {
    self.keyword = keyword
    self.since = since
    self.role = role
    self.credentials = credentials
    prefix = Array("\(keyword) ".utf8)
    parameters = Codec(
      decode: { (reader) throws(WireError) -> Message in
        guard reader.take(" ") else { throw reader.failure(.expected("a space")) }
        return embed(try codec.decode(&reader))
      },
      encode: { (message, writer) throws(WireError) in
        guard let parameters = extract(message) else { throw writer.failure(.expected("\(keyword)")) }
        try codec.encode(parameters, &writer)
      })
  }

  /// A message that got its parameters in a later version than itself; before, it means those of `otherwise`.
  public init<Parameters: Sendable>(
    _ keyword: String, since: UInt16, parametersSince: UInt16, otherwise: Parameters, _ role: Message.Role,
    _ credentials: CredentialRule, _ codec: Codec<Parameters>, _ embed: @escaping @Sendable (Parameters) -> Message,
    _ extract: @escaping @Sendable (Message) -> Parameters?
  ) {
    self.keyword = keyword
    self.since = since
    self.role = role
    self.credentials = credentials
    prefix = Array(keyword.utf8)
    parameters = Codec(
      decode: { (reader) throws(WireError) -> Message in
        guard reader.version >= parametersSince else { return embed(otherwise) }
        guard reader.take(" ") else { throw reader.failure(.expected("a space")) }
        return embed(try codec.decode(&reader))
      },
      encode: { (message, writer) throws(WireError) in
        guard writer.version >= parametersSince else { return }
        guard let parameters = extract(message) else { throw writer.failure(.expected("\(keyword)")) }
        writer.append(UInt8(ascii: " "))
        try codec.encode(parameters, &writer)
      })
  }
}

/// The forms of all messages of a kind, found by their keywords.
public struct MessageForms<Message: ProtocolMessage>: Sendable {
  /// All of them.
  public let all: [MessageForm<Message>]
  private let byKeyword: [UInt64: MessageForm<Message>]

  /// The forms; their keywords differ and have at most 8 ASCII characters.
  public init(_ forms: [MessageForm<Message>]) {
    all = forms
    byKeyword = Dictionary(uniqueKeysWithValues: forms.map { (Self.key(Array($0.keyword.utf8).span.bytes), $0) })
  }

  /// The form of the message with this keyword in a version; nil if there is none.
  func form(_ keyword: RawSpan, version: UInt16) -> MessageForm<Message>? {
    guard (1...8).contains(keyword.byteCount), let form = byKeyword[Self.key(keyword)], version >= form.since else {
      return nil
    }
    return form
  }

  /// The characters of a keyword as one number.
  private static func key(_ keyword: RawSpan) -> UInt64 {
    var key: UInt64 = 0
    for index in 0..<keyword.byteCount {
      key = key << 8 | UInt64(keyword.unsafeLoad(fromByteOffset: index, as: UInt8.self))
    }
    return key
  }
}

extension ProtocolMessage {
  /// None.
  public var tail: [UInt8] { [] }

  /// The same message.
  public func downgraded(to version: UInt16) -> Self { self }

  /// Reads a message that takes up all that is left.
  static func parse(_ reader: inout Reader) -> Result<Self, ProtocolCommandError> {
    let keyword = reader.span { $0 != UInt8(ascii: " ") }
    guard let form = forms.form(keyword, version: reader.version) else { return .failure(.UNKNOWN) }
    do throws(WireError) {
      let message = try form.parameters.decode(&reader)
      try reader.finish()
      return .success(message)
    } catch {
      return .failure(.SYNTAX)
    }
  }

  /// Writes the message as a peer with the writer's version can read it.
  func write(_ writer: inout Writer) throws(WireError) {
    let message = downgraded(to: writer.version)
    let form = message.form
    guard writer.version >= form.since else { throw writer.failure(.unsupportedVersion(writer.version)) }
    writer.append(form.prefix)
    try form.parameters.encode(message, &writer)
  }

  /// The wire form of any message, up to the end.
  public static var codec: Codec<Self> {
    Codec(
      decode: { (reader) throws(WireError) -> Self in
        let start = reader.offset
        switch parse(&reader) {
        case .success(let message): return message
        case .failure(let error): throw WireError(.expected("a message (\(error))"), offset: start)
        }
      },
      encode: { (message, writer) throws(WireError) in try message.write(&writer) })
  }
}
