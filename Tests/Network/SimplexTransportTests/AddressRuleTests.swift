import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import SimplexTransport

/// Addresses that a server does not connect to for others.
@Suite("Public addresses") struct AddressRuleTests {
  static let refused = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.1.2",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.1.1.1", "64:ff9b::a00:1",
    "64:ff9b:1::808:808", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:1::1",
    "3fff:fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "4000::1",
  ]
  static let allowed = [
    "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.1.1.1", "128.0.0.1", "169.253.1.1",
    "172.15.1.1", "172.32.0.1", "192.0.1.1", "192.167.1.1", "192.169.1.1", "198.17.1.1", "198.20.0.1", "223.255.255.1",
    "2606:4700::1111", "2a00:1450:4001::1", "2001:4860::8888", "2001:200::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
    "2002:808:808::1", "3fff:1000::1", "2400::1",
  ]

  @Test(arguments: refused) func reservedAddressesAreNotPublic(_ text: String) throws {
    let address = try SocketAddress(ipAddress: text, port: 1)
    #expect(!AddressRule.publicOnly.allows(address) && !AddressRule.publicOnly.allows(host: text))
    #expect(AddressRule.all.allows(address) && AddressRule.all.allows(host: text))
  }

  @Test(arguments: allowed) func othersArePublic(_ text: String) throws {
    #expect(AddressRule.publicOnly.allows(try SocketAddress(ipAddress: text, port: 1)))
    #expect(AddressRule.publicOnly.allows(host: text))
  }

  @Test(
    "Hosts that a SOCKS proxy is asked for",
    arguments: [
      ("127.1", false), ("0x7f.1", false), ("2130706433", false), ("0177.0.0.1", false), ("localhost", false),
      ("LocalHost.", false), ("relay.localhost", false), ("fe80::1%eth0", false), ("", false), (".", false),
      ("relay.example", true), ("localhost.example", true), ("abc.onion", true), ("8.8.2056", true),
    ]) func names(_ host: String, _ isAllowed: Bool)
  {
    #expect(AddressRule.publicOnly.allows(host: host) == isAllowed)
  }

  @Test(
    "Nothing reaches a listener on the loopback interface, however it is named",
    arguments: ["127.0.0.1", "localhost", "127.1", "2130706433", "0.0.0.0", "::ffff:127.0.0.1"])
  func loopback(host: String) async throws {
    let accepted = NIOLockedValueBox(0)
    let listener = try await PlainServer { _ in accepted.withLockedValue { $0 += 1 } }
    let client = try TransportClient(TLSClientConfiguration(applicationProtocols: ["smp/1"]))
    func connect(_ options: TransportClient.Options) async -> TransportError? {
      do throws(TransportError) {
        _ = try await AsyncBlockConnection.connect(
          client, host: host, port: listener.port, policy: .anyRelay, options: options)
        return nil
      } catch { return error }
    }
    var options = TransportClient.Options()
    options.timeout = .seconds(2)
    options.addresses = .publicOnly
    guard case .unreachable(host, listener.port, _)? = await connect(options) else {
      Issue.record("it was not refused")
      return
    }
    #expect(accepted.withLockedValue { $0 } == 0)
    // The SOCKS proxy itself may be anywhere, and is not asked.
    options.proxy = SOCKS5Proxy(host: "127.0.0.1", port: listener.port)
    guard case .unreachable(host, listener.port, "its address is not public")? = await connect(options) else {
      Issue.record("it was not refused")
      return
    }
    options.proxy = nil
    options.addresses = .all
    #expect(await connect(options) == .connectTimeout(.tls))
    #expect(accepted.withLockedValue { $0 } >= 1)
    await listener.close()
  }
}
