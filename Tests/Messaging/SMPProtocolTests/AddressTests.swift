import SMPProtocol
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@Suite("Addresses have the forms of the reference implementation")
struct AddressTests {
  @Test(arguments: cases("transportHosts", of: addressVectors))
  func host(_ golden: Golden) throws {
    let input = try golden.string("input")
    guard golden["error"] == nil else {
      #expect(throws: WireError.self) { try TransportHost.textCodec.decode(text: input) }
      return
    }
    let host = try TransportHost.textCodec.decode(text: input)
    #expect(try host.description == golden.string("str"))
    #expect(try TransportHost.codec.encode(host) == golden.hex("smp"))
    #expect(try TransportHost.codec.decode(golden.hex("smp")) == host)
    let kind =
      switch host {
      case .ipv4: "THIPv4"
      case .ipv6: "THIPv6"
      case .onion: "THOnionHost"
      case .domain: "THDomainName"
      }
    #expect(try kind == golden.string("kind"))
  }

  @Test(
    arguments: [
      ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
      ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
      ("::FFFF:1.2.3.4", "::ffff:102:304"), ("2001:DB8::", "2001:db8::"),
    ])
  func ipv6(_ input: String, _ canonical: String) throws {
    #expect(try TransportHost.textCodec.decode(text: "[\(input)]").description == canonical)
  }

  @Test(arguments: ["1:2:3", "1::2::3", "12345::", ":1", "1:2:3:4:5:6:7:8:9", "::1:2:3:4:5:6:7:8"])
  func notIPv6(_ input: String) { #expect(IPv6Address(input) == nil) }

  @Test(arguments: cases("servers", of: addressVectors))
  func server(_ golden: Golden) throws {
    let input = try golden.string("input")
    if golden["error"] != nil || input.hasPrefix("smp:") { return try check(golden, SMPScheme.self) }
    if input.hasPrefix("xftp:") { return try check(golden, XFTPScheme.self) }
    try check(golden, NotificationScheme.self)
  }

  private func check<Scheme: ServerProtocol>(_ golden: Golden, _ scheme: Scheme.Type) throws {
    let input = try golden.string("input")
    guard golden["error"] == nil else {
      #expect(throws: WireError.self) { try ServerWithAuth<Scheme>.textCodec.decode(text: input) }
      return
    }
    let address = try ServerWithAuth<Scheme>.textCodec.decode(text: input)
    #expect(try address.basicAuth?.bytes == golden["basicAuth"].map { Array(try $0.string().utf8) })
    #expect(try address.server == golden.server("server"))
    // The reference writes IPv6 addresses without brackets also before a port, and then reads another address.
    let isAmbiguous = address.server.port != nil && address.server.hosts.contains { "\($0)" != $0.bracketed }
    #expect(try ServerWithAuth<Scheme>.textCodec.text(address) == golden.string(isAmbiguous ? "input" : "str"))
    if !isAmbiguous { #expect(try address.server.description == golden.string("serverStrWithoutAuth")) }
    #expect(try ProtocolServer<Scheme>.codec.encode(address.server) == golden.hex("serverSmp"))
    #expect(try ProtocolServer<Scheme>.codec.decode(golden.hex("serverSmp")) == address.server)
    if address.basicAuth != nil {
      #expect(throws: WireError.self) { try ProtocolServer<Scheme>.textCodec.decode(text: input) }
      #expect(!"\(address)".contains(try golden.string("basicAuth")))
    }
  }

  @Test(arguments: cases("queueUris", of: addressVectors))
  func queueURI(_ golden: Golden) throws {
    let uri = try golden.member("queue").queueURI()
    let binary = try golden.hex("smp")
    #expect(try QueueURI.codec.encode(uri) == binary)
    let decoded = try QueueURI.codec.decode(binary)
    #expect(try decoded == golden.member("smpDecodesTo").queueURI())
    let text = try golden.string("str")
    #expect(try QueueURI.textCodec.text(uri) == text)
    #expect(try QueueURI.textCodec.decode(text: text) == golden.member("strDecodesTo").queueURI())
  }

  @Test(arguments: cases("queueUriParsing", of: addressVectors))
  func oldQueueURI(_ golden: Golden) throws {
    let uri = try QueueURI.textCodec.decode(text: golden.string("input"))
    #expect(try uri == golden.member("decodesTo").queueURI())
  }

  @Test(arguments: cases("queueInfos", of: addressVectors))
  func queueInfo(_ golden: Golden) throws {
    let info = try golden.member("queue").queueInfo()
    let binary = try golden.hex("smp")
    #expect(try QueueInfoAddress.codec.encode(info) == binary)
    #expect(try QueueInfoAddress.codec.decode(binary) == golden.member("smpDecodesTo").queueInfo())
  }
}

extension Golden {
  fileprivate func queueURI() throws -> QueueURI {
    let versions = try elements("clientVRange").map { UInt16(try $0.int()) }
    return QueueURI(clientVersions: VersionRange(versions[0]...versions[1]), address: try queueAddress())
  }

  fileprivate func queueInfo() throws -> QueueInfoAddress {
    QueueInfoAddress(clientVersion: UInt16(try int("clientVersion")), address: try queueAddress())
  }

  private func queueAddress() throws -> QueueAddress {
    let address = try member("address")
    let mode = try address["queueMode"]?.string()
    return QueueAddress(
      server: try address.server("server"), senderID: try address.entity("senderId"),
      dhKey: try X25519.PublicKey(rawBytes: address.hex("dhPublicKey")),
      mode: mode.map { $0 == "messaging" ? .messaging : .contact })
  }
}
