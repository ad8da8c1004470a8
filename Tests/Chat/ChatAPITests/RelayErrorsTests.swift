import ChatAPI
import SMPProtocol
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

/// Errors of relays are declared twice, because the API must not depend on the relay protocol: `ChatAPI` has them as
/// JSON, `SMPProtocol` in three forms. Samples of every case, made from the catalog, have to mean the same in both.
@Suite("Errors of relays in the API and in the relay protocol")
struct RelayErrorsTests {
  @Test func commandErrorsAgree() throws {
    try agree("ProtocolCommandError", ChatAPI.ProtocolCommandError.self, SMPProtocol.ProtocolCommandError.codec)
  }

  @Test func nameErrorsAgree() throws {
    try agree("NameErrorType", ChatAPI.NameErrorType.self, SMPProtocol.NameErrorType.codec)
  }

  @Test func proxyErrorsAgree() throws {
    try agree("ProxyError", ChatAPI.ProxyError.self, SMPProtocol.ProxyError.textCodec)
  }

  @Test func protocolErrorsAgree() throws {
    try agree("ProtocolErrorType", ChatAPI.ProtocolErrorType.self, SMPProtocol.ProtocolErrorType.textCodec)
  }

  @Test func brokerErrorsAgree() throws {
    try agree("BrokerErrorType", ChatAPI.BrokerErrorType.self, SMPProtocol.BrokerErrorType.textCodec)
  }

  @Test func errorsWithTextsOfTheirOwnAgree() throws {
    try agree("NetworkError", ChatAPI.NetworkError.self, SMPProtocol.NetworkError.self)
    try agree("ProtocolTransportError", ChatAPI.ProtocolTransportError.self, SMPProtocol.ProtocolTransportError.self)
    try agree("SMPHandshakeError", ChatAPI.SMPHandshakeError.self, SMPProtocol.SMPHandshakeError.self)
    try agree("BlockingInfo", ChatAPI.BlockingInfo.self, SMPProtocol.BlockingInfo.self)
    try agree("BlockingReason", ChatAPI.BlockingReason.self, SMPProtocol.BlockingReason.self)
    try agree("ClientNotice", ChatAPI.ClientNotice.self, SMPProtocol.ClientNotice.self)
  }

  /// JSON agrees, and the text of the relay protocol begins with the tag of the JSON.
  private func agree<A: APIType, B: APIType>(_ name: String, _: A.Type, _ text: Codec<B>) throws {
    for sample in try samples(name) {
      let value = try expectSameJSON(sample, A.self, B.self)
      let words = try text.text(value).split(separator: " ")
      #expect(words.first.map { JSONValue.string(String($0)) } == sample["type"], "\(sample)")
    }
  }

  private func agree<A: APIType, B: APIType>(_ name: String, _: A.Type, _: B.Type) throws {
    for sample in try samples(name) { _ = try expectSameJSON(sample, A.self, B.self) }
  }

  private func expectSameJSON<A: APIType, B: APIType>(_ sample: JSONValue, _: A.Type, _: B.Type) throws -> B {
    let a = try A(jsonText: sample.jsonText())
    let b = try B(jsonText: sample.jsonText())
    for sums in [JSONSums.tagged, .singleField] {
      #expect(a.jsonText(sums: sums) == b.jsonText(sums: sums))
      #expect(try A(jsonText: b.jsonText(sums: sums)) == a)
      #expect(try B(jsonText: a.jsonText(sums: sums)) == b)
    }
    return b
  }

  /// Samples of every variant, with and without what is optional, and of several variants inside them.
  private func samples(_ name: String) throws -> [JSONValue] {
    let rows = try #require(TypeTable.shared.rowsByType[name])
    return rows.flatMap { row in
      Sampler.Optionals.allCases.flatMap { optionals in
        (UInt64(0)..<20).map { seed in
          var sampler = Sampler(table: .shared, random: SeededGenerator(seed: seed), optionals: optionals)
          return sampler.sample(row)
        }
      }
    }
  }
}
