import SMPProtocol
import SimplexJSON
import SimplexTesting
import Testing
import WireCodec

/// Golden data of what versions 19 and 20 added.
private let nameVectors: Golden? = try? Vectors.load("smp-20.json")

@Suite("Versions 19 and 20 have the bytes of the reference implementation")
struct NameVectorTests {
  @Test(arguments: cases("commands", of: nameVectors))
  func command(_ golden: Golden) throws {
    let fields = try golden.member("fields")
    let command: Command
    switch try golden.string("command") {
    case "RSLV":
      let name = try #require(DomainName(fields.string("domain")))
      #expect(name.text == (try fields.string("full")))
      command = .rslv(name)
    case "SUBS": command = .subs(try fields.serviceQueues())
    default: command = .nsubs(try fields.serviceQueues())
    }
    let bytes = try golden.hex("bytes")
    #expect(try Command.codec.encode(command, version: 20) == bytes)
    #expect(try Command.codec.decode(bytes, version: 20) == command)
  }

  @Test(arguments: cases("brokerMessages", of: nameVectors))
  func message(_ golden: Golden) throws {
    let bytes = try golden.hex("bytes")
    let decoded = try BrokerMessage.codec.decode(bytes, version: 20)
    let again = try BrokerMessage.codec.encode(decoded, version: 20)
    switch try golden.string("message") {
    case "RNAME":
      let record = try NameRecord(jsonBytes: golden.member("fields").member("record").json())
      #expect(decoded == .rname(record))
      // The texts of JSON may differ where their values do not.
      #expect(try BrokerMessage.codec.decode(again, version: 20) == decoded)
      return
    case "ERR":
      let fields = try golden.member("fields")
      let error = try ProtocolErrorType(jsonBytes: fields.member("error").json())
      #expect(decoded == .err(error))
      #expect(try ProtocolErrorType.textCodec.text(error) == fields.string("errorStr"))
      #expect(try ProtocolErrorType.textCodec.decode(text: fields.string("errorStr")) == error)
      #expect(try ProtocolErrorType(jsonText: error.jsonText()) == error)
    case "SOKS": #expect(decoded == .soks(try golden.member("fields").serviceQueues()))
    case "ENDS": #expect(decoded == .ends(try golden.member("fields").serviceQueues()))
    default: #expect(decoded == .alls)
    }
    #expect(again == bytes)
  }

  @Test func theRecordHasTheSameTextWhereNothingIsEscaped() throws {
    let golden = cases("brokerMessages", of: nameVectors)[1]
    let record = try NameRecord(jsonBytes: golden.member("fields").member("record").json())
    #expect(try BrokerMessage.codec.encode(.rname(record), version: 20) == golden.hex("bytes"))
  }

  @Test(arguments: cases("commandParsing", of: nameVectors))
  func parsing(_ golden: Golden) throws {
    let session = SessionContext(version: 20, sessionID: SessionID([1, 2]))
    let isSigned = try golden.bool("signed")
    var writer = Writer(version: session.version)
    try Codec<[UInt8]>.short.encode(isSigned ? [UInt8](repeating: 7, count: 64) : [], &writer)
    if isSigned { writer.append(literal: "0") }
    writer.append([1, 5])
    try Codec<[UInt8]>.short.encode(try golden.bool("entity") ? [9, 9] : [], &writer)
    writer.append(try golden.string("command"))
    let result = try golden.member("result")
    switch try received(Command.self, writer.bytes, session) {
    case .success(let command): #expect(try Command.codec.text(command, version: 20) == result.string("ok"))
    case .failure(let error):
      #expect(try ProtocolErrorType.textCodec.text(ProtocolErrorType(error)) == result.string("error"))
    }
  }

  @Test(arguments: cases("messageParsing", of: nameVectors))
  func messageParsing(_ golden: Golden) throws {
    let session = SessionContext(version: 20, sessionID: SessionID([1, 2]))
    var writer = Writer(version: session.version)
    writer.append([0, 1, 5])
    try Codec<[UInt8]>.short.encode(try golden.bool("entity") ? [9, 9] : [], &writer)
    writer.append(try golden.string("message"))
    let result = try golden.member("result")
    switch try received(BrokerMessage.self, writer.bytes, session) {
    case .success(.rname(let record)):
      #expect(try record == NameRecord(jsonBytes: result.member("record").json()))
    case .success(let message): #expect(try BrokerMessage.codec.text(message, version: 20) == result.string("ok"))
    case .failure(let error):
      #expect(try ProtocolErrorType.textCodec.text(ProtocolErrorType(error)) == result.string("error"))
    }
  }

  @Test func allOfThemAreThere() {
    #expect(cases("commands", of: nameVectors).count == 6)
    #expect(cases("brokerMessages", of: nameVectors).count == 13)
    #expect(cases("commandParsing", of: nameVectors).count == 40)
    #expect(cases("messageParsing", of: nameVectors).count == 39)
  }

  // Clients do not send names to older relays; this relay does not know the command before its version.
  @Test func namesAreForVersion20() throws {
    let name = try #require(DomainName("alice.simplex"))
    let error = WireError(.unsupportedVersion(19))
    #expect(throws: error) { try Command.codec.encode(.rslv(name), version: 19) }
    let session = SessionContext(version: 19, sessionID: SessionID([1, 2]))
    let bytes: [UInt8] = [0, 1, 5, 0] + Array("RSLV alice.simplex".utf8)
    guard case .failure(.message(.UNKNOWN)) = try received(Command.self, bytes, session) else {
      Issue.record("RSLV is known in version 19")
      return
    }
  }

  private func received<Message: ProtocolMessage>(
    _ type: Message.Type, _ bytes: [UInt8], _ session: SessionContext
  ) throws -> Result<Message, TransmissionError> {
    let block = [1, UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    let transmissions = session.transmissions(of: type, in: block)
    return try #require(transmissions.first).message
  }
}

extension Golden {
  fileprivate func serviceQueues() throws -> ServiceQueues {
    ServiceQueues(count: Int64(try int("count")), hash: SIMD16(try hex("hash")))
  }
}
