import WireCodec

extension ProtocolServer where Scheme == SMPScheme {
  /// The form of client version 1, with the first host only. Known relays of that time get their other hosts back.
  static let legacyCodec: Codec<SMPServerAddress> = {
    let host = TransportHost.codec
    return Codec(
      decode: { (reader) throws(WireError) -> SMPServerAddress in
        // A single host without the count before it.
        let first = try host.decode(&reader)
        let (port, keyHash) = try portAndKeyHash.decode(&reader)
        return SMPServerAddress(first, port: port, keyHash: keyHash).withLegacyHosts
      },
      encode: { (server, writer) throws(WireError) in
        try host.encode(server.hosts[0], &writer)
        try portAndKeyHash.encode((server.port, server.keyHash), &writer)
      })
  }()

  /// The same relay with its onion host, if its address was published before addresses could have several hosts.
  public var withLegacyHosts: SMPServerAddress {
    guard hosts.count == 1, case .domain(let name) = hosts[0], let onion = legacyOnionHosts[name] else { return self }
    return adding([.onion(onion + ".onion")])
  }
}

private let legacyOnionHosts = [
  "smp4.simplex.im": "o5vmywmrnaxalvz6wi3zicyftgio6psuvyniis6gco6bp6ekl4cqj4id",
  "smp5.simplex.im": "jjbyvoemxysm7qxap7m5d5m35jzv5qq6gnlv7s4rsn7tdwwmuqciwpid",
  "smp6.simplex.im": "bylepyau3ty4czmn77q4fglvperknl4bi2eb2fdy2bh4jxtf32kf73yd",
  "smp8.simplex.im": "beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid",
  "smp9.simplex.im": "jssqzccmrcws6bhmn77vgmhfjmhwlyr3u7puw4erkyoosywgl67slqqd",
  "smp10.simplex.im": "rb2pbttocvnbrngnwziclp2f4ckjq65kebafws6g4hy22cdaiv5dwjqd",
]
