import SimplexCrypto
import WireCodec

/// The address to which messages for a recipient are sent: a queue as its sender knows it. Source:
/// simplex-messaging.md, "Out-of-band messages".
public struct QueueAddress: Hashable, Sendable {
  /// The relay.
  public var server: SMPServerAddress
  /// The queue.
  public var senderID: EntityID
  /// The recipient's key for the boxes of messages.
  public var dhKey: X25519.PublicKey
  /// The purpose of the queue; not in old addresses.
  public var mode: QueueMode?

  public init(server: SMPServerAddress, senderID: EntityID, dhKey: X25519.PublicKey, mode: QueueMode?) {
    self.server = server
    self.senderID = senderID
    self.dhKey = dhKey
    self.mode = mode
  }

  /// Relay, queue and key, without the mode.
  static let baseCodec = base(SMPServerAddress.codec)

  /// The form of version 1, with a single host.
  static let legacyCodec = base(SMPServerAddress.legacyCodec)

  private static func base(_ server: Codec<SMPServerAddress>) -> Codec<QueueAddress> {
    .record(
      Field("server", \.server, server), Field("senderID", \.senderID, EntityID.codec),
      Field("dhKey", \.dhKey, X25519.PublicKey.codec),
      build: { QueueAddress(server: $0, senderID: $1, dhKey: $2, mode: nil) })
  }
}

/// A queue and the version of the client protocol to use with it, as connected clients exchange it.
public struct QueueInfoAddress: Hashable, Sendable {
  /// The version.
  public var clientVersion: UInt16
  /// The queue.
  public var address: QueueAddress

  public init(clientVersion: UInt16, address: QueueAddress) {
    self.clientVersion = clientVersion
    self.address = address
  }

  /// The version, and the form of the address in it; versions without the mode lose it.
  ///
  /// The mode is the last field, and nothing marks its absence, so the bytes that follow must not begin with `M`, `C`,
  /// `T` or `F`.
  public static let codec = Codec<QueueInfoAddress>(
    decode: { (reader) throws(WireError) -> QueueInfoAddress in
      let version: UInt16 = try reader.integer()
      let isLegacy = version < SMPClientVersion.hostNames
      var address = try (isLegacy ? QueueAddress.legacyCodec : QueueAddress.baseCodec).decode(&reader)
      address.mode = QueueMode.readTrailing(&reader)
      return QueueInfoAddress(clientVersion: version, address: address)
    },
    encode: { (info, writer) throws(WireError) in
      writer.append(integer: info.clientVersion)
      let isLegacy = info.clientVersion < SMPClientVersion.hostNames
      try (isLegacy ? QueueAddress.legacyCodec : QueueAddress.baseCodec).encode(info.address, &writer)
      let mode = info.address.mode
      if info.clientVersion >= SMPClientVersion.shortLinks {
        if let mode { try QueueMode.codec.encode(mode, &writer) }
      } else if info.clientVersion >= SMPClientVersion.senderKey, mode == .messaging {
        writer.append(literal: "T")
      }
    })
}

/// A queue and the versions of the client protocol that its recipient supports, as it is shared outside the network,
/// mostly inside links.
public struct QueueURI: Hashable, Sendable {
  /// The versions.
  public var clientVersions: VersionRange
  /// The queue.
  public var address: QueueAddress

  public init(clientVersions: VersionRange, address: QueueAddress) {
    self.clientVersions = clientVersions
    self.address = address
  }

  /// The binary form. The mode is lost where the lowest version does not have it, and may be restored as contact.
  public static let codec = Codec<QueueURI>(
    decode: { (reader) throws(WireError) -> QueueURI in
      let versions = try VersionRange.codec.decode(&reader)
      var address = try QueueAddress.baseCodec.decode(&reader)
      address.mode = QueueMode.readTrailing(&reader)
      return QueueURI(clientVersions: versions, address: address)
    },
    encode: { (uri, writer) throws(WireError) in
      try VersionRange.codec.encode(uri.clientVersions, &writer)
      try QueueAddress.baseCodec.encode(uri.address, &writer)
      let mode = uri.address.mode
      if uri.clientVersions.lowest >= SMPClientVersion.shortLinks {
        if let mode { try QueueMode.codec.encode(mode, &writer) }
      } else if uri.clientVersions.lowest >= SMPClientVersion.senderKey {
        writer.append(literal: mode == .messaging ? "T" : "F")
      } else if uri.clientVersions.highest >= SMPClientVersion.senderKey, mode == .messaging {
        writer.append(literal: "T")
      }
    })
}

extension QueueMode {
  /// The mode at the end of an address, in either of its forms, if there is one.
  @_lifetime(reader: copy reader)
  fileprivate static func readTrailing(_ reader: inout Reader) -> QueueMode? {
    if reader.take("M") || reader.take("T") { return .messaging }
    if reader.take("C") || reader.take("F") { return .contact }
    return nil
  }
}
