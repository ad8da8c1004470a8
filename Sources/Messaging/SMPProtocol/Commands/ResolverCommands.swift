import WireCodec

extension Command {
  /// Fields that later versions may add after the name are skipped, as in the reference implementation.
  private static let rslvCodec = Codec<DomainName>(
    decode: { (reader) throws(WireError) -> DomainName in
      let name = try DomainName.codec.decode(&reader)
      _ = reader.restSpan()
      return name
    },
    encode: DomainName.codec.encode)

  static let rslvForm = MessageForm<Command>(
    "RSLV", since: SMPVersion.names, .resolverClient, .none, rslvCodec, { .rslv($0) },
    { if case .rslv(let name) = $0 { name } else { nil } })
}
