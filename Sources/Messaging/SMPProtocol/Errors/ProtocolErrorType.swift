import SimplexJSON
import WireCodec

/// The error response of a relay. Source: simplex-messaging.md, "Error responses".
public indirect enum ProtocolErrorType: Error, Hashable, Sendable {
  /// A block or a transmission in it is malformed.
  case BLOCK
  /// The session identifier is not that of this connection.
  case SESSION
  /// The command is malformed or not allowed.
  case CMD(cmdErr: ProtocolCommandError)
  /// Sending through a proxy failed.
  case PROXY(proxyErr: ProxyError)
  /// The authorization is invalid, or there is no such queue; clients cannot distinguish the two.
  case AUTH
  /// The queue was blocked by the relay's operator.
  case BLOCKED(blockInfo: BlockingInfo)
  /// The service signature is wrong, missing, or not allowed here.
  case SERVICE
  /// A box of the proxy protocol cannot be opened.
  case CRYPTO
  /// The queue is full.
  case QUOTA
  /// The relay's storage failed.
  case STORE(storeErr: String)
  /// There is no message to acknowledge.
  case NO_MSG
  /// The message is longer than ``SMPVersion/messageLimit(_:)``.
  case LARGE_MSG
  /// The relay's key that the proxy was given has expired.
  case EXPIRED
  /// Any other failure of the relay.
  case INTERNAL
  /// A name is not resolved.
  case NAME(nameErr: NameErrorType)
  /// Used inside the reference implementation only.
  case DUPLICATE_
}

extension ProtocolErrorType {
  /// The wire form, which ends with the input.
  public static let codec: Codec<ProtocolErrorType> = form(
    proxy: .lazy { ProxyError.codec }, command: ProtocolCommandError.codec, blocking: BlockingInfo.codec)

  /// The text form; as the wire form except inside ``PROXY(proxyErr:)``.
  public static let textCodec: Codec<ProtocolErrorType> = form(
    proxy: .lazy { ProxyError.textCodec }, command: ProtocolCommandError.codec, blocking: BlockingInfo.codec)

  private static func form(
    proxy: Codec<ProxyError>, command: Codec<ProtocolCommandError>, blocking: Codec<BlockingInfo>
  ) -> Codec<ProtocolErrorType> {
    .keywords(
      "an error",
      Alternative("BLOCK", .BLOCK),
      Alternative("SESSION", .SESSION),
      Alternative("CMD", command, { .CMD(cmdErr: $0) }, { if case .CMD(let error) = $0 { error } else { nil } }),
      Alternative("PROXY", proxy, { .PROXY(proxyErr: $0) }, { if case .PROXY(let error) = $0 { error } else { nil } }),
      Alternative("AUTH", .AUTH),
      Alternative(
        "BLOCKED", blocking, { .BLOCKED(blockInfo: $0) }, { if case .BLOCKED(let info) = $0 { info } else { nil } }),
      Alternative("SERVICE", .SERVICE),
      Alternative("CRYPTO", .CRYPTO),
      Alternative("QUOTA", .QUOTA),
      Alternative(
        "STORE", .repairedText, { .STORE(storeErr: $0) }, { if case .STORE(let error) = $0 { error } else { nil } }),
      Alternative("NO_MSG", .NO_MSG),
      Alternative("LARGE_MSG", .LARGE_MSG),
      Alternative("EXPIRED", .EXPIRED),
      Alternative("INTERNAL", .INTERNAL),
      Alternative(
        "NAME", NameErrorType.codec, { .NAME(nameErr: $0) }, { if case .NAME(let error) = $0 { error } else { nil } }),
      Alternative("DUPLICATE_", .DUPLICATE_))
  }

  /// The same error in a form that a client of this version can read.
  func downgraded(to version: UInt16) -> ProtocolErrorType {
    guard case .BLOCKED(var info) = self else { return self }
    if version < SMPVersion.blockedError { return .AUTH }
    if version < SMPVersion.clientNotices { info.notice = nil }
    return .BLOCKED(blockInfo: info)
  }
}

extension Codec where Value == String {
  /// All remaining text; invalid UTF-8 is repaired, since texts of errors are for people only.
  static var repairedText: Codec {
    Codec(
      decode: { (reader) throws(WireError) -> String in
        let bytes = [UInt8](copying: reader.restSpan())
        return String(decoding: bytes, as: UTF8.self)
      },
      encode: { (text, writer) throws(WireError) in writer.append(text) })
  }

  /// As ``repairedText`` after a 1-byte length. Longer texts are truncated, so that an error can always be reported.
  static var repairedShortText: Codec {
    Codec<[UInt8]>.short.map(
      { String(decoding: $0, as: UTF8.self) },
      { text in
        var end = text.startIndex
        while end < text.endIndex {
          let next = text.index(after: end)
          if text[..<next].utf8.count > 255 { break }
          end = next
        }
        return Array(text[..<end].utf8)
      })
  }
}

extension ProtocolErrorType: JSONCodable {
  public init(json: JSONNode) throws(JSONError) {
    var fields = try json.sum()
    switch fields.tag {
    case "BLOCK": self = .BLOCK
    case "SESSION": self = .SESSION
    case "CMD": self = try .CMD(cmdErr: fields.get("cmdErr"))
    case "PROXY": self = try .PROXY(proxyErr: fields.get("proxyErr"))
    case "AUTH": self = .AUTH
    case "BLOCKED": self = try .BLOCKED(blockInfo: fields.get("blockInfo"))
    case "SERVICE": self = .SERVICE
    case "CRYPTO": self = .CRYPTO
    case "QUOTA": self = .QUOTA
    case "STORE": self = try .STORE(storeErr: fields.get("storeErr"))
    case "NO_MSG": self = .NO_MSG
    case "LARGE_MSG": self = .LARGE_MSG
    case "EXPIRED": self = .EXPIRED
    case "INTERNAL": self = .INTERNAL
    case "NAME": self = try .NAME(nameErr: fields.get("nameErr"))
    case "DUPLICATE_": self = .DUPLICATE_
    default: throw fields.unknownTag()
    }
  }

  public func encode(to json: inout JSONWriter) {
    switch self {
    case .BLOCK: json.tag("BLOCK")
    case .SESSION: json.tag("SESSION")
    case .CMD(let error): json.sum("CMD", "cmdErr", error)
    case .PROXY(let error): json.sum("PROXY", "proxyErr", error)
    case .AUTH: json.tag("AUTH")
    case .BLOCKED(let info): json.sum("BLOCKED", "blockInfo", info)
    case .SERVICE: json.tag("SERVICE")
    case .CRYPTO: json.tag("CRYPTO")
    case .QUOTA: json.tag("QUOTA")
    case .STORE(let error): json.sum("STORE", "storeErr", error)
    case .NO_MSG: json.tag("NO_MSG")
    case .LARGE_MSG: json.tag("LARGE_MSG")
    case .EXPIRED: json.tag("EXPIRED")
    case .INTERNAL: json.tag("INTERNAL")
    case .NAME(let error): json.sum("NAME", "nameErr", error)
    case .DUPLICATE_: json.tag("DUPLICATE_")
    }
  }
}
