import SMPProtocol
import SimplexCrypto
import WireCodec

/// A link so short that it fits a message: it leads to link data on a relay, which only the link can open. Source:
/// agent-protocol.md, "Short invitation links".
public struct ShortLink: Hashable, Sendable {
  /// What a link leads to.
  public enum Kind: Hashable, Sendable {
    /// An invitation for one person; with the identifier of the data on the relay.
    case invitation(linkID: EntityID)
    /// An address.
    case contact(ContactType)
  }

  /// What is behind an address.
  public enum ContactType: UInt8, Hashable, Sendable, CaseIterable {
    /// A person or a bot.
    case contact = 65  // A
    /// A channel.
    case channel = 67  // C
    /// A group.
    case group = 71  // G
    /// A relay of channels.
    case relay = 82  // R

    /// The letter of the type in the binary form, which is a capital.
    var letter: UInt8 { rawValue }
    /// The letter of the type in the text form, which is a small one.
    var smallLetter: UInt8 { rawValue | 0x20 }
  }

  /// How the text form begins.
  public enum Scheme: Hashable, Sendable {
    /// `simplex:`
    case simplex
    /// `https://` and the first host of the relay, which then shows a page.
    case server
  }

  /// How the text form begins; the binary form does not tell and is read as ``Scheme/server``.
  public var scheme: Scheme
  /// What it leads to.
  public var kind: Kind
  /// The relay that has the data. A relay known to everybody is named by its first host alone: no port, no key hash.
  public var server: SMPServerAddress
  /// The hash of the fixed link data (32 bytes), from which all keys are derived. Whoever has it can read the data.
  public var linkKey: [UInt8]

  /// A link.
  public init(scheme: Scheme = .simplex, kind: Kind, server: SMPServerAddress, linkKey: [UInt8]) {
    self.scheme = scheme
    self.kind = kind
    self.server = server
    self.linkKey = linkKey
  }
}

extension ShortLink {
  /// The binary form.
  public static let codec = Codec<ShortLink>.tagged(
    "a short link",
    Alternative(
      "I", SMPServerAddress.codec.pair(EntityID.codec.pair(.short, separator: ""), separator: ""),
      { ShortLink(scheme: .server, kind: .invitation(linkID: $0.1.0), server: $0.0, linkKey: $0.1.1) },
      { link in
        guard case .invitation(let linkID) = link.kind else { return nil }
        return (link.server, (linkID, link.linkKey))
      }),
    Alternative(
      "C", contactTypeCodec.pair(SMPServerAddress.codec.pair(.short, separator: ""), separator: ""),
      { ShortLink(scheme: .server, kind: .contact($0.0), server: $0.1.0, linkKey: $0.1.1) },
      { link in
        guard case .contact(let type) = link.kind else { return nil }
        return (type, (link.server, link.linkKey))
      }))

  private static let contactTypeCodec = Codec<UInt8>.integer.compactMap(
    "a contact address type", { ContactType(rawValue: $0) }, \.letter)

  /// The text form: `simplex:/i#ID/KEY?h=…&p=…&c=…`, `https://host/a#KEY?…`.
  public static let textCodec = Codec<ShortLink>(
    decode: { (reader) throws(WireError) -> ShortLink in try decodeText(&reader) },
    encode: { (link, writer) throws(WireError) in try link.encodeText(&writer) })

  @_lifetime(reader: copy reader)
  private static func decodeText(_ reader: inout Reader) throws(WireError) -> ShortLink {
    var scheme = Scheme.simplex
    var firstHost: [TransportHost] = []
    if !reader.take("simplex:") {
      guard reader.take("https://") else { throw reader.failure(.expected("simplex: or https://")) }
      scheme = .server
      firstHost = [try TransportHost.textCodec.decode(&reader)]
    }
    guard reader.take("/") else { throw reader.failure(.expected("/")) }
    let letter = try reader.byte()
    let contactType = ContactType(rawValue: letter & ~0x20)
    guard letter == UInt8(ascii: "i") || contactType != nil else {
      throw reader.failure(.expected("the type of a short link"))
    }
    _ = reader.take("/")
    guard reader.take("#") else { throw reader.failure(.expected("#")) }
    let kind: Kind
    if let contactType {
      kind = .contact(contactType)
    } else {
      kind = .invitation(linkID: EntityID(try Codec<[UInt8]>.base64url.followed(by: "/").decode(&reader)))
    }
    let linkKey = try Codec<[UInt8]>.base64url.decode(&reader)
    let query = reader.take("?") ? try QueryString.codec.decode(&reader) : QueryString()
    let hosts = firstHost + (try query.value("h", TransportHost.textCodec.separated()) ?? [])
    let port = try query.value("p", Codec<UInt16>.decimal)
    let keyHash = try query.value("c", .base64url) ?? []
    guard let server = SMPServerAddress(hosts: hosts, port: port, keyHash: keyHash) else {
      throw reader.failure(.expected("a link with a server"))
    }
    return ShortLink(scheme: scheme, kind: kind, server: server, linkKey: linkKey)
  }

  private func encodeText(_ writer: inout Writer) throws(WireError) {
    var hosts = server.hosts
    if scheme == .server {
      writer.append(literal: "https://")
      writer.append(hosts.removeFirst().bracketed)
    } else {
      writer.append(literal: "simplex:")
    }
    writer.append(literal: "/")
    switch kind {
    case .invitation(let linkID):
      writer.append(literal: "i#")
      writer.append(Base64URL.unpadded(linkID.bytes))
      writer.append(literal: "/")
    case .contact(let type):
      writer.append(type.smallLetter)
      writer.append(literal: "#")
    }
    writer.append(Base64URL.unpadded(linkKey))
    var query = QueryString()
    if !hosts.isEmpty { try query.append("h", hosts, TransportHost.textCodec.separated()) }
    if let port = server.port { query.append("p", String(port)) }
    if !server.keyHash.isEmpty { query.append("c", Base64URL.unpadded(server.keyHash)) }
    guard !query.parameters.isEmpty else { return }
    writer.append(literal: "?")
    try QueryString.codec.encode(query, &writer)
  }
}

extension ShortLink {
  /// The key of the link data's boxes.
  public var boxKey: BoxKey {
    get throws(CryptoError) { try keys.boxKey }
  }

  /// The identifier of the link data on the relay: part of an invitation, derived from the key of an address.
  public var linkID: EntityID {
    get throws(CryptoError) { try keys.linkID }
  }

  private var keys: (linkID: EntityID, boxKey: BoxKey) {
    get throws(CryptoError) {
      switch kind {
      case .invitation(let linkID): (linkID, try LinkKeys.invitation(linkKey: linkKey))
      case .contact: try LinkKeys.contact(linkKey: linkKey)
      }
    }
  }
}

/// How the keys of link data are derived from the link's key (HKDF with SHA-512, empty salt).
public enum LinkKeys {
  /// The key of the boxes of an invitation.
  public static func invitation(linkKey: [UInt8]) throws(CryptoError) -> BoxKey {
    try BoxKey(HKDF.derive(from: linkKey.span.bytes, info: "SimpleXInvLink", count: BoxKey.size))
  }

  /// The identifier on the relay, and the key of the boxes, of an address.
  public static func contact(linkKey: [UInt8]) throws(CryptoError) -> (linkID: EntityID, boxKey: BoxKey) {
    let derived = HKDF.derive(
      from: linkKey.span.bytes, info: "SimpleXContactLink", count: EntityID.randomSize + BoxKey.size)
    let linkID = EntityID([UInt8](copying: derived.bytes.extracting(first: EntityID.randomSize)))
    let key = SecretBytes(copying: derived.bytes.extracting(droppingFirst: EntityID.randomSize))
    return (linkID, try BoxKey(key))
  }
}
