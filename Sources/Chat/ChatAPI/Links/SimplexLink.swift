import WireCodec

/// A SimpleX address or invitation as messages show it: what it leads to, its servers and its uniform spelling.
///
/// It says whether a text is such a link. Keys are checked for their encoding only; the agent checks the rest when
/// the link is used.
public struct SimplexLink: Hashable, Sendable {
  /// What the link leads to.
  public let linkType: SimplexLinkType
  /// The link with the scheme `simplex:`, whatever scheme it was written with.
  public let uri: String
  /// The hosts of its servers.
  public let hosts: [String]
  /// Whether it is a short link, whose data is on the server.
  public let isShort: Bool

  /// Parses a link, which has to be the whole text; nil if it is not one.
  public init?(_ text: String) {
    let parts = URIReference(splitting: text)
    guard parts.query == nil, let fragment = parts.fragment, let host = Self.serviceHost(parts) else { return nil }
    var path = Substring(parts.path)
    if path.utf8.count > 2, path.hasSuffix("/") { path = path.dropLast() }
    do throws(WireError) {
      let isFull = path == "/invitation" || path == "/contact"
      guard let link = try isFull ? Self.full(path, fragment) : Self.short(path, fragment, host: host.name) else {
        return nil
      }
      self = link
    } catch {
      return nil
    }
  }

  private init(linkType: SimplexLinkType, uri: String, hosts: [String], isShort: Bool) {
    self.linkType = linkType
    self.uri = uri
    self.hosts = hosts
    self.isShort = isShort
  }

  /// The markdown format of the link.
  func format(showText: String?) -> Format {
    .simplexLink(showText: showText, linkType: linkType, simplexUri: uri, smpHosts: hosts)
  }

  /// The host of an `https:` link, none for `simplex:`; nil for other schemes.
  private static func serviceHost(_ parts: URIReference) -> (name: String?, Void)? {
    switch (parts.scheme, parts.authority) {
    case ("simplex", nil): return (nil, ())
    case ("https", let authority?):
      let host = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[0]
      return host.isEmpty ? nil : (String(host), ())
    default: return nil
    }
  }
}

// MARK: - Full links

extension SimplexLink {
  /// The lowest agent version that links may name; old contact addresses are raised to it.
  private static let lowestAgentVersion: UInt16 = 2

  /// `/invitation#/?v=…&smp=…&e2e=…` or `/contact#/?v=…&smp=…`, with `data` for group links.
  private static func full(_ path: Substring, _ fragment: String) throws(WireError) -> SimplexLink? {
    let isContact = path == "/contact"
    guard fragment.hasPrefix("/?") else { return nil }
    let query = try QueryString.codec.decode(text: String(fragment.dropFirst(2)))
    let versions = try query.required("v", WireCodec.VersionRange.textCodec)
    guard let queues = text(query, "smp"), let hosts = try hosts(ofQueues: queues) else { return nil }

    var canonical = QueryString()
    let lowest = isContact ? max(versions.lowest, lowestAgentVersion) : versions.lowest
    let agentVersions = WireCodec.VersionRange(lowest, max(lowest, versions.highest)) ?? versions
    try canonical.append("v", agentVersions, WireCodec.VersionRange.textCodec)
    canonical.append("smp", queues)
    if !isContact {
      guard let ratchet = text(query, "e2e"), ratchet.containsText("x3dh=") else { return nil }
      canonical.append("e2e", ratchet)
    }
    let data = text(query, "data")
    if let data { canonical.append("data", data) }
    return SimplexLink(
      linkType: isContact ? (data.map(isGroupData) == true ? .group : .contact) : .invitation,
      uri: "simplex:\(path)#/?\(try QueryString.codec.text(canonical))", hosts: hosts, isShort: false)
  }

  /// Whether the client data of an address is `{"groupLinkId":"…"}`, before which older programs write a type.
  private static func isGroupData(_ data: String) -> Bool { data.containsText("\"groupLinkId\":\"") }

  private static func text(_ query: QueryString, _ name: String) -> String? {
    query[name].flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The hosts of `smp://…@host/queue#/?…[;…]`, those of the parameter `srv` included; nil where a queue is no queue.
  private static func hosts(ofQueues text: String) throws(WireError) -> [String]? {
    var hosts: [String] = []
    for queue in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard let hash = queue.firstIndex(of: "#"), let at = queue[..<hash].firstIndex(of: "@"),
        let slash = queue[at..<hash].firstIndex(of: "/")
      else { return nil }
      let server = try ServerAddress(parsing: String(queue[..<slash]))
      guard server.serverProtocol == .smp else { return nil }
      hosts += server.hostnames
      guard let question = queue[hash...].firstIndex(of: "?") else { continue }
      let query = try QueryString.codec.decode(text: String(queue[question...].dropFirst()))
      hosts += try query.value("srv", HostName.codec.separated()) ?? []
    }
    return hosts
  }
}

// MARK: - Short links

extension SimplexLink {
  /// `/a#<key>`, also `g`, `c` and `r` for `a`, or `/i#<id>/<key>`; then `?h=<hosts>&p=<port>&c=<key hash>`.
  private static func short(
    _ path: Substring, _ fragment: String, host: String?
  ) throws(WireError) -> SimplexLink? {
    guard path.utf8.count == 2, let letter = path.last, let linkType = shortTypes[letter] else { return nil }
    let question = fragment.firstIndex(of: "?") ?? fragment.endIndex
    let keys = fragment[..<question].split(separator: "/", omittingEmptySubsequences: false)
    let keyBytes = keys.compactMap { $0.isEmpty ? nil : Base64URL.decode(String($0)) }
    guard keys.count == (linkType == .invitation ? 2 : 1), keyBytes.count == keys.count else { return nil }
    let query = try QueryString.codec.decode(text: String(fragment[question...].dropFirst()))
    let hosts = try (host.map { [$0] } ?? []) + (query.value("h", HostName.codec.separated()) ?? [])
    guard !hosts.isEmpty else { return nil }

    var canonical = QueryString()
    canonical.append("h", hosts.joined(separator: ","))
    if let port = try query.value("p", Codec<UInt16>.decimal) { canonical.append("p", String(port)) }
    if let keyHash = try query.value("c", Codec.base64url) { canonical.append("c", unpadded(keyHash)) }
    let key = keyBytes.map(unpadded).joined(separator: "/")
    return SimplexLink(
      linkType: linkType, uri: "simplex:/\(letter.lowercased())#\(key)?\(try QueryString.codec.text(canonical))",
      hosts: hosts, isShort: true)
  }

  private static let shortTypes: [Character: SimplexLinkType] = [
    "a": .contact, "A": .contact, "g": .group, "G": .group, "c": .channel, "C": .channel, "r": .relay, "R": .relay,
    "i": .invitation,
  ]

  private static func unpadded(_ bytes: [UInt8]) -> String {
    String(decoding: Base64URL.encode(bytes).filter { $0 != UInt8(ascii: "=") }, as: UTF8.self)
  }
}
