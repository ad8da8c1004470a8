import WireCodec

/// A message that a transmission can carry: commands in one direction, responses and events in the other.
///
/// Each message has one ``MessageForm``, in the file of that message, with everything about its wire form.
public protocol ProtocolMessage: Hashable, Sendable {
  /// Additional properties of every message of this kind, such as the party that sends it.
  associatedtype Role: Sendable
  /// The forms of all messages.
  static var forms: MessageForms<Self> { get }
  /// The form of this message.
  var form: MessageForm<Self> { get }
  /// The last bytes of the message, which are written unchanged; empty where there are none.
  var tail: [UInt8] { get }
  /// The replacement for peers whose version does not have this message.
  func downgraded(to version: UInt16) -> Self
}

/// One message of a protocol on the wire: its keyword, the form of its parameters, and the party that sends it. A
/// reference type, as it is accessed several times for each message.
public final class MessageForm<Message: ProtocolMessage>: Sendable {
  /// The word it begins with.
  public let keyword: String
  /// The version that introduced it.
  public let since: UInt16
  /// Its additional properties.
  public let role: Message.Role
  /// The credentials of its transmission.
  public let credentials: CredentialRule
  /// The keyword, with the space before the parameters, if it has any.
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

  /// A message with parameters: their codec, how to construct the message from them, and how to extract them.
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

/// The forms of all messages of a kind, indexed by keyword.
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
  /// No bytes.
  public var tail: [UInt8] { [] }

  /// The message itself.
  public func downgraded(to version: UInt16) -> Self { self }

  /// Reads a message that extends to the end.
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

  /// Writes the message in a form that a peer of the writer's version can read.
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
