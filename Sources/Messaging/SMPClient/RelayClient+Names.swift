import SMPClientCore
import SMPProtocol

// Resolving names. Source: simplex-messaging.md, "Resolver commands".

extension RelayClient {
  /// Asks the relay to resolve a name; it learns the address of this client and the name.
  /// - Throws: `relay` with `NAME` where the name is not resolved; `transport` with `version` where the relay predates
  ///   names.
  public func resolve(_ name: DomainName) async throws(SMPClientError) -> NameRecord {
    try record(await perform(RequestPipeline.Request(.rslv(name))))
  }

  /// Asks another relay through this one: that one learns the name, and this one the address of the client.
  /// - Throws: as ``resolve(_:)``, and `proxy` with the error of this relay.
  public func resolve(
    _ name: DomainName, through relay: SMPServerAddress, basicAuth: BasicAuth? = nil
  ) async throws(SMPClientError) -> NameRecord {
    try record(await perform(RequestPipeline.Request(.rslv(name)), through: relay, basicAuth: basicAuth))
  }

  private nonisolated func record(_ answer: BrokerMessage) throws(SMPClientError) -> NameRecord {
    guard case .rname(let record) = answer else { throw .unexpectedResponse(answer.form.keyword) }
    return record
  }
}
