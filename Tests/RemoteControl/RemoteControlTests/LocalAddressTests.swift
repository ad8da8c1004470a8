import SMPProtocol
import Testing

@testable import RemoteControl

@Suite struct LocalAddressTests {
  private func address(_ text: String, _ interface: String) throws -> LocalAddress {
    LocalAddress(address: try #require(IPv4Address(text)), interface: interface)
  }

  @Test func physicalInterfacesComeFirst() throws {
    let (loopback, docker) = (try address("127.0.0.1", "lo"), try address("172.17.0.1", "docker0"))
    let (linkLocal, wireless) = (try address("169.254.3.4", "eth0"), try address("192.168.1.2", "wlan0"))
    let all = [loopback, docker, linkLocal, wireless]
    #expect(LocalAddress.ordered(all, preferred: nil) == [wireless, docker, loopback])
    #expect(LocalAddress.ordered(all, preferred: docker) == [docker, wireless, loopback])
    let other = try address("172.17.0.9", "docker0")
    #expect(LocalAddress.ordered(all, preferred: other) == [docker, wireless, loopback])
    #expect(LocalAddress.ordered(all, preferred: linkLocal) == [wireless, docker, loopback])
  }
}
