import SMPProtocol
import SimplexCrypto
import Testing
import WireCodec

/// Hosts, ports and passwords of every form are read as they were written.
@Suite struct AddressFormsTests {
  static let hosts = [
    "relay.example", "a-b_c.example", "localhost", "127.0.0.1", "::", "::1", "2001:db8::5223", "fe80::1:2:3:4",
    "1:2:3:4:5:6:7:8", "beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion",
  ]
  static let ports: [UInt16?] = [nil, 1, 443, 5223, 65_535]
  /// All characters that a password may have.
  static let passwords = [nil, (0x21...0x7E).filter { !"@:/".utf8.contains($0) }.map { UInt8($0) }]

  private static var servers: [SMPServerAddress] {
    get throws {
      let all = try hosts.map { try TransportHost.textCodec.decode(text: $0) }
      let lists = all.map { [$0] } + all.map { [all[0], $0] } + all.map { [$0, all[5]] }
      return lists.flatMap { list in
        ports.compactMap { SMPServerAddress(hosts: list, port: $0, keyHash: [UInt8](repeating: 7, count: 32)) }
      }
    }
  }

  @Test func servers() throws {
    for server in try Self.servers {
      for password in Self.passwords {
        let address = ServerWithAuth(server: server, basicAuth: password.flatMap { BasicAuth($0) })
        let text = try ServerWithAuth<SMPScheme>.textCodec.text(address)
        #expect(try ServerWithAuth<SMPScheme>.textCodec.decode(text: text) == address, "\(text)")
      }
      #expect(try SMPServerAddress.textCodec.decode(text: server.description) == server)
      #expect(try SMPServerAddress.codec.decode(try SMPServerAddress.codec.encode(server)) == server)
    }
  }

  @Test func queues() throws {
    let key = try X25519.PublicKey(rawBytes: [UInt8](repeating: 9, count: 32))
    for server in try Self.servers {
      for versions in [VersionRange(1...4), VersionRange(3...4)] {
        let uri = QueueURI(
          clientVersions: versions,
          address: QueueAddress(
            server: server, senderID: EntityID([UInt8](repeating: 1, count: 24)), dhKey: key, mode: .messaging))
        let text = try QueueURI.textCodec.text(uri)
        #expect(try QueueURI.textCodec.decode(text: text) == uri, "\(text)")
      }
    }
  }

  /// As the reference implementation writes an address without a port, and reads one with it.
  @Test func bracketsOnlyBeforeAPort() {
    #expect("\(SMPServerAddress(.ipv6(IPv6Address("::1")!), keyHash: []))" == "smp://@::1")
    #expect("\(SMPServerAddress(.ipv6(IPv6Address("::1")!), port: 5223, keyHash: []))" == "smp://@[::1]:5223")
  }
}
