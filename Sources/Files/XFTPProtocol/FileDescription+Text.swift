import SMPProtocol
import SimplexCrypto
import WireCodec

// The YAML text of descriptions: keys in alphabetical order, as the reference writes them.

extension FileDescription {
  /// The text, which ends with the input. What is read is validated (``validate()``).
  ///
  /// Reads all YAML that means the same within ``YAMLNode``'s limits, with unknown members skipped.
  public static let codec = Codec<FileDescription>(
    decode: { (reader) throws(WireError) -> FileDescription in
      let start = reader.offset
      guard let text = String(validating: reader.restSpan()) else {
        throw WireError(.expected("UTF-8 text"), offset: start)
      }
      let description = try FileDescription(try YAMLNode(parsing: text))
      do { try description.validate() } catch {
        throw WireError(.expected("a valid description (\(error))"), offset: start)
      }
      return description
    },
    encode: { (description, writer) throws(WireError) in try description.write(to: &writer) })

  /// The text.
  public var text: String {
    get throws(WireError) { try Self.codec.text(self) }
  }

  /// The description in a text, for a party.
  /// - Throws: an error where the text is malformed, invalid, or for the other party.
  public init(text: String, party: FileParty) throws(WireError) {
    self = try Self.codec.decode(text: text)
    guard self.party == party else { throw WireError(.expected("a description for the \(party)")) }
  }

  private init(_ node: YAMLNode) throws(WireError) {
    let chunkSize = try node.member("chunkSize", FileSize.chunkCodec)
    var replicas: [ServerReplicas] = []
    for group in try node.list("replicas") {
      var lines: [ReplicaLine] = []
      for line in try group.list("chunks") {
        guard let text = line.text else { throw WireError(.expected("a chunk")).within("chunks") }
        lines.append(try ReplicaLine.codec.decode(text: text))
      }
      replicas.append(ServerReplicas(server: try group.member("server", XFTPServer.textCodec), lines: lines))
    }
    var redirect: FileRedirect?
    if let node = node["redirect"] {
      redirect = FileRedirect(
        size: try node.member("size", Codec<Int64>.decimal), digest: try node.member("digest", Codec<[UInt8]>.base64url)
      )
    }
    let chunks: [FileChunk]
    do { chunks = try Self.chunks(of: replicas, defaultSize: chunkSize) } catch {
      throw WireError(.expected("a valid description (\(error))"))
    }
    self.init(
      party: try node.member("party", Self.partyCodec), size: try node.member("size", FileSize.codec),
      digest: try node.member("digest", Codec<[UInt8]>.base64url), key: try node.member("key", BoxKey.textCodec),
      nonce: try node.member("nonce", BoxNonce.textCodec), chunkSize: chunkSize, chunks: chunks, redirect: redirect)
  }

  private static let partyCodec = Codec<String>.word().compactMap(
    "a party", { FileParty(rawValue: $0) }, \.rawValue)

  private func write(to writer: inout Writer) throws(WireError) {
    try writer.member("chunkSize", FileSize.chunkCodec.text(chunkSize))
    try writer.member("digest", Codec<[UInt8]>.base64url.text(digest))
    try writer.member("key", BoxKey.textCodec.text(key))
    try writer.member("nonce", BoxNonce.textCodec.text(nonce))
    writer.member("party", party.rawValue)
    if let redirect {
      writer.append(literal: "redirect:\n")
      try writer.member("  digest", Codec<[UInt8]>.base64url.text(redirect.digest))
      writer.append("  size: \(redirect.size)\n")
    }
    let replicas = serverReplicas()
    writer.append(literal: replicas.isEmpty ? "replicas: []\n" : "replicas:\n")
    for group in replicas {
      writer.append(literal: "- chunks:\n")
      for line in group.lines {
        writer.append(literal: "  - ")
        try ReplicaLine.codec.encode(line, &writer)
        writer.append(literal: "\n")
      }
      writer.member("  server", group.server.description)
    }
    try writer.member("size", FileSize.codec.text(size))
  }
}

extension Writer {
  /// A member with a text. A text that would be something else without quotes is in quotes.
  fileprivate mutating func member(_ name: StaticString, _ text: String) {
    let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let isQuoted = isNumber || text == "null" || text == "true"
    append(literal: name)
    append(literal: isQuoted ? ": '" : ": ")
    append(text)
    append(literal: isQuoted ? "'\n" : "\n")
  }
}

extension YAMLNode {
  /// The value in the text of a member.
  fileprivate func member<Value>(_ name: StaticString, _ codec: Codec<Value>) throws(WireError) -> Value {
    guard let text = self[name.description]?.text else { throw WireError(.expected("a text")).within(name) }
    do throws(WireError) { return try codec.decode(text: text) } catch { throw error.within(name) }
  }

  /// The elements of a member.
  fileprivate func list(_ name: StaticString) throws(WireError) -> [YAMLNode] {
    guard let elements = self[name.description]?.elements else {
      throw WireError(.expected("a sequence")).within(name)
    }
    return elements
  }
}
