import SMPProtocol

extension ShortLink {
  /// The link without what everybody knows of a preset server: its other hosts, port and key hash.
  public func shortened(presets: [SMPServerAddress]) -> ShortLink {
    guard let preset = Self.preset(for: server, in: presets), server.hosts.allSatisfy(preset.hosts.contains),
      server.port == preset.port || (preset.port == nil && (server.port == 443 || server.port == 5223)),
      server.keyHash == preset.keyHash, let named = SMPServerAddress(hosts: [server.hosts[0]], keyHash: [])
    else { return self }
    var link = self
    link.server = named
    return link
  }

  /// The link with what is known of a preset server that it names by its host alone.
  public func restored(presets: [SMPServerAddress]) -> ShortLink {
    guard server.hosts.count == 1, server.port == nil, server.keyHash.isEmpty,
      let preset = Self.preset(for: server, in: presets)
    else { return self }
    var link = self
    link.server = preset
    return link
  }

  private static func preset(for server: SMPServerAddress, in presets: [SMPServerAddress]) -> SMPServerAddress? {
    presets.first { $0.hosts.first == server.hosts.first }
  }
}
