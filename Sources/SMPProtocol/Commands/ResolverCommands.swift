import WireCodec

extension Command {
  /// What later versions may add after the name is passed over, as the reference implementation does.
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
