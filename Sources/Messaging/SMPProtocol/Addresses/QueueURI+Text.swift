import SimplexCrypto
import WireCodec

extension QueueURI {
  /// `smp://fingerprint@host/sender#/?v=1-4&dh=key&q=m`; older spellings are read as well. Extends to the end.
  public static let textCodec = Codec<QueueURI>(
    decode: { (reader) throws(WireError) -> QueueURI in
      let server = try SMPServerAddress.textCodec.followed(by: "/").decode(&reader)
      let senderID = try EntityID.textCodec.decode(&reader)
      _ = reader.take("/")
      guard reader.take("#") else { throw reader.failure(.expected("#")) }
      return try Parameters(reading: &reader).uri(server, senderID)
    },
    encode: { (uri, writer) throws(WireError) in
      let lowest = uri.clientVersions.lowest
      let hasHostList = lowest >= SMPClientVersion.hostNames
      let server = uri.address.server
      try SMPServerAddress.textCodec.encode(hasHostList ? server : server.firstHostOnly, &writer)
      writer.append(literal: "/")
      try EntityID.textCodec.encode(uri.address.senderID, &writer)
      writer.append(literal: "#/?")
      var query = QueryString()
      try query.append("v", uri.clientVersions, VersionRange.textCodec)
      try query.append("dh", uri.address.dhKey, X25519.PublicKey.textCodec)
      if let mode = uri.address.mode { query.append("q", mode == .messaging ? "m" : "c") }
      if uri.address.mode == .messaging, lowest < SMPClientVersion.shortLinks { query.append("k", "s") }
      if !hasHostList, server.hosts.count > 1 {
        try query.append("srv", Array(server.hosts.dropFirst()), TransportHost.textCodec.separated())
      }
      try QueryString.codec.encode(query, &writer)
    })

  /// The part after the `#`.
  private struct Parameters {
    var versions = VersionRange(1)
    var dhKey: X25519.PublicKey
    var hosts: [TransportHost] = []
    var mode: QueueMode?

    @_lifetime(reader: copy reader)
    init(reading reader: inout Reader) throws(WireError) {
      var leadingKey: X25519.PublicKey?
      if let next = reader.peek, next != UInt8(ascii: "/"), next != UInt8(ascii: "?") {
        leadingKey = try X25519.PublicKey.textCodec.decode(&reader)
      }
      // The oldest form has only the key.
      if let leadingKey, reader.isAtEnd {
        dhKey = leadingKey
        return
      }
      _ = reader.take("/")
      guard reader.take("?") else { throw reader.failure(.expected("?")) }
      let query = try QueryString.codec.decode(&reader)
      versions = try query.required("v", VersionRange.textCodec)
      if let leadingKey { dhKey = leadingKey } else { dhKey = try query.required("dh", X25519.PublicKey.textCodec) }
      hosts = try query.value("srv", TransportHost.textCodec.separated(atLeast: 0)) ?? []
      mode =
        switch (query["q"], query["k"]) {
        case ([UInt8(ascii: "m")]?, _): .messaging
        case ([UInt8(ascii: "c")]?, _): .contact
        case (_, [UInt8(ascii: "s")]?): .messaging
        default: nil
        }
    }

    func uri(_ server: SMPServerAddress, _ senderID: EntityID) -> QueueURI {
      var server = server.adding(hosts)
      if versions.highest < SMPClientVersion.hostNames { server = server.withLegacyHosts }
      return QueueURI(
        clientVersions: versions, address: QueueAddress(server: server, senderID: senderID, dhKey: dhKey, mode: mode))
    }
  }
}

extension ProtocolServer {
  fileprivate var firstHostOnly: ProtocolServer { ProtocolServer(hosts[0], port: port, keyHash: keyHash) }
}
