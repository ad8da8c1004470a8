import RemoteControlCore
import RemoteControlProtocol
import SMPProtocol
import Synchronization
import Testing

@testable import RemoteControl

@Suite struct MulticastTests {
  /// A group for tests, on the loopback interface.
  private static let discovery = MulticastDiscovery(group: "239.255.42.99", port: 35_227, interface: "lo")
  private static let datagram = [UInt8](repeating: 7, count: Announcement.size)

  /// Whether the system lets this process join the group and send to it.
  private static func isPermitted() async -> Bool {
    do {
      try await discovery.listen { _, _ in }.stop()
      try await discovery.announce(datagram)
      return true
    } catch {
      return false
    }
  }

  @Test(.enabled("multicast on the interface lo is not permitted here") { await isPermitted() })
  func membersReceiveAnnouncementsWithTheirSource() async throws {
    let received = Recorded<([UInt8], IPv4Address)>()
    let member = try await Self.discovery.listen { received.add(($0, $1)) }
    let second = Recorded<([UInt8], IPv4Address)>()
    let other = try await Self.discovery.listen { second.add(($0, $1)) }
    try await Self.discovery.announce([1, 2, 3])
    try await Self.discovery.announce(Self.datagram)
    for recorded in [received, second] {
      let (datagram, source) = try await recorded.next { $0 }
      #expect(datagram == Self.datagram)
      #expect(source.description == "127.0.0.1")
    }
    await member.stop()
    await other.stop()
  }

  @Test(.enabled("multicast on the interface lo is not permitted here") { await isPermitted() })
  func aKnownPhoneFindsTheDesktop() async throws {
    let devices = try Devices(discovery: Self.discovery)
    try await devices.connect(devices.start())
    await devices.phone.stop()
    try await devices.deskEvents.next { if case .stopped = $0 { () } else { nil } }
    let pairing = try #require(devices.deskStore.host)
    _ = try await devices.phone.find()
    _ = try await devices.start(pairing, announces: true)
    let found = try await devices.phoneEvents.next { if case .found(let pairing, _, _) = $0 { pairing } else { nil } }
    _ = try await devices.phone.confirm(found.controller)
    try await devices.complete()
    #expect(await devices.desk.announcementError == nil)
    await devices.stop()
  }

  @Test func aMissingInterfaceIsAClearError() async throws {
    let discovery = MulticastDiscovery(interface: "no-such-interface")
    let announcing = await #expect(throws: RemoteControlError.self) { try await discovery.announce(Self.datagram) }
    #expect("\(String(describing: announcing))".contains("announcements cannot be sent"))

    let devices = try Devices(discovery: discovery)
    try await devices.connect(devices.start())
    await devices.phone.stop()
    let searching = await #expect(throws: RemoteSessionError.self) { try await devices.phone.find() }
    #expect("\(String(describing: searching))".contains("announcements cannot be received"))
    #expect(await devices.phone.state == nil)
    await devices.stop()
  }
}
