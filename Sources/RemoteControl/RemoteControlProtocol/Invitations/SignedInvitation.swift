import SMPProtocol
import SimplexCrypto
import SimplexJSON
import WireCodec

/// An invitation with valid signatures: the link that hosts read from a QR code or an announcement. Source: XRCP,
/// "Session invitation".
///
/// The session key signs the text before `&ssig`, the identity key all before `&idsig`.
public struct SignedInvitation: Hashable, Sendable {
  /// The maximum size in bytes of a link that fits an announcement.
  public static let announcedLimit = Announcement.paddedSize - Padding.prefixSize

  /// The size in bytes of both signatures with their names.
  static let signaturesSize = "&ssig=&idsig=".utf8.count + 2 * Base64URL.encode([UInt8](repeating: 0, count: 64)).count

  /// The link, byte for byte as it was signed.
  public let text: String
  /// The content of the link.
  public let invitation: RemoteInvitation

  fileprivate init(text: String, invitation: RemoteInvitation) {
    self.text = text
    self.invitation = invitation
  }
}

extension RemoteInvitation {
  /// Signs the invitation by the private keys of its two public keys.
  public func signed(sessionKey: Ed25519.PrivateKey, identityKey: Ed25519.PrivateKey) -> SignedInvitation {
    var text = unsignedText
    text += "&ssig=" + Base64URL.string(sessionKey.signature(of: Array(text.utf8)))
    text += "&idsig=" + Base64URL.string(identityKey.signature(of: Array(text.utf8)))
    return SignedInvitation(text: text, invitation: self)
  }
}

/// A well-formed link whose signatures are not verified yet.
public struct ReceivedInvitation: Hashable, Sendable {
  /// The maximum size in bytes.
  public static let sizeLimit = 16_384

  private let bytes: [UInt8]
  /// The content, which nobody vouches for.
  public let unverified: RemoteInvitation
  private let sessionSignature: Signature
  private let identitySignature: Signature

  private struct Signature: Hashable, Sendable {
    var bytes: [UInt8]
    /// The number of bytes before it that it signs.
    var signedCount: Int
  }

  /// The invitation if both signatures are valid for the received bytes; nil otherwise.
  public func verified() -> SignedInvitation? {
    let isValid = bytes.withUnsafeBytes { bytes in
      isSigned(bytes, by: unverified.sessionKey, sessionSignature)
        && isSigned(bytes, by: unverified.identityKey, identitySignature)
    }
    return isValid
      ? SignedInvitation(text: String(decoding: bytes, as: UTF8.self), invitation: unverified) : nil
  }

  private func isSigned(
    _ bytes: UnsafeRawBufferPointer, by key: Ed25519.PublicKey, _ signature: Signature
  ) -> Bool {
    key.isValid(signature.bytes.span.bytes, of: bytes.bytes.extracting(first: signature.signedCount))
  }

  /// The link up to a space, a line break or the end.
  ///
  /// Each known parameter has to occur once, the two signatures after all others; unknown parameters are skipped.
  public static let codec = Codec<ReceivedInvitation>(
    decode: { (reader) throws(WireError) -> ReceivedInvitation in
      let start = reader.offset
      let link = reader.span { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard link.byteCount <= sizeLimit else { throw WireError(.tooLong(limit: sizeLimit), offset: start) }
      return try ReceivedInvitation(link)
    },
    encode: { (invitation, writer) throws(WireError) in writer.append(invitation.bytes) })

  private init(_ link: RawSpan) throws(WireError) {
    var reader = Reader(link)
    guard reader.take("xrcp:/") else { throw reader.failure(.expected("\"xrcp:/\"")) }
    let controller = try CertificateFingerprint.textCodec.decode(&reader)
    guard reader.take("@") else { throw reader.failure(.expected("\"@\"")) }
    let (host, port) = try Self.authority([UInt8](copying: reader.span { $0 != UInt8(ascii: "#") }))
    guard reader.take("#/?") else { throw reader.failure(.expected("\"#/?\"")) }
    let parameters = try InvitationParameters(&reader)

    bytes = [UInt8](copying: link)
    unverified = RemoteInvitation(
      controller: controller, host: host, port: port,
      versions: try parameters.value("v", VersionRange.textCodec), app: try parameters.json("app"),
      timestamp: try parameters.value("ts", .decimal),
      sessionKey: try parameters.value("skey", Ed25519.PublicKey.textCodec),
      identityKey: try parameters.value("idkey", Ed25519.PublicKey.textCodec),
      dhKey: try parameters.value("dh", X25519.PublicKey.textCodec))
    sessionSignature = try Self.signature("ssig", parameters, fromEnd: 1)
    identitySignature = try Self.signature("idsig", parameters, fromEnd: 0)
  }

  /// The host, percent-decoded, and the port behind the last colon.
  private static func authority(_ text: [UInt8]) throws(WireError) -> (TransportHost, UInt16) {
    guard let colon = text.lastIndex(of: UInt8(ascii: ":")), let name = PercentEncoding.decode(text[..<colon]) else {
      throw WireError(.expected("a host and a port"))
    }
    let host = try TransportHost.textCodec.decode(name)
    // Brackets are for addresses only.
    if case .domain(let name) = host, name.utf8.contains(UInt8(ascii: "[")) { throw WireError(.expected("a host")) }
    return (host, try Codec<UInt16>.decimal.decode(Array(text[(colon + 1)...])))
  }

  private static func signature(
    _ name: StaticString, _ parameters: InvitationParameters, fromEnd position: Int
  ) throws(WireError) -> Signature {
    let signature = try parameters.value(name, .base64url)
    let found = parameters.parameter(fromEnd: position)
    guard signature.count == Ed25519.signatureSize, found.name == name.description else {
      throw WireError(.expected("the signature \(name) at the end"))
    }
    return Signature(bytes: signature, signedCount: found.offset)
  }
}

/// The parameters of a link with the offsets of the `&` before them.
private struct InvitationParameters {
  struct Parameter {
    var name: String
    var value: [UInt8]
    var offset: Int
  }

  private var parameters: [Parameter] = []

  init(_ reader: inout Reader) throws(WireError) {
    repeat {
      let offset = reader.offset - 1
      let part = [UInt8](copying: reader.span { $0 != UInt8(ascii: "&") })
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")), let name = PercentEncoding.decode(part[..<equals]),
        let text = String(validating: name, as: UTF8.self), let value = PercentEncoding.decode(part[(equals + 1)...])
      else { throw reader.failure(.expected("a parameter")) }
      parameters.append(Parameter(name: text, value: value, offset: offset))
    } while reader.take("&")
    try reader.finish()
  }

  /// The parameter at this position from the end; an empty one if there are fewer.
  func parameter(fromEnd position: Int) -> Parameter {
    guard position < parameters.count else { return Parameter(name: "", value: [], offset: 0) }
    return parameters[parameters.count - 1 - position]
  }

  /// The value of the one parameter with this name.
  func value<Value>(_ name: StaticString, _ codec: Codec<Value>) throws(WireError) -> Value {
    let found = parameters.filter { $0.name == name.description }
    guard found.count == 1, let parameter = found.first else {
      throw WireError(.expected("one parameter \(name)"))
    }
    do throws(WireError) {
      return try codec.decode(parameter.value)
    } catch {
      throw error.within(name)
    }
  }

  /// The value of the one parameter with this name, which is JSON.
  func json(_ name: StaticString) throws(WireError) -> String {
    let text = try value(name, .tailText)
    guard (try? JSONDocument(parsing: text, limits: JSONLimits(depth: 32))) != nil else {
      throw WireError(.expected("JSON")).within(name)
    }
    return text
  }
}
