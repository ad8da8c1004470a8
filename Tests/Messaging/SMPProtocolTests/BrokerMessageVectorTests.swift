import SMPProtocol
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

@Suite("Messages of relays have the bytes of the reference implementation")
struct BrokerMessageVectorTests {
  @Test func allMessagesAreThere() throws {
    let names = Set(try cases("brokerMessages").map { try $0.string("message") })
    // The golden data ends with version 18.
    let known = BrokerMessage.forms.all.filter { $0.since < SMPVersion.serviceQueues }
    #expect(names == Set(known.map(\.keyword)))
  }

  @Test(arguments: cases("brokerMessages"))
  func message(_ golden: Golden) throws {
    let message = try golden.brokerMessage()
    let correlation = CorrelationID(try golden.hex("corrId"))
    let entity = try golden.entity("entityId")
    let keys = try #require(smpVectors).member("keys")
    for form in try golden.elements("forms") {
      let bytes = try form.hex("message")
      let isLossy = try form["lossy"]?.bool() ?? false
      for version in try form.elements("versions").map({ UInt16(try $0.int()) }) {
        #expect(try BrokerMessage.codec.encode(message, version: version) == bytes)
        let decoded = try BrokerMessage.codec.decode(bytes, version: version)
        if !isLossy { #expect(decoded == message) }
        #expect(try BrokerMessage.codec.encode(decoded, version: version) == bytes)

        let session = SessionContext(version: version, sessionID: SessionID(try keys.hex("sessionId")))
        var batch = BlockBatch(session)
        try batch.add { (writer) throws(WireError) in
          try session.write(message, entity: entity, correlation: correlation, to: &writer)
        }
        let content = batch.take()[0]
        #expect(Array(content.dropFirst(3)) == (try form.hex("transmission")))
        let received = session.transmissions(of: BrokerMessage.self, in: content)[0]
        #expect(received.correlationID == correlation)
        #expect(received.entityID == entity)
        #expect(try received.message.get() == decoded)
      }
    }
  }

  /// The errors of golden data.
  static let errors = cases("brokerMessages").filter { (try? $0.string("message")) == "ERR" }

  @Test(arguments: errors)
  func errorForms(_ golden: Golden) throws {
    let fields = try golden.member("fields")
    let text = try fields.string("errorStr")
    let error = try ProtocolErrorType(jsonBytes: fields.member("error").json())
    #expect(try ProtocolErrorType.textCodec.text(error) == text)
    let json = error.jsonText()
    #expect(try ProtocolErrorType(jsonText: json) == error)
    // The text form leaves out the details of NETWORK.
    if !text.contains("NETWORK") { #expect(try ProtocolErrorType.textCodec.decode(text: text) == error) }
  }
}
