import SMPProtocol
import SimplexCrypto
import WireCodec

// Descriptions list chunks by relay: each line has the number of a chunk, the party's identifier and key, and once for
// each chunk its digest, and its size where that differs from the default. Source: xftp.md, "File description".

/// A line of a description.
struct ReplicaLine {
  var number: Int
  var id: EntityID
  var key: AuthorizationPrivateKey
  var digest: [UInt8]?
  var size: UInt32?

  /// `1:id:key:digest:1mb`, the last two optional.
  static let codec: Codec<ReplicaLine> = {
    let digest = Codec<[UInt8]>.base64url.optional(after: ":")
    let size = FileSize.chunkCodec.optional(after: ":")
    return Codec(
      decode: { (reader) throws(WireError) -> ReplicaLine in
        let number = try Codec<Int>.decimal.decode(&reader)
        guard number >= 0, reader.take(":") else { throw reader.failure(.expected("a chunk number")) }
        let id = try EntityID.textCodec.decode(&reader)
        guard reader.take(":") else { throw reader.failure(.expected(":")) }
        return ReplicaLine(
          number: number, id: id, key: try AuthorizationPrivateKey.textCodec.decode(&reader),
          digest: try digest.decode(&reader), size: try size.decode(&reader))
      },
      encode: { (line, writer) throws(WireError) in
        try Codec<Int>.decimal.encode(line.number, &writer)
        writer.append(literal: ":")
        try EntityID.textCodec.encode(line.id, &writer)
        writer.append(literal: ":")
        try AuthorizationPrivateKey.textCodec.encode(line.key, &writer)
        try digest.encode(line.digest, &writer)
        try size.encode(line.size, &writer)
      })
  }()
}

/// The lines of one relay.
struct ServerReplicas {
  var server: XFTPServer
  var lines: [ReplicaLine]
}

extension FileDescription {
  /// The lines of all relays, in the order of their addresses.
  func serverReplicas() -> [ServerReplicas] {
    var groups: [ServerReplicas] = []
    var places: [XFTPServer: Int] = [:]
    for chunk in chunks {
      for (index, replica) in chunk.replicas.enumerated() {
        let line = ReplicaLine(
          number: chunk.number, id: replica.id, key: replica.key, digest: index == 0 ? chunk.digest : nil,
          size: index == 0 && chunk.size != chunkSize ? chunk.size : nil)
        if let place = places[replica.server] {
          groups[place].lines.append(line)
        } else {
          places[replica.server] = groups.count
          groups.append(ServerReplicas(server: replica.server, lines: [line]))
        }
      }
    }
    return groups.sorted { $0.server.precedes($1.server) }
  }

  /// The chunks that these lines describe, in the order of their numbers.
  static func chunks(of replicas: [ServerReplicas], defaultSize: UInt32) throws(Invalid) -> [FileChunk] {
    var sizes: [Int: UInt32] = [:]
    var digests: [Int: [UInt8]] = [:]
    for line in replicas.lazy.flatMap(\.lines) {
      if let size = line.size, sizes.updateValue(size, forKey: line.number) ?? size != size {
        throw .replicas(chunk: line.number)
      }
      if let digest = line.digest, digests.updateValue(digest, forKey: line.number) ?? digest != digest {
        throw .replicas(chunk: line.number)
      }
    }
    var chunks: [Int: FileChunk] = [:]
    for group in replicas {
      for line in group.lines {
        guard let digest = digests[line.number] else { throw .noDigest(chunk: line.number) }
        chunks[
          line.number,
          default: FileChunk(number: line.number, size: sizes[line.number] ?? defaultSize, digest: digest, replicas: [])
        ].replicas.append(FileReplica(server: group.server, id: line.id, key: line.key))
      }
    }
    return chunks.values.sorted { $0.number < $1.number }
  }

  /// The number of bytes of the file at each relay, in the order of their addresses. Each chunk counts at the relay of
  /// its first replica, with its size; at others with the default size.
  public var sizesByServer: [(server: XFTPServer, size: Int64)] {
    serverReplicas().map { group in
      (group.server, group.lines.reduce(0) { $0 + Int64($1.size ?? chunkSize) })
    }
  }
}

extension ProtocolServer {
  /// The order of addresses in descriptions: by hosts (IPv4, IPv6, onion, names), port and fingerprint.
  fileprivate func precedes(_ other: ProtocolServer) -> Bool {
    let sortKey = hosts.map(\.sortKey)
    let otherKey = other.hosts.map(\.sortKey)
    if sortKey != otherKey { return sortKey.lexicographicallyPrecedes(otherKey) { $0.lexicographicallyPrecedes($1) } }
    let portText = Array((port.map { String($0) } ?? "").utf8)
    let otherPort = Array((other.port.map { String($0) } ?? "").utf8)
    if portText != otherPort { return portText.lexicographicallyPrecedes(otherPort) }
    return keyHash.lexicographicallyPrecedes(other.keyHash)
  }
}

extension TransportHost {
  /// The kind of the host, and its bytes or characters.
  fileprivate var sortKey: [UInt32] {
    switch self {
    case .ipv4(let address): [0] + address.bytes.map { UInt32($0) }
    case .ipv6(let address): [1] + address.groups.map { UInt32($0) }
    case .onion(let name): [2] + name.unicodeScalars.map(\.value)
    case .domain(let name): [3] + name.unicodeScalars.map(\.value)
    }
  }
}
